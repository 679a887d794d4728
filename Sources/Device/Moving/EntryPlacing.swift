internal import KSImporting
internal import KSMatching

/// Gives each entry of another program its place in a keychain: class, site or service, and names
/// that items can have.
///
/// It depends on the entries alone and not on their order, so a file that is read again gives the
/// same places.
package struct EntryPlacing {
    /// The entries with their places, in the order given.
    package private(set) var entries: EntryList = []
    /// The place in the file of each.
    package private(set) var numbers: [Int]
    package private(set) var notes: [EntryNote]
    /// The numbers of entries that are as an earlier one, and are left out.
    package private(set) var repeated: [Int] = []

    /// The numbers of entries whose site has no scheme, and is taken as https.
    package private(set) var assumed: [Int] = []

    /// What every item has, which a field cannot be called.
    private static let commonNames: Set = [
        "title", "user name", "username", "user", "password", "place", "site", "note", "tags",
        "type", "text",
    ]
    private static let nameBytesMax = 256

    package init(_ read: ReadEntries) {
        var read = read
        self.init(taking: &read)
    }

    /// Takes the entries out of what was read, so that memory holds them once.
    package init(taking read: inout ReadEntries) {
        (numbers, notes) = ([], [])
        numbers.reserveCapacity(read.entries.count)
        var given = read.entries
        read.entries = []
        let places = read.numbers
        read.numbers = []
        var found = NoteList()
        given.drain { index, entry in
            found.begin(places[index], entry.shownTitle)
            var placed = entry
            if entry.itemClass == nil {
                Self.takePlace(&placed, &found)
                var assumesHTTPS = false
                guard Self.place(&placed, &assumesHTTPS) else { return found.add(.noName) }
                if assumesHTTPS { assumed.append(places[index]) }
                Self.repair(&placed, &found)
            } else {
                placed.hasOwnPlace = true
            }
            entries.append(placed)
            numbers.append(places[index])
        }
        notes = (read.notes + found.notes).sorted { $0.entry < $1.entry }
        separate()
    }

    /// The sentence about entries of which a host is taken as https; `unit`: `row` or `entry`.
    package static func remark(ofAssumed numbers: [Int], unit: String) -> String {
        let units = numbers.count == 1 ? unit : unit == "row" ? "rows" : "entries"
        let shown = RowNumbers.text(numbers)
        return "Addresses without a scheme are taken as https: \(units) \(shown)."
    }

    /// Takes a site or service of a file that names it without a class, and names what is left.
    private static func takePlace(_ entry: inout Entry, _ notes: inout NoteList) {
        let count = entry.attributes.count
        if count > 0 {
            entry.attributes = []
            let name = count == 1 ? "1 attribute" : "\(count) attributes"
            notes.add(.partNotHeld, name, " without a class")
        }
        guard !entry.place.isEmpty else { return }
        let sites = entry.addresses.compactMap { WebSite($0.text)?.server }
        if entry.type == "login", WebSite(entry.place) != nil {
            if !sites.contains(entry.place.lowercased()) {
                entry.addresses.insert(.init(entry.place), at: 0)
            }
        } else if !sites.isEmpty {
            notes.add(.partNotHeld, "the place \(entry.place)")
        }
    }

    /// A login at a web site is an internet password, as browsers and imports make it; all else is
    /// a generic password whose service is the title.
    ///
    /// - Returns: false for an entry that nothing names.
    private static func place(_ entry: inout Entry, _ assumesHTTPS: inout Bool) -> Bool {
        if entry.type == "login",
            let (index, site) = entry.addresses.enumerated().lazy.compactMap({ index, address in
                WebSite(address.text).map { (index, $0) }
            }).first
        {
            entry.itemClass = "inet"
            entry.place = site.server
            entry.attributes = attributes(of: site)
            assumesHTTPS = entry.addresses[index].assumeHTTPS()
            // An address that says no more than the site is the site.
            let address = entry.addresses[index]
            var bare = entry
            bare.addresses = []
            let isAlone = entry.addresses.count { $0.text == address.text } == 1
            if isAlone, address == bare.links.first { entry.addresses.remove(at: index) }
            if entry.title.isEmpty { entry.title = site.server }
            return true
        }
        if entry.title.isEmpty { entry.title = entry.shownTitle }
        guard !entry.title.isEmpty else { return false }
        entry.itemClass = "genp"
        if entry.place.isEmpty { entry.place = entry.title }
        return true
    }

    /// Most sites share theirs, which takes less memory.
    private static let usualAttributes = ["htps", "http"].map { code in
        [text("ptcl", code), text("atyp", "dflt"), text("path", ""), integer("port", 0)]
    }

    private static func attributes(of site: WebSite) -> [Entry.Attribute] {
        var attributes = usualAttributes[site.protocolCode == "htps" ? 0 : 1]
        if site.port != 0 { attributes[3] = integer("port", Int64(site.port)) }
        return attributes
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
        if text.isPlain, text.utf8.count <= nameBytesMax - 16, text == text.withoutBlanks {
            return text
        }
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
        text.utf8.count <= nameBytesMax && AddressText.isAddress(text)
    }

    // MARK: Entries of one site and user

    /// The indices of all entries, in which those of one user name and site stand together.
    package var order: [Int] {
        var first: [Int: Int] = [:]
        let groups = entries.enumerated().map { index, entry in
            let name = entry.twinKey.hashValue
            // Others with the same hash do no harm.
            if first[name] == nil { first[name] = index }
            return first[name] ?? index
        }
        return entries.indices.sorted { (groups[$0], $0) < (groups[$1], $1) }
    }

    /// What makes two items one, in bytes, because Unicode equates different ones.
    private struct Key: Hashable {
        private var bytes: [UInt8] = []

        init(_ entry: Entry) {
            let others = ["ptcl", "path", "atyp"].map { entry.attribute($0)?.text ?? "" }
            let port = entry.attribute("port")?.integer ?? 0
            let texts = [entry.itemClass ?? "", entry.place, entry.userName, entry.realm ?? ""]
            for text in texts + others + [String(port)] {
                bytes += text.utf8
                // No text has this byte.
                bytes.append(0xFF)
            }
        }
    }

    /// What makes two entries of one place the same: all but their places and addresses.
    private struct Content: Hashable {
        private let key: Key
        private var entry: Entry
        /// Texts that may be equal for Unicode, and yet are not.
        private let texts: [[UInt8]]

        init(_ entry: Entry, _ key: Key) {
            (self.key, self.entry) = (key, entry)
            (self.entry.itemClass, self.entry.hasOwnPlace) = (nil, nil)
            (self.entry.place, self.entry.attributes, self.entry.addresses) = ("", [], [])
            let names = entry.tags + entry.fields.map(\.name)
            texts = ([entry.title, entry.note] + names).map { Array($0.utf8) }
        }
    }

    /// Indices of entries, those with a password and then the oldest entry first, whatever the
    /// file's order is.
    private func order(of indices: [Int]) -> [Int] {
        let known = indices.map { index in
            let entry = entries[index]
            let lacksSecret = entry.secret?.isEmpty != false
            let created = entry.created ?? .max
            return (index: index, lacksSecret: lacksSecret, created: created, title: entry.title)
        }
        return known.sorted { left, right in
            // A passkey has the site and user name of its login, and programs ask for a password.
            if left.lacksSecret != right.lacksSecret { return right.lacksSecret }
            if left.created != right.created { return left.created < right.created }
            return left.title != right.title ? left.title < right.title : left.index < right.index
        }.map(\.index)
    }

    /// Gives entries that would be one item places of their own, but those that are equal.
    private mutating func separate() {
        // Most entries have a place of their own. Of those only the hashes are kept, since a whole
        // key takes as much memory as a row of a table.
        let hashes = entries.map { Key($0).hashValue }
        var met: Set<Int> = []
        let shared = Set(hashes.filter { !met.insert($0).inserted })
        guard !shared.isEmpty else { return }
        let alone = met.subtracting(shared)
        var taken: [Key: Int] = [:]
        var known: [Content: [Entry.Address]] = [:]
        var moved: [Content: Entry] = [:]
        var compared: Set<Key> = []
        // How many have the name of another place already.
        var counts: [Key: Int] = [:]
        var equal: Set<Int> = []
        for index in order(of: entries.indices.filter { shared.contains(hashes[$0]) }) {
            let given = entries[index]
            let key = Key(given)
            guard let holder = taken[key] else {
                taken[key] = index
                continue
            }
            // Only what meets another one is compared.
            if compared.insert(key).inserted {
                known[Content(entries[holder], key)] = entries[holder].addresses
            }
            let content = Content(given, key)
            if let addresses = known[content] {
                // One that differs in its addresses alone adds them to the item.
                if addresses == given.addresses { equal.insert(index) }
                if let place = moved[content] { move(index, to: place) }
                continue
            }
            var entry = given
            (entry.itemClass, entry.attributes, entry.place) = ("genp", [], given.title)
            if given.itemClass == "inet", entry.addresses.isEmpty { entry.addresses = given.links }
            let base = Key(entry)
            while case let key = Key(entry), taken[key] != nil || alone.contains(key.hashValue) {
                let number = (counts[base] ?? 0) + 1
                counts[base] = number
                entry.place = "\(given.title) (\(number))"
            }
            taken[Key(entry)] = index
            known[content] = given.addresses
            moved[content] = entry
            entries[index] = entry
        }
        guard !equal.isEmpty else { return }
        repeated = equal.sorted().map { numbers[$0] }
        var (kept, places): (EntryList, [Int]) = ([], [])
        for index in entries.indices where !equal.contains(index) {
            kept.append(entries[index])
            places.append(numbers[index])
        }
        (entries, numbers) = (kept, places)
    }

    private mutating func move(_ index: Int, to other: Entry) {
        let links = entries[index].links
        var entry = entries[index]
        (entry.itemClass, entry.place) = (other.itemClass, other.place)
        (entry.attributes, entry.addresses) = ([], links)
        entries[index] = entry
    }
}

extension String {
    /// Whether it is ASCII without control characters.
    fileprivate var isPlain: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

    fileprivate var withoutBlanks: String {
        let rest = drop(while: \.isWhitespace)
        return String(rest.dropLast(rest.reversed().prefix(while: \.isWhitespace).count))
    }
}
