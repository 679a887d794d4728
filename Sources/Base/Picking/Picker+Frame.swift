package import KSScreens

/// What the picker shows; only the visible rows cost anything.
extension Picker {
    package var frame: Frame {
        if isHelpShown { return helpFrame }
        switch view {
        case .list: return listFrame
        case .fields(let id): return fieldsFrame(id)
        }
    }

    private static let matched = Style(color: .yellow, isBold: true, isUnderlined: true)
    private static let prompt = "Find: "
    /// Selected rows begin with this, so that nobody needs the colours.
    private static let marker = "> "
    private static let dots = "••••••••"

    private func framed(_ first: StyledLine, _ body: [StyledLine], help: String) -> Frame {
        let fill = max(0, listRows - body.count)
        var lines = [first] + body.prefix(listRows)
        lines += Array(repeating: StyledLine(), count: fill)
        lines.append(lastLine(help))
        // The last line matters more than the list on a screen of one or two rows.
        return Frame(lines: rows < 3 ? [first, lastLine(help)] : lines)
    }

    private func lastLine(_ help: String) -> StyledLine {
        switch notice {
        case .none: StyledLine(help, .dim)
        case .done(let sentence): StyledLine(sentence, Style(color: .green))
        case .failed(let sentence): StyledLine("! " + sentence, Style(color: .red, isBold: true))
        case .question(let id):
            StyledLine("New password for \(entry(id)?.title ?? "this item")? (y/n)", .bold)
        }
    }

    private var enterHelp: String { choosesOnEnter ? "Enter choose" : "Enter copy" }

    // MARK: - The list

    private var listFrame: Frame {
        let counts = "\(matches.count)/\(entryCount)"
        let room = max(1, columns - Self.prompt.count - counts.count - 2)
        // A long text scrolls: its end is what the user types.
        var shown = query
        while TextWidth.columns(of: shown) >= room { shown.removeFirst() }
        var first = StyledLine(Self.prompt, .bold)
        first.append(TextWidth.fit(shown, to: room + 1))
        first.append(counts, .dim)
        let cursor = Self.prompt.count + TextWidth.columns(of: TextWidth.visible(shown))

        let layout = ListLayout(columns: columns)
        let range = top..<max(top, min(matches.count, top + listRows))
        var body = range.map { row(highlighted(matches[$0]), isSelected: $0 == selection, layout) }
        if matches.isEmpty {
            let sentence = query.isEmpty ? "There are no items yet." : "No item matches."
            body = [StyledLine(Self.markerSpace + sentence, .dim)]
        }
        let help = "? help  \(enterHelp)  Tab fields  ^E edit  ^G generate  Esc leave"
        var frame = framed(first, body, help: help)
        frame.cursor = Frame.Position(row: 0, column: min(cursor, columns - 1))
        return frame
    }

    private static var markerSpace: String { String(repeating: " ", count: marker.count) }

    private func row(_ match: PickMatch, isSelected: Bool, _ layout: ListLayout) -> StyledLine {
        guard let entry = entry(match.id) else { return StyledLine() }
        let style = Style(isBold: isSelected, isReversed: isSelected)
        var line = StyledLine(isSelected ? Self.marker : Self.markerSpace, style)
        line.append(entry.isFavorite ? "*" : " ", style)
        line.append(entry.hasCode ? "# " : "  ", style)
        let cells = [
            (entry.title, match.titleRanges, layout.title),
            (entry.subtitle, match.subtitleRanges, layout.subtitle),
            (entry.site, match.siteRanges, layout.site),
        ]
        for (text, ranges, width) in cells where width > 0 {
            line += Self.cell(text, ranges, width: width, style)
            // Before the next column.
            if line.columns < columns { line.append("  ", style) }
        }
        return line.cut(to: columns)
    }

    /// A text in exactly this many columns, with the matched characters marked.
    private static func cell(
        _ text: String,
        _ ranges: [Range<Int>],
        width: Int,
        _ style: Style
    ) -> StyledLine {
        let visible = TextWidth.fit(TextWidth.visible(text), to: width)
        guard !ranges.isEmpty else { return StyledLine(visible, style) }
        var marked = matched
        marked.isReversed = style.isReversed
        var line = StyledLine()
        var run = ""
        var isRunMatched = false
        for (offset, character) in visible.enumerated() {
            let isMatched = ranges.contains { $0.contains(offset) }
            if isMatched != isRunMatched {
                line.append(run, isRunMatched ? marked : style)
                run = ""
            }
            isRunMatched = isMatched
            run.append(character)
        }
        line.append(run, isRunMatched ? marked : style)
        return line
    }

    // MARK: - The fields of an item

