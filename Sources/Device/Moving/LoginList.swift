/// The logins of a file in which the first line for a site and user name counts.
///
/// A later one with another password is an earlier password of the first.
struct LoginList {
    /// What makes two lines one login.
    private struct Key: Hashable {
        let address: String
        let userName: String
    }

    /// Each earlier password is compared with all others.
    private static let historyMax = 100

    private(set) var entries: EntryList = []
    private var places: [Key: Int] = [:]

    /// - Returns: the number of the login in the file, from 1; nil if it stands there already.
    mutating func add(_ entry: Entry) throws(MovingError) -> Int? {
        let key = Key(
            address: entry.addresses.first?.text ?? entry.title,
            userName: entry.userName
        )
        guard let place = places[key] else {
            places[key] = entries.count
            entries.append(entry)
            return entries.count
        }
        if let secret = entry.secret, secret != entries[place].secret,
            !entries[place].history.contains(where: { $0.value == secret })
        {
            guard entries[place].history.count < Self.historyMax else {
                throw .entryTooLarge(number: place + 1)
            }
            entries[place].history.append(.init(value: secret))
        }
        return nil
    }
}
