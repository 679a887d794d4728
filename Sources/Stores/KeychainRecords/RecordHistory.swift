internal import KSRedaction
internal import KSSealing
package import KSSyncEngine
internal import KSCausality
package import GRDB
package import KSKeychain
package import KSRecords
package import KSResolution

/// An item with its present and past secrets and its conflicts, for people.
package struct RecordHistory: Equatable, Sendable {
    /// A secret that the item has or had.
    package struct Version: Equatable, Sendable {
        /// The role of the version in the item now.
        package enum Standing: String, Sendable {
            case current
            /// Concurrent with the current one: its writer had not seen that.
            case conflict
            case superseded
        }

        package let standing: Standing
        package let secret: [UInt8]
        /// When it was set, milliseconds since 1970 by its author's clock; nil while it is unsent.
        package let milliseconds: UInt64?
        /// The device that set it; nil if it is unknown.
        package let device: String?

        package init(
            standing: Standing,
            secret: [UInt8],
            milliseconds: UInt64?,
            device: String? = nil
        ) {
            self.standing = standing
            self.secret = secret
            self.milliseconds = milliseconds
            self.device = device
        }
    }

    /// A current value of an attribute that is not shown, because it was set concurrently with the
    /// one that is.
    package struct AttributeConflict: Equatable, Sendable {
        package let name: AttributeName
        package let value: AttributeValue
        /// When it was set, milliseconds since 1970 by its author's clock; nil while it is unsent.
        package let milliseconds: UInt64?
        /// The device that set it; nil if it is unknown.
        package let device: String?

        package init(
            name: AttributeName,
            value: AttributeValue,
            milliseconds: UInt64?,
            device: String? = nil
        ) {
            self.name = name
            self.value = value
            self.milliseconds = milliseconds
            self.device = device
        }
    }

    /// An earlier or concurrent value of an extra, or an earlier title or note.
    package struct OtherVersion: Equatable, Sendable {
        package let name: ValueName
        package let standing: Version.Standing
        /// The stored value: of a title or note an encoded ``AttributeValue``.
        package let value: [UInt8]
        /// When it was set, milliseconds since 1970 by its author's clock; nil while it is unsent.
        package let milliseconds: UInt64?
        /// The device that set it; nil if it is unknown.
        package let device: String?
    }

    package let id: RecordID
    package let item: Item
    /// The current one first, then conflicts and the superseded, each newest first.
    package let versions: [Version]
    /// By the attributes' names, each newest first; they stay until the attribute is set again.
    package let attributeConflicts: [AttributeConflict]
    /// The concurrent ones first, each newest first.
    package let otherVersions: [OtherVersion]
    /// Whether the item exists although a device deleted the version that it knew.
    package let isDeletedElsewhere: Bool
    /// Whether it has a conflict that no command has shown yet.
    package let hasUnseenConflict: Bool

    package init(
        id: RecordID,
        item: Item,
        versions: [Version],
        attributeConflicts: [AttributeConflict],
        otherVersions: [OtherVersion] = [],
        isDeletedElsewhere: Bool,
        hasUnseenConflict: Bool = false
    ) {
        self.id = id
        self.item = item
        self.versions = versions
        self.attributeConflicts = attributeConflicts
        self.otherVersions = otherVersions
        self.isDeletedElsewhere = isDeletedElsewhere
        self.hasUnseenConflict = hasUnseenConflict
    }
}

extension Replica {
    /// The history of an item; nil if there is none.
    package func history(of key: ItemKey) throws -> RecordHistory? {
        try read { try $0.history(of: self.recordID(of: key), in: $1) }
    }

    /// The items whose record ids begin with these bytes, by which people name a record.
    package func histories(beginning prefix: [UInt8]) throws -> [RecordHistory] {
        try read { shelf, database in
            try shelf.records(of: .keychain, beginning: prefix, in: database)
                .compactMap { try shelf.history(of: $0, in: database) }
        }
    }

    /// The items with an unseen conflict between secrets or between values of an attribute.
    package func conflicts() throws -> [RecordHistory] {
        try read { shelf, database in
            try shelf.mirrors.conflicts(of: .keychain, in: database)
                .compactMap { try shelf.history(of: $0, in: database) }
        }
    }