    private func fieldsFrame(_ id: String) -> Frame {
        let first = StyledLine(entry(id)?.title ?? "", .bold)
        guard let fields else { return framed(first, [StyledLine("  …", .dim)], help: "Esc back") }
        let nameWidth = min(
            max(4, columns / 3),
            fields.lazy.map { TextWidth.columns(of: TextWidth.visible($0.name)) }.max() ?? 0
        )
        var body: [StyledLine] = []
        var selected = 0..<0
        for (index, field) in fields.enumerated() {
            let lines = fieldLines(field, index, nameWidth: nameWidth)
            if index == fieldSelection { selected = body.count..<(body.count + lines.count) }
            body += lines
        }
        if fields.isEmpty { body = [StyledLine("  The item has no fields.", .dim)] }
        // The selected field is in sight, from its first line on.
        let start = max(0, min(selected.lowerBound, selected.upperBound - listRows))
        let help = "? help  \(enterHelp)  s show  e edit  g generate  Esc back"
        return framed(first, Array(body.dropFirst(start)), help: help)
    }

    private func fieldLines(_ field: PickField, _ index: Int, nameWidth: Int) -> [StyledLine] {
        let isSelected = index == fieldSelection
        let style = Style(isBold: isSelected, isReversed: isSelected)
        var first = StyledLine(isSelected ? Self.marker : Self.markerSpace, style)
        first.append(TextWidth.fit(TextWidth.visible(field.name), to: nameWidth), style)
        first.append("  ")
        let indent = Self.marker.count + nameWidth + 2
        let text: String
        switch field.value {
        case .code(let code, let period, let end):
            first += codePieces(code, period, end)
            return [first.cut(to: columns)]
        case .secret:
            guard let revealed, revealed.field == index else {
                first.append(Self.dots)
                return [first]
            }
            text = revealed.text
        case .text(let value): text = value
        }
        // Only the selected field takes as many lines as its text needs.
        let lines = TextWidth.wrap(text, columns: columns - indent)
        guard isSelected else {
            let rest = lines.count > 1 ? " …" : ""
            first.append(TextWidth.cut((lines.first ?? "") + rest, to: columns - indent))
            return [first]
        }
        first.append(lines.first ?? "")
        return [first]
            + lines.dropFirst().map { line in
                StyledLine(String(repeating: " ", count: indent) + line)
            }
    }

    /// The code in two groups, a bar that empties, and the seconds left.
    private func codePieces(_ code: String, _ period: Int, _ end: Int) -> StyledLine {
        let left = max(0, min(period, end - seconds))
        let middle = code.index(code.startIndex, offsetBy: (code.count + 1) / 2)
        let isNumber = code.allSatisfy(\.isNumber) && code.count >= 6
        var line = StyledLine()
        line.append(isNumber ? code[..<middle] + " " + code[middle...] : code, .bold)
        let barColumns = 10
        let full = period > 0 ? (left * barColumns + period - 1) / period : 0
        let bar = String(repeating: "#", count: full)
        let empty = String(repeating: ".", count: barColumns - full)
        let isShort = left <= 5
        line.append("  [")
        line.append(bar, Style(color: isShort ? .red : .green))
        line.append(empty + "] \(left) s")
        return line
    }

    // MARK: - Help

    private var helpFrame: Frame {
        let keys = [
            ("letters", "find items by any part of their names"),
            ("Up, Down", "select; also Ctrl-P and Ctrl-N, Page Up and Page Down"),
            (
                "Enter",
                choosesOnEnter
                    ? "choose the item, or the selected field"
                    : "copy the password, or the selected field"
            ),
            ("Tab", "show the fields of the item, and back"),
            ("s", "show or hide a secret, among the fields"),
            ("e, Ctrl-E", "edit the item; e among the fields"),
            ("g, Ctrl-G", "give it a new password; g among the fields"),
            ("Esc", "clear what was typed, go back, or leave"),
            ("* and #", "a favourite; an item with a one-time code"),
        ]
        let body = keys.map { key, use in
            var line = StyledLine("  " + TextWidth.fit(key, to: 10), .bold)
            line.append(use)
            return line
        }
        return framed(StyledLine("Keys", .bold), body, help: "Any key goes back")
    }
}

/// The widths of the columns of a list.
private struct ListLayout {
    let title: Int
    let subtitle: Int
    let site: Int

    /// The marker, the flags, and the gaps.
    private static let fixedColumns = 5

    init(columns: Int) {
        let room = max(1, columns - Self.fixedColumns)
        if room < 30 {
            (title, subtitle, site) = (room, 0, 0)
        } else if room < 60 {
            title = room * 11 / 20
            (subtitle, site) = (room - title - 2, 0)
        } else {
            title = room * 2 / 5
            subtitle = room * 3 / 10
            site = room - title - subtitle - 4
        }
    }
}
