internal import KSImporting

/// Gives each entry of another program its place in a keychain: class, site or service, and names
/// that items can have.
///
/// It depends on the entries alone and not on their order, so a file that is read again gives the
/// same places.
package struct EntryPlacing {
    /// The entries with their places, in the order given.
    package private(set) var entries: [Entry]
    /// The place in the file of each.
    package private(set) var numbers: [Int]
    package private(set) var notes: [EntryNote]

    /// What every item has, which a field cannot be called.
    private static let commonNames: Set = [
        "title", "user name", "username", "user", "password", "place", "site", "note", "tags",
        "type", "text",
    ]
    private static let nameBytesMax = 256

    package init(_ read: ReadEntries) {
        var notes = NoteList()
        var (entries, numbers): ([Entry], [Int]) = ([], [])
        for (entry, number) in zip(read.entries, read.numbers) {
            notes.begin(number, entry.shownTitle)
            var placed = entry
            if entry.itemClass == nil {
                guard Self.place(&placed) else {
                    notes.add(.noName)
                    continue
                }
                Self.repair(&placed, &notes)
            }
            entries.append(placed)
            numbers.append(number)
        }
        (self.entries, self.numbers) = (entries, numbers)
        self.notes = (read.notes + notes.notes).sorted { $0.entry < $1.entry }
        separate()
    }

    /// A login at a web site is an internet password, as browsers and imports make it; all else is
    /// a generic password whose service is the title.
    ///
    /// - Returns: false for an entry that nothing names.
    private static func place(_ entry: inout Entry) -> Bool {
        if entry.type == "login",
            let (index, site) = entry.addresses.enumerated().lazy.compactMap({ index, address in
                WebSite(address.text).map { (index, $0) }
            }).first
        {
            entry.itemClass = "inet"
            entry.place = site.server
            entry.attributes = [
                text("ptcl", site.protocolCode), text("atyp", "dflt"), text("path", ""),
                integer("port", Int64(site.port)),
            ]
            // An address that says no more than the site is the site.
            let address = entry.addresses[index]
            var bare = entry
            bare.addresses = []
            if address == bare.links.first { entry.addresses.remove(at: index) }
            if entry.title.isEmpty { entry.title = site.server }
            return true
        }
        if entry.title.isEmpty { entry.title = entry.shownTitle }
        guard !entry.title.isEmpty else { return false }
        entry.itemClass = "genp"
        entry.place = entry.title
        return true
    }

    private static func text(_ name: String, _ text: String) -> Entry.Attribute {
        var attribute = Entry.Attribute(name)
        attribute.text = text
        return attribute
    }

    private static func integer(_ name: String, _ number: Int64) -> Entry.Attribute {
        var attribute = Entry.Attribute(name)
        attribute.integer = number
        return attribute
    }

    // MARK: Names

    /// Gives fields, tags and addresses the form that items have.
    private static func repair(_ entry: inout Entry, _ notes: inout NoteList) {
        var names: Set<String> = []
        for index in entry.fields.indices {
            let given = entry.fields[index].name
            var name = usable(given)
            if name.isEmpty { name = "field" }
            if commonNames.contains(name.lowercased()) { name += " (field)" }
            let base = name
            var number = 2
            while !names.insert(name).inserted {
                name = "\(base) \(number)"
                number += 1
            }
            guard name != given else { continue }
            entry.fields[index].name = name
            notes.add(.renamed, "the field \(usable(given))", name)
        }
        entry.tags = entry.tags.map(usable).filter { !$0.isEmpty }
        let addresses = entry.addresses
        entry.addresses.removeAll { !isAddress($0.text) }
        for address in addresses where !isAddress(address.text) {
            var name = "address"
            var number = 2
            while !names.insert(name).inserted {
                name = "address \(number)"
                number += 1
            }
            entry.fields.append(.init(name, text: address.text))
            notes.add(.otherForm, "the address \(usable(address.text))", "becomes a field")
        }
    }

    private static func usable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            bytes += UTF8.width(scalar)
            guard bytes <= nameBytesMax - 16 else { break }
            scalars.append(isControl ? " " : scalar)
        }
        return String(scalars).withoutBlanks
    }

    /// As items take it: a host or a URL.
    private static func isAddress(_ text: String) -> Bool {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        return !text.contains(where: \.isWhitespace) && text.utf8.count <= nameBytesMax
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            && rest.contains { $0.isLetter || $0.isNumber }
    }

    // MARK: Entries of one site and user

    /// What makes two items one.
    private struct Key: Hashable {
        let parts: [String]

        init(_ entry: Entry) {
            let others = ["ptcl", "path", "atyp"].map { entry.attribute($0)?.text ?? "" }
            let port = entry.attribute("port")?.integer ?? 0
            parts =
                [entry.itemClass ?? "", entry.place, entry.userName, entry.realm ?? ""]
                + others + [String(port)]
        }
    }

    /// Gives entries that would be one item places of their own, but those that are equal.
    private mutating func separate() {
        // The oldest comes first, whatever the file's order is.
        let order = entries.indices.sorted { left, right in
            let (one, other) = (entries[left], entries[right])
            let times = (one.created ?? .max, other.created ?? .max)
            if times.0 != times.1 { return times.0 < times.1 }
            return one.title != other.title ? one.title < other.title : left < right
        }
        var taken: [Key: Int] = [:]
        for index in order {
            let given = entries[index]
            guard var holder = taken[Key(given)] else {
                taken[Key(given)] = index
                continue
            }
            var entry = given
            var number = 1
            while !Self.areSame(entries[holder], entry) {
                entry.itemClass = "genp"
                entry.attributes = []
                if given.itemClass == "inet", entry.addresses.isEmpty {
                    entry.addresses = given.links
                }
                entry.place = number == 1 ? given.title : "\(given.title) (\(number))"
                number += 1
                guard let next = taken[Key(entry)] else {
                    taken[Key(entry)] = index
                    break
                }
                holder = next
            }
            entries[index] = entry
        }
    }

    private static func areSame(_ one: Entry, _ other: Entry) -> Bool {
        var other = other
        (other.itemClass, other.place) = (one.itemClass, one.place)
        (other.attributes, other.addresses) = (one.attributes, one.addresses)
        return one == other
    }
}

extension String {
    fileprivate var withoutBlanks: String {
        let rest = drop(while: \.isWhitespace)
        return String(rest.dropLast(rest.reversed().prefix(while: \.isWhitespace).count))
    }
}
