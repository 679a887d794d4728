internal import GRDB
internal import KSKeychain
internal import KSMoving

/// Which items the entries of one site and user name mean, where a file has several of them.
///
/// An equal password says so before any other entry can take the item: else the first entry would
/// become what another one is.
struct EntryClaims {
    /// The items by the indices of their entries.
    private(set) var items: [Int: Item] = [:]
    private var holders: [ItemKey: Set<Int>] = [:]

    /// Whether an item is no other entry's.
    func isFree(_ item: Item, for index: Int) -> Bool {
        holders[item.key]?.contains(index) != false
    }

    fileprivate func isClaimed(_ item: Item) -> Bool { holders[item.key] != nil }

    fileprivate func holders(of item: Item) -> Set<Int> { holders[item.key] ?? [] }

    /// `isMeant`: false if the item is only kept from the other entries.
    fileprivate mutating func claim(_ item: Item, for index: Int, isMeant: Bool = true) {
        holders[item.key, default: []].insert(index)
        if isMeant { items[index] = item }
    }

    /// All entries: those with an item first, since a realm that it gets frees its place.
    func order(of indices: Range<Int>) -> [Int] {
        indices.filter { items[$0] != nil } + indices.filter { items[$0] == nil }
    }
}

extension KeychainOwner {
    func claims(of call: ImportEntries, in database: Database) throws -> EntryClaims {
        var groups: [[[UInt8]]: [Int]] = [:]
        for (index, entry) in call.entries.enumerated() where entry.hasOwnPlace != true {
            groups[entry.twinKey, default: []].append(index)
        }
        var claims = EntryClaims()
        for group in groups.values where group.count > 1 {
            let wanted = group.compactMap { index -> (Int, EntryItem)? in
                // An entry that cannot become an item is refused when it is taken.
                guard let item = try? EntryItem(call.entries[index], number: index) else {
                    return nil
                }
                return (index, item)
            }
            try claim(wanted, namesRealms: call.namesRealms, &claims, in: database)
        }
        return claims
    }

    private func claim(
        _ wanted: [(index: Int, item: EntryItem)],
        namesRealms: Bool,
        _ claims: inout EntryClaims,
        in database: Database
    ) throws {
        let places = try wanted.map { try present(like: $0.item.item, in: database) }
        // The entries of most files are new, or have their items already.
        let isOpen = zip(wanted, places).contains { wanted, there in
            let isAtRealm = namesRealms && wanted.item.entry.realm?.isEmpty == false
            return there.map { !wanted.item.isAlready($0) } ?? isAtRealm
        }
        guard isOpen else { return }
        let twins = try twins(of: wanted.map(\.item), in: database)
        guard !twins.isEmpty else { return }
        for (index, wanted) in wanted.filter({ isAlone($0.item, among: wanted.map(\.item)) }) {
            let found = twins.filter { item in
                wanted.entry.mayMean(item, namesRealms: namesRealms)
                    && wanted.entry.isTitle(of: item)
            }
            if found.count == 1 { claims.claim(found[0], for: index) }
        }
        for ((index, entry), there) in zip(wanted, places) where claims.items[index] == nil {
            // Several entries that differ in their addresses alone have one place.
            guard let there, there.secret == entry.item.secret,
                entry.entry.mayMean(there, namesRealms: namesRealms)
            else { continue }
            let holders = claims.holders(of: there)
            if wanted.allSatisfy({ !holders.contains($0.index) || $0.item.item.key == there.key }) {
                claims.claim(there, for: index)
            }
        }
        for (index, wanted) in wanted
        where claims.items[index] == nil && wanted.item.secret != nil {
            let equal = twins.filter { item in
                item.secret == wanted.item.secret && !claims.isClaimed(item)
            }
            let meant = equal.filter { wanted.entry.mayMean($0, namesRealms: namesRealms) }
            if let item = meant.first(where: wanted.entry.isNear) ?? meant.first {
                claims.claim(item, for: index)
            } else if let item = equal.first(where: wanted.entry.mayBeWithoutRealm) {
                try claimWithoutRealm(item, wanted, index, &claims, in: database)
            }
        }
    }

    /// Whether no other entry has its title.
    private func isAlone(_ wanted: EntryItem, among others: [EntryItem]) -> Bool {
        others.count { $0.entry.title == wanted.entry.title } == 1
    }

    /// Claims an item that lacks the entry's realm.
    ///
    /// The item gets it if it has no earlier values, since these stay behind at another realm.
    private func claimWithoutRealm(
        _ item: Item,
        _ wanted: EntryItem,
        _ index: Int,
        _ claims: inout EntryClaims,
        in database: Database
    ) throws {
        guard try present(like: wanted.item, in: database) == nil else { return }
        let hasHistory = try known(of: item, in: database).values.contains { $0.count > 1 }
        let isMeant = !hasHistory && wanted.entry.history.isEmpty
        claims.claim(item, for: index, isMeant: isMeant)
    }
}

extension Entry {
    /// Whether an item can be this login at a realm, which another program has left out.
    fileprivate func mayBeWithoutRealm(_ item: Item) -> Bool {
        guard itemClass == ItemClass.internetPassword.rawValue, realm?.isEmpty == false,
            item.itemClass == .internetPassword, item.form == nil
        else { return false }
        return (item.attributes[.securityDomain] ?? .string("")) == .string("")
            && [.port, .networkProtocol].allSatisfy { name in
                item.attributes[name] == attributes.first { $0.name == name.text }?.named?.value
            }
    }
}
