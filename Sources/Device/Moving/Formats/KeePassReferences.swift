internal import KSBytes

/// Puts values in the place of references such as `{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}`.
///
/// Source: keepass.info, "Field References".
struct KeePassReferences {
    private static let start = "{REF:"
    /// References may lead to references.
    private static let depthMax = 10
    /// Of a file whose references refer to each other again and again.
    private static let bytesMax = 16 << 20

    private let entries: EntryList
    private let ids: [[UInt8]]
    private let places: [[UInt8]: Int]
    /// The first entry with a text, by the letter of its part.
    private var found: [Character: [String: Int]] = [:]
    private var bytesLeft = bytesMax

    init(_ entries: EntryList, ids: [[UInt8]]) {
        (self.entries, self.ids) = (entries, ids)
        places = Dictionary(zip(ids, ids.indices)) { first, _ in first }
    }

    /// The entry with values in place of its references; names those that lead nowhere.
    mutating func resolve(_ entry: Entry, _ notes: inout NoteList) -> Entry {
        var entry = entry
        resolve(&entry.title, "title", &notes)
        resolve(&entry.userName, "user name", &notes)
        resolve(&entry.note, "note", &notes)
        resolve(&entry.secret, "password", &notes)
        for index in entry.addresses.indices {
            resolve(&entry.addresses[index].text, "address", &notes)
        }
        for index in entry.fields.indices where !entry.fields[index].isFile {
            var value: [UInt8]? = entry.fields[index].value
            resolve(&value, "field \(entry.fields[index].name)", &notes)
            entry.fields[index].value = value ?? []
        }
        return entry
    }

    private mutating func resolve(_ value: inout [UInt8]?, _ part: String, _ notes: inout NoteList)
    {
        // The texts of a file have few references; most bytes are not even looked at as text.
        guard let bytes = value, bytes.contains(UInt8(ascii: "{")),
            var text = String(validating: bytes, as: UTF8.self)
        else { return }
        resolve(&text, part, &notes)
        value = Array(text.utf8)
    }

    private mutating func resolve(_ text: inout String, _ part: String, _ notes: inout NoteList) {
        guard text.utf8.contains(UInt8(ascii: "{")), text.contains(Self.start) else { return }
        var isWhole = true
        text = resolved(text, depth: 0, &isWhole)
        if !isWhole {
            let rest = ", whose entry is not in the file"
            notes.add(.partNotHeld, "a reference in its \(part)", rest)
        }
    }

    private mutating func resolved(_ text: String, depth: Int, _ isWhole: inout Bool) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: Self.start) {
            result += rest[..<start.lowerBound]
            rest = rest[start.lowerBound...]
            guard let end = rest.firstIndex(of: "}") else { break }
            let reference = rest[start.upperBound..<end]
            if depth < Self.depthMax, let value = value(of: reference),
                value.utf8.count <= bytesLeft
            {
                bytesLeft -= value.utf8.count
                result += resolved(value, depth: depth + 1, &isWhole)
            } else {
                isWhole = false
                result += rest[...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    /// `P@I:…`: the wanted part, where to search, and what for.
    private mutating func value(of reference: Substring) -> String? {
        let letters = reference.prefix(4)
        guard letters.count == 4, let wanted = letters.first?.uppercased().first,
            let place = letters.dropFirst(2).first?.uppercased().first,
            letters.dropFirst().first == "@", letters.last == ":"
        else { return nil }
        let text = String(reference.dropFirst(4))
        guard
            let index = place == "I"
                ? places[[UInt8](hexadecimal: text.utf8) ?? []] : search(text, place)
        else { return nil }
        return part(wanted, of: index)
    }

    private mutating func search(_ text: String, _ place: Character) -> Int? {
        if found[place] == nil {
            var all: [String: Int] = [:]
            for index in entries.indices {
                guard let value = part(place, of: index), all[value] == nil else { continue }
                all[value] = index
            }
            found[place] = all
        }
        return found[place]?[text]
    }

    private func part(_ letter: Character, of index: Int) -> String? {
        let entry = entries[index]
        switch letter {
        case "T": return entry.title
        case "U": return entry.userName
        case "P": return entry.type == "note" ? "" : entry.secretText ?? ""
        case "A": return entry.addresses.first?.text ?? ""
        case "N": return entry.type == "note" ? entry.secretText ?? "" : entry.note
        case "I": return String(hexadecimal: ids[index]).uppercased()
        default: return nil
        }
    }
}
