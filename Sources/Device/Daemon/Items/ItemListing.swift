internal import KSAgent
internal import KSBytes
internal import KSKeychain
internal import KSMatching
internal import KSPersonalItems
internal import Synchronization

/// The items of the home's keychain as lists show them, kept between two lists.
///
/// Opening ten thousand rows takes longer than a person likes to wait, so a row is opened again
/// only after it has changed. What is kept holds no secret; it is forgotten when the device locks,
/// and by ``LookUps`` when nobody lists for some time.
package final class ItemListing: Sendable {
    private let contents = Mutex(Contents())

    package init() {}

    package func forget() { contents.withLock { $0 = Contents() } }

    /// How many items are kept.
    package var keptCount: Int { contents.withLock { $0.items.count } }

    /// The items that a call asks for.
    ///
    /// - Throws: ``KeychainError/interactionNotAllowed`` while the device is locked.
    func items(_ wanted: ListItems, from reader: KeychainReader) throws -> ItemList {
        try contents.withLock { contents in
            try contents.refresh(from: reader)
            return contents.items(wanted)
        }
    }

    private struct Contents {
        /// What is kept of an item: a few hundred bytes, since the daemon of a large keychain would
        /// grow by all of it.
        struct Kept {
            let revision: Name
            let listed: ListedItem
            /// Hosts of the addresses beside the place, and the place without its port.
            let hosts: [String]

            var named: NamedItem {
                NamedItem(
                    label: listed.title,
                    sites: ([listed.place] + hosts).filter { !$0.isEmpty },
                    users: listed.userName.isEmpty ? [] : [listed.userName]
                )
            }

            init(_ item: PersonalItem, revision: Name) {
                self.revision = revision
                listed = ListedItem(item)
                hosts =
                    item.addresses.map(\.host) + (item.place == listed.place ? [] : [item.place])
            }
        }

        /// The 16 bytes that name a row or a revision, without an array of their own each.
        struct Name: Hashable {
            private let first: UInt64
            private let second: UInt64

            init(_ bytes: [UInt8]) {
                func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
                    bytes.reduce(0) { $0 << 8 | UInt64($1) }
                }
                precondition(bytes.count == 16)
                (first, second) = (number(bytes[..<8]), number(bytes[8...]))
            }
        }

        private(set) var items: [Kept] = []
        /// The places of rows in ``items`` and in the index.
        private var places: [Name: Int] = [:]
        private var index = MatchIndex([])
        /// The state of the database that the list shows.
        private var version: Int64?

        /// Brings the list up to date.
        mutating func refresh(from reader: KeychainReader) throws {
            let version = try reader.version()
            guard version != self.version else { return }
            var next = Contents()
            var hasChanged = false
            next.index = try MatchIndex { index in
                for itemClass in ItemClass.allCases {
                    try reader.visitVisible(itemClass) { row, revision in
                        let row = Name(row)
                        guard let place = places[row], items[place].revision == Name(revision)
                        else { return false }
                        index.append(place, of: self.index)
                        next.append(items[place], of: row)
                        return true
                    } opened: { row, revision, item in
                        hasChanged = true
                        let item = PersonalItem(item)
                        index.append(item.candidate)
                        next.append(Kept(item, revision: Name(revision)), of: Name(row))
                    }
                }
            }
            self.version = version
            guard hasChanged || next.items.count != items.count else { return }
            next.version = version
            self = next
        }

        private mutating func append(_ item: Kept, of row: Name) {
            places[row] = items.count
            items.append(item)
        }

        /// The items that a name may mean, and whether it is only a part of their names.
        ///
        /// The index, which is quick, leaves few that have to be looked at closely.
        private func meant(_ name: String) -> (places: [Int], isPart: Bool) {
            // The first rule of names decides alone, and needs no search.
            let titled = items.indices.filter { items[$0].listed.title == name }
            guard titled.isEmpty else { return (titled, false) }
            // What `--json` shows of an item names it too, however many are called alike.
            if let reference = [UInt8](hexadecimal: name.utf8), reference.count == 20 {
                let found = items.indices.filter { items[$0].listed.reference == reference }
                guard found.isEmpty else { return (found, false) }
            }
            let found = index.search(name).prefix { $0.kind >= .words }.map(\.candidate)
            let near = found.isEmpty ? Array(items.indices) : found
            let places: [Int] =
                switch NameResolution(name, among: near.map { items[$0].named }) {
                case .none: []
                case .one(let place): [near[place]]
                case .several(let places): places.map { near[$0] }
                }
            let isPart = places.first.map { NameResolution.isPart(name, of: items[$0].named) }
            return (places, isPart ?? false)
        }

        func items(_ wanted: ListItems) -> ItemList {
            var isPart = false
            var places: [Int]
            if let meaning = wanted.meaning {
                (places, isPart) = meant(meaning)
            } else {
                let found = index.search(wanted.words ?? "").filter {
                    items[$0.candidate].listed.isWanted(by: wanted)
                }
                let sure = wanted.leavesOutNear == true ? found.sure : found[...]
                places = sure.map(\.candidate)
            }
            places = places.filter { items[$0].listed.isWanted(by: wanted) }
            let limit = wanted.limit.map { Int(clamping: max(0, $0)) } ?? .max
            return ItemList(places.prefix(limit).map { items[$0].listed }, isPart: isPart)
        }
    }
}

extension PersonalItem {
    var reference: [UInt8] { item.persistentReference ?? [] }

    fileprivate var candidate: MatchCandidate {
        var texts = [
            MatchText(shownPlace, weight: 6), MatchText(userName, weight: 5),
            MatchText("\(userName)@\(shownPlace)", weight: 1),
        ]
        if !realm.isEmpty { texts.append(MatchText(realm, weight: 2)) }
        texts += addresses.map { MatchText($0.text, weight: 4) }
        texts += tags.map { MatchText($0, weight: 4) }
        for field in fields {
            texts.append(MatchText(field.name, weight: 1))
            guard field.kind.isVisible else { continue }
            texts.append(MatchText(String(decoding: field.value, as: UTF8.self), weight: 3))
        }
        texts.append(MatchText(note, weight: 2))
        texts.append(MatchText(type.rawValue, weight: 1))
        return MatchCandidate(title: title, texts: texts.filter { !$0.text.isEmpty })
    }
}

extension PersonalItem.Address {
    /// The host of a web address, else the whole text.
    fileprivate var host: String {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        return String(rest[..<end])
    }
}

extension ListedItem {
    init(_ item: PersonalItem) {
        self.init(
            reference: item.reference,
            type: item.type.rawValue,
            title: item.title,
            userName: item.userName,
            place: item.shownPlace
        )
        if item.item.itemClass == .internetPassword {
            let details = SiteDetails(scheme: item.scheme, path: item.path, realm: item.realm)
            // Ten thousand items share the usual ones.
            site = details == .web ? .web : details
        }
        tags = item.tags
        isFavorite = item.isFavorite
        isSynced = item.item.isSynced
        hasOneTimeCode = item.fields.contains { $0.kind == .oneTimeCode }
        changedSeconds = item.item.modificationSeconds ?? 0
    }

    fileprivate func isWanted(by call: ListItems) -> Bool {
        if let type = call.type, self.type != type { return false }
        if let tag = call.tag, !tags.contains(tag) { return false }
        return !(call.onlyFavorites ?? false) || isFavorite
    }
}
