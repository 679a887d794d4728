/// A passkey, which is kept whole though nothing signs with it here.
enum Passkey {
    /// Its members as fields: texts under names of their own, all else as hidden JSON.
    static func parts(
        _ tree: JSONTree,
        besides others: Set<String>
    ) -> (userName: String, fields: [Entry.Field]) {
        var fields: [Entry.Field] = []
        var userName = ""
        for member in tree.members ?? [] where !others.contains(member.name) {
            let described = CXF.passkey.first { $0.name == member.name }
            if member.name == "username", let text = member.value.string {
                userName = text
            } else if let described, case .text(let text) = member.value {
                // A writer gives an empty text back by itself.
                guard !text.isEmpty else { continue }
                fields.append(.init(described.field, described.kind, text: text))
            } else {
                fields.append(
                    .init(
                        CXF.passkeyPrefix + member.name,
                        "secret",
                        text: JSONWriter.Value(member.value).text
                    )
                )
            }
        }
        return (userName, fields)
    }

    /// An entry of its own for a passkey of a login.
    static func entry(
        beside login: Entry,
        _ userName: String,
        _ fields: [Entry.Field]
    ) -> Entry {
        var passkey = Entry()
        passkey.type = "passkey"
        (passkey.title, passkey.userName, passkey.fields) = (login.title, userName, fields)
        (passkey.tags, passkey.addresses) = (login.tags, login.addresses)
        (passkey.created, passkey.changed) = (login.created, login.changed)
        passkey.isFavorite = login.isFavorite
        return passkey
    }
}
