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
    /// The items that entries may mean: those with their user name, and their site or their title.
    func twins(of wanted: EntryItem..., in database: Database) throws -> [Item] {
        try twins(of: wanted, in: database)
    }

    func twins(of wanted: [EntryItem], in database: Database) throws -> [Item] {
        var found: [Item] = []
        // In bytes, because Unicode equates different texts.
        var asked: Set<[[UInt8]]> = []
        for wanted in wanted {
            let entry = wanted.entry
            let texts = Set(entry.servers).sorted().map { (AttributeName.server, $0) }
            for (name, text) in texts + [(.label, entry.title)] {
                let (key, user) = (Array("\(name.text) \(text)".utf8), Array(entry.userName.utf8))
                guard asked.insert([key, user]).inserted else { continue }
                found += try items(
                    name == .server ? .internetPassword : .genericPassword,
                    [name: .string(text), .account: .string(entry.userName)],
                    like: wanted,
                    in: database
                )
            }
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
        for site in Set(entry.servers) {
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

    /// The one of several twins that an entry means: by its realm, else by its form, its title, its
    /// secret, its own earlier secrets, its addresses, or the item's earlier secrets.
    ///
    /// - Returns: nil if none of these decides.
    func twin(
        of wanted: EntryItem,
        among twins: [Item],
        history: (Item) throws -> [[UInt8]]
    ) throws -> Item? {
        func only(_ isMeant: (Item) throws -> Bool) rethrows -> Item? {
            let found = try twins.filter(isMeant)
            return found.count == 1 ? found[0] : nil
        }
        let entry = wanted.entry
        if let realm = entry.realm, !realm.isEmpty,
            let item = only({ $0.attributes[.securityDomain] == .string(realm) })
        {
            return item
        }
        if let form = entry.form, let item = only({ $0.form == form }) { return item }
        if let item = only(entry.isTitle(of:)) { return item }
        let equal = twins.filter { $0.secret == wanted.item.secret }
        if let first = equal.first { return equal.first(where: entry.isNear) ?? first }
        let own = entry.history.filter { $0.what == "password" }.map(\.value)
        if let item = only({ $0.secret.map(own.contains) == true }) { return item }
        if let item = only(entry.isNear) { return item }
        guard let secret = wanted.item.secret else { return nil }
        return try only { try history($0).contains(secret) }
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

extension EntryItem {
    /// Whether the item at its place has its password, title and form, so that no other one is it.
    func isAlready(_ there: Item) -> Bool {
        there.secret == item.secret && (entry.form == nil || entry.form == there.form)
            && (there.attributes[.label] == .string(entry.title) || entry.title == entry.place)
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

    /// Whether an item has its title and one of its sites, or neither has any.
    ///
    /// A title that is the site has been made from it, and says nothing.
    func isTitle(of item: Item) -> Bool {
        let sites = sites
        guard !title.isEmpty, item.attributes[.label] == .string(title) else { return false }
        let named = WebSite(title)?.server ?? title
        guard !sites.contains(where: { $0.server == named }) else { return false }
        let others = Entry(PersonalItem(item), history: nil).sites
        return sites.isEmpty && others.isEmpty || sites.contains(where: others.contains)
    }

    /// Whether an item has one of its addresses with paths, or neither has any.
    func isNear(_ item: Item) -> Bool {
        let own = Set(links.map(\.text).filter(\.hasPath))
        let others = Set(PersonalItem(item).addresses.map(\.text).filter(\.hasPath))
        return own.isEmpty ? others.isEmpty : !own.isDisjoint(with: others)
    }

    /// The server of an internet password, else those of its addresses.
    fileprivate var servers: [String] {
        let isOfSite = itemClass == ItemClass.internetPassword.rawValue
        return isOfSite ? [place] : sites.map(\.server)
    }

    /// The sites of its addresses.
    fileprivate var sites: [WebSite] { links.compactMap { WebSite($0.text) } }
}

extension String {
    /// Whether a web address has a path behind its site.
    fileprivate var hasPath: Bool {
        guard let start = firstRange(of: "://")?.upperBound else { return contains("/") }
        return self[start...].drop { $0 != "/" }.count > 1
    }
}