    /// All that this device has of a record, for tests and tools that look inside.
    package func localRecord(of key: ItemKey) throws -> LocalRecord {
        try read { try $0.load(self.recordID(of: key), from: $1) }
    }

    private func recordID(of key: ItemKey) -> RecordID {
        keys.keyRing.recordID(forCanonicalKey: key.canonicalBytes, kind: .keychain)
    }
}

extension RecordShelf {
    /// The history of a record; nil if it is not a living item.
    package func history(of id: RecordID, in database: Database) throws -> RecordHistory? {
        let view = try load(id, from: database).view
        guard view.isAlive, let item = ItemFields.item(of: view) else { return nil }
        let authors = RecordAuthors(of: view)
        let current = view.candidates(for: .secret).suffix(1)
        return RecordHistory(
            id: id,
            item: item,
            versions: current.compactMap { .init(.current, $0, authors) }
                + view.conflictingSecrets.compactMap { .init(.conflict, $0, authors) }
                + view.shownHistory.compactMap { .init(.superseded, $0, authors) },
            attributeConflicts: ItemFields.conflicts(of: view).flatMap { name, values in
                values.compactMap { RecordHistory.AttributeConflict(name, $0, authors) }
            },
            otherVersions: view.otherVersions(authors),
            isDeletedElsewhere: view.isDeletedElsewhere,
            hasUnseenConflict: try mirrors.hasConflict(id, in: database)
        )
    }
}

extension RecordState {
    fileprivate func otherVersions(_ authors: RecordAuthors) -> [RecordHistory.OtherVersion] {
        let concurrent = ItemFields.extraConflicts(of: self).flatMap { name, values in
            values.compactMap { stamped in
                stamped.value.map { value in
                    RecordHistory.OtherVersion(
                        name,
                        .conflict,
                        value,
                        authors.author(of: name, value, stamped.stamp)
                    )
                }
            }
        }
        let earlier = pastValues.compactMap { past in
            past.name == .secret || past.name.isAboutWrites
                ? nil
                : past.value.map { value in
                    RecordHistory.OtherVersion(
                        past.name,
                        .superseded,
                        value,
                        authors.author(of: past.name, value, past.stamp)
                    )
                }
        }
        return concurrent + earlier
    }
}

extension RecordHistory.OtherVersion {
    fileprivate init(
        _ name: ValueName,
        _ standing: RecordHistory.Version.Standing,
        _ value: [UInt8],
        _ author: Authorship
    ) {
        self.init(
            name: name,
            standing: standing,
            value: value,
            milliseconds: author.milliseconds,
            device: author.device
        )
    }
}

extension RecordHistory.Version {
    /// Nil for a write that removed the secret.
    fileprivate init?(_ standing: Standing, _ stamped: StampedValue, _ authors: RecordAuthors) {
        guard let secret = stamped.value else { return nil }
        let author = authors.author(of: .secret, secret, stamped.stamp)
        self.init(
            standing: standing,
            secret: secret,
            milliseconds: author.milliseconds,
            device: author.device
        )
    }
}

extension RecordHistory.AttributeConflict {
    /// nil for a kind of value that only a newer program knows.
    fileprivate init?(_ name: AttributeName, _ stamped: StampedValue, _ authors: RecordAuthors) {
        guard let encoded = stamped.value else { return nil }
        // Only the program that wrote an unreadable value can read it.
        guard let value = try? AttributeValue(decoding: encoded) else { return nil }
        let author = authors.author(of: .field(name.text), encoded, stamped.stamp)
        self.init(
            name: name,
            value: value,
            milliseconds: author.milliseconds,
            device: author.device
        )
    }
}

extension RecordHistory.AttributeConflict: Redacted {
    package var shownPart: String { name.text }
}

extension RecordHistory.OtherVersion: Redacted {
    package var shownPart: String { "\(standing), \(value.count) bytes" }
}

extension RecordHistory.Version: Redacted {
    package var shownPart: String { "\(standing), \(secret.count) bytes" }
}
