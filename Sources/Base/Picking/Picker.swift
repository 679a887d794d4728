package import KSScreens

/// Finds an item, and copies, shows or changes its fields.
///
/// It does nothing itself: feed it keys and events, carry out the actions that it returns, and
/// show its ``frame``. It keeps no secret but the one that the user has it show.
package struct Picker {
    /// What the user sees.
    enum View: Hashable {
        case list
        case fields(id: String)
    }

    /// The field that is shown although it is secret.
    struct Revealed: Hashable {
        let field: Int
        let text: String
        /// When it is hidden again.
        let end: Int
    }

    /// A secret leaves the screen after this time: its user may have gone, and the device locked.
    static let revealedSeconds = 30

    /// The last line, until the next key.
    enum Notice: Hashable {
        case done(String)
        case failed(String)
        /// Waits for `y`.
        case question(id: String)
    }

    /// Whether Enter chooses what it copies otherwise, and leaves.
    let choosesOnEnter: Bool
    private let match: PickMatcher
    private let highlight: PickHighlighter?
    private var entries: [PickEntry]
    var entryCount: Int { entries.count }
    private var indices: [String: Int] = [:]
    private(set) var matches: [PickMatch] = []
    private(set) var query: String
    /// The selected match, and the one in the first row of the list.
    private(set) var selection = 0
    private(set) var top = 0
    private(set) var view = View.list
    /// nil until they are loaded.
    private(set) var fields: [PickField]?
    private(set) var fieldSelection = 0
    private(set) var revealed: Revealed?
    private(set) var notice: Notice?
    private(set) var isHelpShown = false
    private(set) var rows: Int
    private(set) var columns: Int
    private(set) var seconds: Int

    /// More is no name, but a text pasted by mistake.
    package static let queryCharactersMax = 200

    /// Without `highlight`, the matches have all their places already.
    package init(
        entries: [PickEntry],
        query: String = "",
        rows: Int,
        columns: Int,
        seconds: Int,
        choosesOnEnter: Bool = false,
        highlight: PickHighlighter? = nil,
        match: @escaping PickMatcher
    ) {
        self.entries = entries
        self.choosesOnEnter = choosesOnEnter
        self.query = String(query.prefix(Self.queryCharactersMax))
        (self.rows, self.columns, self.seconds) = (rows, columns, seconds)
        (self.match, self.highlight) = (match, highlight)
        index()
        filter()
    }

    package mutating func handle(_ event: PickEvent) -> [PickAction] {
        switch event {
        case .resized(let rows, let columns):
            (self.rows, self.columns) = (rows, columns)
            scroll()
        case .tick(let seconds):
            self.seconds = seconds
            if let revealed, seconds >= revealed.end { self.revealed = nil }
            return expiredCode()
        case .details(let id, let fields):
            guard view == .fields(id: id) else { return [] }
            self.fields = fields
            fieldSelection = min(fieldSelection, max(0, fields.count - 1))
        case .revealed(let id, let field, let text):
            guard view == .fields(id: id), fieldSelection == field else { return [] }
            revealed = Revealed(field: field, text: text, end: seconds + Self.revealedSeconds)
        case .entries(let entries): replace(entries)
        case .done(let sentence): notice = .done(sentence)
        case .failed(let sentence): notice = .failed(sentence)
        }
        return []
    }

    package mutating func handle(_ key: Keystroke) -> [PickAction] {
        if case .question(let id) = notice {
            notice = nil
            guard key == .character("y") else { return [] }
            revealed = nil
            return [.generate(id: id)]
        }
        notice = nil
        if isHelpShown {
            isHelpShown = false
            return []
        }
        switch view {
        case .list: return handleInList(key)
        case .fields(let id): return handleInFields(key, id)
        }
    }

    /// The seconds until something that is shown changes by itself; nil if nothing does.
    package var secondsToNextTick: Int? {
        guard case .fields = view, let fields else { return nil }
        guard revealed == nil else { return 1 }
        return fields.contains { if case .code = $0.value { true } else { false } } ? 1 : nil
    }

    func entry(_ id: String) -> PickEntry? { indices[id].map { entries[$0] } }

    /// A match with the places that are marked in its row.
    func highlighted(_ match: PickMatch) -> PickMatch {
        guard let highlight, let place = indices[match.id] else { return match }
        return highlight(place, query)
    }

    /// The rows between the first line and the last.
    var listRows: Int { max(1, rows - 2) }

    private mutating func index() {
        indices = [:]
        for (index, entry) in entries.enumerated() { indices[entry.id] = index }
    }

    private mutating func filter() {
        matches = match(query)
        (selection, top) = (0, 0)
    }

    /// Keeps the selected item, wherever it is now.
    private mutating func replace(_ entries: [PickEntry]) {
        let id = selectedID
        self.entries = entries
        index()
        filter()
        selection = matches.firstIndex { $0.id == id } ?? 0
        scroll()
        if case .fields(let shown) = view, indices[shown] == nil { leaveFields() }
    }

    private var selectedID: String? {
        selection < matches.count ? matches[selection].id : nil
    }

    // MARK: - The list

    private mutating func handleInList(_ key: Keystroke) -> [PickAction] {
        switch key {
        case .character("?") where query.isEmpty: isHelpShown = true
        case .character(let character): type(String(character))
        case .paste(let text): type(text)
        case .pasteTooLong: notice = .failed("The pasted text is too long to look for.")
        case .backspace: if !query.isEmpty { change(String(query.dropLast())) }
        case .control("u"): change("")
        case .control("w"): eraseWord()
        case .up, .control("p"), .backTab: move(-1)
        case .down, .control("n"): move(1)
        case .pageUp: move(-listRows)
        case .pageDown: move(listRows)
        case .home: move(-matches.count)
        case .end: move(matches.count)
        case .enter: return forSelected { entered($0, nil) }
        case .control("e"): return forSelected { .edit(id: $0) }
        case .control("g"): if let id = selectedID { notice = .question(id: id) }
        case .tab, .right: return openFields()
        case .escape:
            guard query.isEmpty else {
                change("")
                return []
            }
            return [.quit]
        case .control("d") where query.isEmpty: return [.quit]
        case .left, .insert, .delete, .alternate, .control: break
        }
        return []
    }

    private mutating func type(_ text: String) {
        let words = text.map { $0.isNewline || $0.isWhitespace ? " " : $0 }
        change(String((query + words).prefix(Self.queryCharactersMax)))
    }

    private mutating func change(_ text: String) {
        guard text != query else { return }
        query = text
        filter()
    }

    private mutating func eraseWord() {
        let trimmed = query.reversed().drop { $0 == " " }.drop { $0 != " " }
        change(String(trimmed.reversed()))
    }

    private mutating func move(_ distance: Int) {
        selection = max(0, min(matches.count - 1, selection + distance))
        scroll()
    }

    private mutating func scroll() {
        top = min(top, selection)
        top = max(top, selection - listRows + 1)
        // A larger screen has no empty rows below the last match.
        top = max(0, min(top, matches.count - listRows))
    }

    private func forSelected(_ action: (String) -> PickAction) -> [PickAction] {
        selectedID.map { [action($0)] } ?? []
    }

    private func entered(_ id: String, _ field: Int?) -> PickAction {
        choosesOnEnter ? .choose(id: id, field: field) : .copy(id: id, field: field)
    }

    private mutating func openFields() -> [PickAction] {
        guard let id = selectedID else { return [] }
        view = .fields(id: id)
        (fields, fieldSelection, revealed) = (nil, 0, nil)
        return [.loadDetails(id: id)]
    }

    // MARK: - The fields of an item

    private mutating func handleInFields(_ key: Keystroke, _ id: String) -> [PickAction] {
        switch key {
        case .escape, .tab, .backTab, .left, .character("q"): leaveFields()
        case .up, .control("p"), .character("k"): moveField(-1)
        case .down, .control("n"), .character("j"): moveField(1)
        case .home, .pageUp: moveField(-fieldCount)
        case .end, .pageDown: moveField(fieldCount)
        case .enter: return fieldCount > 0 ? [entered(id, fieldSelection)] : []
        case .character("c"): return fieldCount > 0 ? [.copy(id: id, field: fieldSelection)] : []
        case .character("s"), .character(" "), .right: return toggleSecret(id)
        case .character("e"), .control("e"):
            revealed = nil
            return [.edit(id: id)]
        case .character("g"), .control("g"): notice = .question(id: id)
        case .character("?"): isHelpShown = true
        case .character, .control, .alternate, .paste, .pasteTooLong, .backspace, .insert, .delete:
            break
        }
        return []
    }

    private var fieldCount: Int { fields?.count ?? 0 }

    private mutating func moveField(_ distance: Int) {
        fieldSelection = max(0, min(fieldCount - 1, fieldSelection + distance))
        revealed = nil
    }

    private mutating func leaveFields() {
        view = .list
        (fields, fieldSelection, revealed) = (nil, 0, nil)
    }

    private mutating func toggleSecret(_ id: String) -> [PickAction] {
        guard revealed == nil else {
            revealed = nil
            return []
        }
        guard let fields, fieldSelection < fields.count, fields[fieldSelection].value == .secret
        else { return [] }
        return [.reveal(id: id, field: fieldSelection)]
    }

    /// Asks for the next code once the last one is over.
    private mutating func expiredCode() -> [PickAction] {
        guard case .fields(let id) = view, let fields else { return [] }
        let isExpired = fields.contains { field in
            guard case .code(_, _, let end) = field.value else { return false }
            return seconds >= end
        }
        return isExpired ? [.loadDetails(id: id)] : []
    }
}
