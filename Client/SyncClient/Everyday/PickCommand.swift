internal import Glibc
internal import KSAgent
internal import KSClipboards
internal import KSEveryday
internal import KSMatching
internal import KSPicking
internal import KSScreens

// `pick`: an item is chosen on the whole terminal.
extension Everyday {
    func pick(_ options: WordOptions) throws {
        var picked = try PickedItems(self, options)
        let chosen: (id: String, field: Int?)?
        do {
            chosen = try PickScreen.run(
                entries: picked.index.entries,
                query: options.names.joined(separator: " "),
                environment: EverydayReplacement.environment,
                choosesOnEnter: options.has("json"),
                highlight: { picked.index.highlighted($0, $1) },
                match: { picked.index.matches($0) },
                actions: PickActions(
                    loadDetails: { id in picked.outcome { try $0.details(id) } },
                    reveal: { id, field in picked.outcome { try $0.reveal(id, field) } },
                    copy: { id, field in picked.outcome { try $0.copy(id, field) } },
                    edit: { id in picked.outcome { try $0.edit(id) } },
                    generate: { id in picked.outcome { try $0.generate(id) } }
                )
            )
        } catch let error as ScreenError {
            throw EverydayFailure(error.sentence)
        }
        guard options.has("json") else { return }
        guard let chosen else {
            throw EverydayFailure("no item was chosen, and nothing was printed")
        }
        answer([
            ("item", ItemLines.json(try picked.item(chosen.id))),
            ("field", try picked.name(chosen.id, chosen.field).map { .text($0) } ?? .null),
        ])
    }
}

/// The items that are picked from, and what is done with them.
private struct PickedItems {
    private let everyday: Everyday
    private let options: WordOptions
    private var items: [String: ListedItem] = [:]
    private(set) var index = PickIndex([], candidates: [])

    init(_ everyday: Everyday, _ options: WordOptions) throws {
        (self.everyday, self.options) = (everyday, options)
        try load()
    }

    private mutating func load() throws {
        let listed = try everyday.call(ListItems(), options).items
        items = Dictionary(listed.map { ($0.id, $0) }) { first, _ in first }
        let entries = zip(listed, ItemTwins.ends(of: listed)).map { item, end in
            PickEntry(
                id: item.id,
                title: item.title.isEmpty ? "(no title)" : item.title,
                subtitle: item.userName,
                site: (item.place == item.title ? "" : item.place) + end,
                isFavorite: item.isFavorite,
                hasCode: item.hasOneTimeCode
            )
        }
        index = PickIndex(
            entries,
            candidates: listed.map { item in
                MatchCandidate(
                    title: item.title,
                    texts: [
                        MatchText(item.place, weight: 6), MatchText(item.userName, weight: 5),
                        MatchText(item.type, weight: 1),
                    ] + item.tags.map { MatchText($0, weight: 4) }
                )
            }
        )
    }

    mutating func outcome(
        _ body: (inout PickedItems) throws -> [PickEvent]
    ) -> PickActions.Outcome {
        do {
            return .success(try body(&self))
        } catch let failure as EverydayFailure {
            return .failure(PickFailure(failure.sentence + "."))
        } catch let error as AgentError {
            return .failure(PickFailure(Everyday.sentence(of: error) + "."))
        } catch {
            return .failure(PickFailure("It did not work: try again."))
        }
    }

    func item(_ id: String) throws -> ListedItem {
        guard let item = items[id] else { throw EverydayFailure("the item is no longer there") }
        return item
    }

    private func shown(_ id: String, secrets: Bool = false) throws -> ShownItem {
        try everyday.call(ShowItem(try item(id).reference, showsSecrets: secrets), options)
    }

    /// The values of an item in the order in which they are shown, each with its name.
    private static func names(of item: ShownItem) -> [String] {
        var names: [String] = []
        if item.hasSecret { names.append(item.secretName) }
        if !item.userName.isEmpty { names.append("user name") }
        if !item.place.isEmpty { names.append("place") }
        names += item.fields.filter { $0.kind != "file" }.map(\.name)
        if !item.note.isEmpty { names.append("note") }
        return names
    }

    func details(_ id: String) throws -> [PickEvent] {
        let item = try shown(id)
        let fields = try Self.names(of: item).map { name -> PickField in
            let field = item.fields.first { $0.name == name }
            if field?.kind == "otp" {
                let now = try everyday.call(GetOneTimeCode(item.reference, field: name), options)
                let end = Int(time(nil)) + Int(now.secondsLeft)
                return PickField(
                    name,
                    .code(now.code, periodSeconds: Int(now.periodSeconds), endsAtSeconds: end)
                )
            }
            let isHidden = field.map(\.isHidden) ?? (name == item.secretName)
            guard !isHidden, let value = item.value(of: name) else {
                return PickField(name, .secret)
            }
            return PickField(name, .text(String(decoding: value, as: UTF8.self)))
        }
        return [.details(id: id, fields)]
    }

    func reveal(_ id: String, _ field: Int) throws -> [PickEvent] {
        let item = try shown(id, secrets: true)
        let names = Self.names(of: item)
        guard names.indices.contains(field), let value = item.value(of: names[field]) else {
            throw EverydayFailure("the field is no longer there")
        }
        return [.revealed(id: id, field: field, text: String(decoding: value, as: UTF8.self))]
    }

    /// The name of a field that is shown; nil for the item as a whole.
    func name(_ id: String, _ field: Int?) throws -> String? {
        guard let field else { return nil }
        let names = Self.names(of: try shown(id))
        guard names.indices.contains(field) else {
            throw EverydayFailure("the field is no longer there")
        }
        return names[field]
    }

    func copy(_ id: String, _ field: Int?) throws -> [PickEvent] {
        let name = try name(id, field)
        let seconds = Clipboard.secondsDefault
        let receipt = try everyday.copy(name, of: try item(id), seconds: seconds, options)
        return [.done("Copied for \(seconds) seconds\(receipt.remark).")]
    }

    mutating func edit(_ id: String) throws -> [PickEvent] {
        try everyday.editAsText(try item(id), options)
        try load()
        return [.entries(index.entries), .done("Changed.")] + (try details(id))
    }

    func generate(_ id: String) throws -> [PickEvent] {
        let made = try everyday.call(GeneratePassword(), options)
        var form = ItemForm()
        form.secret = Array(made.password.utf8)
        form.keepsSecret = true
        _ = try everyday.call(ChangeItem(try item(id).reference, form), options)
        return [.done("New password of \(made.entropyBits) bits; the old one is kept.")]
            + (try details(id))
    }
}

extension ListedItem {
    /// The reference as text.
    fileprivate var id: String {
        String(
            decoding: reference.flatMap { [$0 >> 4, $0 & 15] }
                .map { UInt8(ascii: "a") + $0 },
            as: UTF8.self
        )
    }
}
