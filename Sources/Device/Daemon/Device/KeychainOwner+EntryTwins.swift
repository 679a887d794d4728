internal import GRDB
internal import KSImporting
internal import KSKeychain
internal import KSKeychainFiles
internal import KSMoving
internal import KSPersonalItems

// Which of several items with one title or site and one user name an entry of a file means.
//
// A file gives such entries their places by their order, so without one of them, or in another
// order, an entry gets the place of another one's item.
extension KeychainOwner {
    /// The items that an entry may mean: those with its user name, and its site or its title.
    func twins(of wanted: EntryItem, in database: Database) throws -> [Item] {
        let entry = wanted.entry
        var queries: [(ItemClass, [AttributeName: AttributeValue])] = []
        let sites = entry.itemClass == "inet" ? [entry.place] : entry.sites
        for site in Set(sites) { queries.append((.internetPassword, [.server: .string(site)])) }
        queries.append((.genericPassword, [.label: .string(entry.title)]))
        var found: [Item] = []
        for (itemClass, attributes) in queries {
            var attributes = attributes
            attributes[.account] = .string(entry.userName)
            found += try items(itemClass, attributes, like: wanted, in: database)
        }
        return found
    }

    private func items(
        _ itemClass: ItemClass,
        _ attributes: [AttributeName: AttributeValue],
        like wanted: EntryItem,
        in database: Database
    ) throws -> [Item] {
        let query = KeychainQuery(
            itemClass,
            attributes: attributes,
            synchronizable: wanted.item.isSynchronizable ? .yes : .no,
            access: KeychainFile.access,
            wantsSecret: true,
            wantsExtras: true
        )
        return try keychain.find(query, in: database).items
    }

    /// The one login at a realm of the entry's site that has its user name and password.
    func loginOfRealm(_ wanted: EntryItem, in database: Database) throws -> Item? {
        let entry = wanted.entry
        // A second login of a site in a file has the place of a generic password.
        let isOfSite = entry.itemClass == ItemClass.internetPassword.rawValue
        var found: [Item] = []
        for site in Set(isOfSite ? [entry.place] : entry.sites) {
            found += try items(
                .internetPassword,
                [.server: .string(site), .account: .string(entry.userName)],
                like: wanted,
                in: database
            ).filter { item in
                guard case .string(let realm)? = item.attributes[.securityDomain] else {
                    return false
                }
                return !realm.isEmpty && item.secret == wanted.item.secret
                    && (!isOfSite
                        || [.port, .networkProtocol].allSatisfy { name in
                            item.attributes[name] == wanted.item.attributes[name]
                        })
            }
        }
        return found.count == 1 ? found[0] : nil
    }

    /// The one of several twins that an entry means: by its realm, else by its form, else by its
    /// secret, else by its addresses, else by an earlier secret; nil if that does not decide.
    func twin(
        of wanted: EntryItem,
        among twins: [Item],
        history: (Item) throws -> [[UInt8]]
    ) throws -> Item? {
        guard twins.count != 1 else { return twins[0] }
        let own = wanted.entry.pathAddresses
        func isNear(_ item: Item) -> Bool {
            let others = Set(PersonalItem(item).addresses.map(\.text).filter(\.hasPath))
            return own.isEmpty ? others.isEmpty : !own.isDisjoint(with: others)
        }
        if let realm = wanted.entry.realm, !realm.isEmpty {
            let atRealm = twins.filter { $0.attributes[.securityDomain] == .string(realm) }
            if atRealm.count == 1 { return atRealm[0] }
        }
        if let form = wanted.entry.form {
            let atForm = twins.filter { $0.form == form }
            if atForm.count == 1 { return atForm[0] }
        }
        let equal = twins.filter { $0.secret == wanted.item.secret }
        if let first = equal.first { return equal.first(where: isNear) ?? first }
        let near = twins.filter(isNear)
        if near.count == 1 { return near[0] }
        guard let secret = wanted.item.secret else { return nil }
        let former = try twins.filter { try history($0).contains(secret) }
        return former.count == 1 ? former[0] : nil
    }

    /// The entry as a further item beside its twins.
    func further(
        _ wanted: EntryItem,
        number: Int,
        isFree: (Item) throws -> Bool
    ) throws -> EntryItem {
        var entry = wanted.entry
        entry.addresses = entry.links
        (entry.itemClass, entry.attributes) = (ItemClass.genericPassword.rawValue, [])
        var count = 0
        while true {
            entry.place = count == 0 ? entry.title : "\(entry.title) (\(count))"
            let item = try EntryItem(entry, number: number)
            if try isFree(item.item) { return item }
            count += 1
        }
    }
}

extension Item {
    /// Where its form sends the login; nil if nothing says so.
    var form: String? {
        let field = PersonalItem(self).field(Entry.formField)
        return field.map { String(decoding: $0.value, as: UTF8.self) }
    }
}

extension Entry {
    /// Whether an item can be this login: neither at another realm, nor at another form.
    func mayMean(_ item: Item, namesRealms: Bool) -> Bool {
        if namesRealms {
            let own: AttributeValue = item.attributes[.securityDomain] ?? .string("")
            guard own == .string(realm ?? "") else { return false }
        }
        return form == nil || item.form == nil || form == item.form
    }

    /// The servers of its addresses.
    fileprivate var sites: [String] { addresses.compactMap { WebSite($0.text)?.server } }

    /// The addresses that say more than their site.
    fileprivate var pathAddresses: Set<String> { Set(links.map(\.text).filter(\.hasPath)) }
}

extension String {
    /// Whether a web address has a path behind its site.
    fileprivate var hasPath: Bool {
        guard let start = firstRange(of: "://")?.upperBound else { return contains("/") }
        return self[start...].drop { $0 != "/" }.count > 1
    }
}
