/// Makes entries of the items of a Secret Service.
///
/// Attributes of the schemas that are known become addresses, user names and services; all others
/// become fields.
package struct SecretServiceEntries {
    package static let formatName = "secret-service"

    /// An item as the service shows it.
    package struct Item: Sendable {
        package var label = ""
        package var attributes: [String: String] = [:]
        /// Nil if the service does not give it.
        package var secret: [UInt8]?
        /// Seconds since 1970.
        package var created: UInt64?
        package var modified: UInt64?
        package var isLocked = false
        /// The label of its collection; empty for the usual one.
        package var collection = ""

        package init() {}
    }

    private var read = ReadEntries(format: formatName)
    private var notes = NoteList()

    private static let schema = "xdg:schema"
    /// Names of attributes that gnome-keyring hides while a collection is locked.
    private static let hidden = "gkr:compat:hashed:"
    /// Schemas that say nothing about an item.
    private static let plainSchemas: Set = ["org.freedesktop.Secret.Generic", ""]
    private static let userNames = ["username", "user", "account", "login"]

    package init() {}

    package var result: ReadEntries {
        var result = read
        result.notes = notes.notes
        return result
    }

    /// Names a collection whose items are not shown.
    package mutating func leaveOut(collection: String) {
        read.count += 1
        notes.begin(read.count, collection)
        notes.add(.row, "", "this collection is locked; unlock it, and import again")
    }

    package mutating func add(_ item: Item) {
        read.count += 1
        notes.begin(read.count, item.label)
        let isHidden = item.attributes.keys.contains { $0.hasPrefix(Self.hidden) }
        guard !item.isLocked, !isHidden, let secret = item.secret else {
            return notes.add(.row, "", "it is locked; unlock its collection, and import again")
        }
        var entry = Entry()
        entry.title = item.label
        entry.secret = secret
        entry.created = Self.milliseconds(item.created)
        entry.changed = Self.milliseconds(item.modified)
        if !item.collection.isEmpty { entry.tags = [item.collection] }
        var attributes = item.attributes
        let schema = attributes.removeValue(forKey: Self.schema) ?? ""
        place(&entry, schema, &attributes)
        if !Self.plainSchemas.contains(schema), entry.type != "login" || entry.addresses.isEmpty {
            entry.fields.append(.init("schema", text: schema))
        }
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            entry.fields.append(.init(name, text: value))
        }
        if entry.title.isEmpty { entry.title = entry.userName.isEmpty ? schema : entry.userName }
        if entry.title.isEmpty { entry.title = "item \(read.count)" }
        notes.rename(entry.title)
        read.append(entry, number: read.count)
    }

    private static func milliseconds(_ seconds: UInt64?) -> Int64? {
        guard let seconds, seconds > 0, seconds < 1 << 40 else { return nil }
        return Int64(seconds) * 1000
    }

    /// Takes the attributes out that say where the item belongs.
    private func place(
        _ entry: inout Entry,
        _ schema: String,
        _ attributes: inout [String: String]
    ) {
        if let address = Self.networkAddress(schema, &attributes) {
            entry.addresses = [.init(address)]
            entry.userName = attributes.removeValue(forKey: "user") ?? ""
            // Git's helper makes the label of the address.
            if entry.title.hasPrefix("Git: ") { entry.title = String(entry.title.dropFirst(5)) }
        } else if let origin = attributes.removeValue(forKey: "origin_url") {
            // Chromium's logins, as it once kept them.
            entry.addresses = [.init(origin)]
            entry.userName = attributes.removeValue(forKey: "username_value") ?? ""
        } else if schema == "io.docker.Credentials" || attributes["docker_cli"] != nil,
            let server = attributes.removeValue(forKey: "server")
        {
            entry.addresses = [.init(server)]
            entry.userName = attributes.removeValue(forKey: "username") ?? ""
            for name in ["docker_cli", "label"] { attributes.removeValue(forKey: name) }
        } else if attributes["setting-name"] == "802-11-wireless-security" {
            entry.type = "wifi"
            // NetworkManager's label is "Network secret for NAME/SETTING/KEY".
            let start = "Network secret for "
            if entry.title.hasPrefix(start),
                let name = entry.title.dropFirst(start.count).split(separator: "/").first
            {
                entry.title = String(name)
                entry.fields.append(.init("network", text: String(name)))
            }
        } else {
            entry.type = "password"
            if let service = attributes.removeValue(forKey: "service"), !service.isEmpty {
                // Programs find it by its service, and people know the label.
                if !entry.title.isEmpty, entry.title != service {
                    entry.fields.append(.init("label", text: entry.title))
                }
                entry.title = service
            }
            for name in Self.userNames where entry.userName.isEmpty {
                entry.userName = attributes.removeValue(forKey: name) ?? ""
            }
        }
    }

    /// The address of GNOME's passwords of servers, and of git's.
    private static func networkAddress(
        _ schema: String,
        _ attributes: inout [String: String]
    ) -> String? {
        guard
            ["org.gnome.keyring.NetworkPassword", "org.git.Password"].contains(schema),
            let server = attributes.removeValue(forKey: "server"), !server.isEmpty
        else { return nil }
        let scheme = attributes.removeValue(forKey: "protocol") ?? ""
        let port = attributes.removeValue(forKey: "port") ?? ""
        let path = attributes.removeValue(forKey: "object") ?? ""
        var address = (scheme.isEmpty ? "" : scheme + "://") + server
        if !port.isEmpty, port != "0" { address += ":" + port }
        if !path.isEmpty { address += (path.hasPrefix("/") ? "" : "/") + path }
        return address
    }
}
