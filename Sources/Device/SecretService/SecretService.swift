package import KSMoving

/// What a running Secret Service keeps, such as gnome-keyring or KWallet.
///
/// Source: "Secret Service API Draft 0.2" of freedesktop.org. Nothing is unlocked, and nothing is
/// changed.
package struct SecretService: ~Copyable {
    private let bus: Bus
    /// The session in which secrets come as they are: they do not leave this machine.
    private let session: String

    private static let name = "org.freedesktop.secrets"
    private static let root = "/org/freedesktop/secrets"
    private static let service = "org.freedesktop.Secret.Service"
    private static let collection = "org.freedesktop.Secret.Collection"
    private static let item = "org.freedesktop.Secret.Item"
    private static let properties = "org.freedesktop.DBus.Properties"
    /// Secrets of one answer.
    private static let batch = 100

    package init() throws(SecretServiceError) {
        let bus = try Bus()
        let answer = try bus.call(
            Self.name,
            Self.root,
            Self.service,
            "OpenSession",
            [.text("plain"), .variant("")]
        )
        guard let path = answer.last?.text else { throw .failed(method: "OpenSession") }
        self.bus = bus
        session = path
    }

    /// Reads all collections; a locked one is named and left as it is.
    ///
    /// `report`: called with how many items are read, of all.
    package func read(
        report: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SecretServiceError) -> ReadEntries {
        var entries = SecretServiceEntries()
        let paths =
            try bus.call(
                Self.name,
                Self.root,
                Self.properties,
                "Get",
                [.text(Self.service), .text("Collections")]
            ).first?.texts ?? []
        var collections: [(label: String, items: [String])] = []
        for path in paths.sorted() {
            let values = try all(path, Self.collection)
            let label = values["Label"]?.text ?? ""
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            if values["Locked"]?.bool == true {
                entries.leaveOut(collection: label.isEmpty ? name : label)
            } else {
                // What programs use without asking needs no tag.
                let isUsual = ["login", "session"].contains(name)
                collections.append((isUsual ? "" : label, values["Items"]?.texts.sorted() ?? []))
            }
        }
        let total = collections.reduce(0) { $0 + $1.items.count }
        var done = 0
        for collection in collections {
            for start in stride(from: 0, to: collection.items.count, by: Self.batch) {
                report(done, total)
                let part = Array(collection.items[start...].prefix(Self.batch))
                try read(part, of: collection.label, into: &entries)
                done += part.count
            }
        }
        return entries.result
    }

    private func read(
        _ paths: [String],
        of collection: String,
        into entries: inout SecretServiceEntries
    ) throws(SecretServiceError) {
        let answer = try bus.call(
            Self.name,
            Self.root,
            Self.service,
            "GetSecrets",
            [.paths(paths), .path(session)]
        )
        let secrets = answer.first
        for path in paths {
            let values = try all(path, Self.item)
            var item = SecretServiceEntries.Item()
            item.label = values["Label"]?.text ?? ""
            item.collection = collection
            for pair in values["Attributes"]?.list ?? [] {
                guard let key = pair.list?.first?.text, let value = pair.list?.last?.text else {
                    continue
                }
                item.attributes[key] = value
            }
            item.created = values["Created"]?.number
            item.modified = values["Modified"]?.number
            item.isLocked = values["Locked"]?.bool ?? false
            // Session, parameters, secret and its content type.
            if let parts = secrets?[path]?.list, parts.count == 4 { item.secret = parts[2].bytes }
            entries.add(item)
        }
    }

    /// All properties of an object.
    private func all(
        _ path: String,
        _ interface: String
    ) throws(SecretServiceError) -> BusValue {
        try bus.call(Self.name, path, Self.properties, "GetAll", [.text(interface)]).first
            ?? .list([])
    }
}
