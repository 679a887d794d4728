internal import KSAgent
internal import KSEditing

// How tags and addresses stand in the text of an item that is edited.

/// The line `tags:`, with commas between them.
enum TagLine {
    /// A tag of another program may have a comma: it stands in double quotes.
    static func text(of tags: [String]) -> String {
        tags.map { $0.contains { ",\"".contains($0) } ? "\"\($0)\"" : $0 }.joined(separator: ", ")
    }

    static func tags(of text: String) -> Set<String> {
        var tags: Set<String> = []
        var rest = text[...]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "," }
            guard !rest.isEmpty else { return tags }
            let quoted = rest.first == "\"" ? rest.dropFirst().firstRange(of: "\"") : nil
            let end = quoted?.lowerBound ?? rest.firstIndex(of: ",") ?? rest.endIndex
            let tag = quoted == nil ? rest[..<end] : rest[..<end].dropFirst()
            tags.insert(tag.trimmed)
            rest = rest[(quoted?.upperBound ?? end)...]
        }
    }
}

/// The lines `address: URL (RULE)`; without a rule the address has the usual one.
enum AddressLine {
    static let name = "address"
    private static let usualRule = "domain"

    /// Whether a line is one of them: a field of this name has its kind behind the name.
    static func isOne(_ field: EditedField) -> Bool { field.name == name && field.kind == nil }

    static func field(_ address: ShownItem.Address) -> EditedField {
        let rule = address.match == usualRule ? "" : " (\(address.match))"
        return EditedField(name: name, value: address.text + rule)
    }

    /// An address has no spaces, so its rule is what stands behind the first.
    private static func address(_ text: String) -> ShownItem.Address {
        guard text.hasSuffix(")"), let mark = text.firstRange(of: " (") else {
            return .init(text: text, match: usualRule)
        }
        return .init(
            text: text[..<mark.lowerBound].trimmed,
            match: text[mark.upperBound...].dropLast().trimmed
        )
    }

    /// What the user changed of the addresses.
    ///
    /// An address that stands at another place now is put there with all that follow it.
    static func change(
        _ form: inout ItemForm,
        from before: [EditedField],
        to after: [EditedField]
    ) throws(EverydayFailure) {
        let old = before.map { address($0.value) }
        let new = after.filter { !$0.value.isEmpty }.map { address($0.value) }
        let texts = new.map(\.text)
        if let twice = texts.first(where: { text in texts.count { $0 == text } > 1 }) {
            throw EverydayFailure("the address \(twice) stands twice, and the item is as it was")
        }
        let kept = old.map(\.text).filter { texts.contains($0) }
        let places = kept + texts.filter { !kept.contains($0) }
        let first = zip(places, texts).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let moved = first.map { Set(texts[$0...]) } ?? []
        form.removedAddresses = old.map(\.text).filter { !kept.contains($0) || moved.contains($0) }
        form.addedAddresses = new.filter { !old.contains($0) || moved.contains($0.text) }
    }
}

extension Substring {
    fileprivate var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        return String(rest.reversed().drop(while: \.isWhitespace).reversed())
    }
}
