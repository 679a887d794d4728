internal import KSRedaction
internal import KSSealing
package import SyncEngine
internal import KSCausality
package import GRDB
package import KSKeychain
package import KSRecords
package import KSResolution

/// One item's secrets, as a person looks at them.
package struct RecordHistory: Equatable, Sendable {
    /// A secret that the item has or had.
    package struct Version: Equatable, Sendable {
        /// What the version is to the item now.
        package enum Standing: String, Sendable {
            case current
            /// Set at the same time as the current one, by somebody who had not seen it.
            case conflict
            case superseded
        }

        package let standing: Standing
        package let secret: [UInt8]
        /// When it was set, milliseconds since 1970 by its author's clock; nil while it is unsent.
        package let milliseconds: UInt64?
    }

    /// An attribute's value that is current beside the one shown: set at the same time, by somebody
    /// who had not seen that one.
    package struct AttributeConflict: Equatable, Sendable {
        package let name: AttributeName
        package let value: AttributeValue
        /// When it was set, milliseconds since 1970 by its author's clock; nil while it is unsent.
        package let milliseconds: UInt64?
    }

    package let id: RecordID
    package let item: Item
    /// The current one first, then conflicts and the superseded, each newest first.
    package let versions: [Version]
    /// By the attributes' names, each newest first; they stay until the attribute is set again.
    package let attributeConflicts: [AttributeConflict]
    /// The item lives although a device has deleted what it knew of it.
    package let isDeletedElsewhere: Bool
}

extension Replica {
    /// What is known of an item; nil when there is none.
    package func history(of key: ItemKey) throws -> RecordHistory? {
        try read { try $0.history(of: self.recordID(of: key), in: $1) }
    }

    /// The items whose record ids begin with these bytes: what people name a record by.
    package func histories(beginning prefix: [UInt8]) throws -> [RecordHistory] {
        try read { shelf, database in
            try shelf.records(of: .keychain, beginning: prefix, in: database)
                .compactMap { try shelf.history(of: $0, in: database) }
        }
    }

    /// The items of which more than one secret, or value of an attribute, is current, and which
    /// their user has not looked at since.
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

extension SyncEngine {
    /// Looks at one record, as the user sees it.
    package func record(of key: ItemKey) throws -> RecordHistory? {
        try withReplica { try $0.history(of: key) }
    }

    /// The items whose record ids begin with these bytes, as the user sees them.
    package func records(beginning prefix: [UInt8]) throws -> [RecordHistory] {
        try withReplica { try $0.histories(beginning: prefix) }
    }

    /// The items that are in conflict, and which their user has not looked at since.
    package func conflicts() throws -> [RecordHistory] {
        try withReplica { try $0.conflicts() }
    }

    /// The user has looked at these items: their conflicts count no more.
    ///
    /// All values stay in the items' histories.
    package func markLookedAt(_ looked: [RecordHistory]) throws {
        try withReplica { try $0.markLookedAt(looked.map(\.id)) }
    }
}

extension RecordShelf {
    /// What is known of a record; nil when it is no item that lives.
    package func history(of id: RecordID, in database: Database) throws -> RecordHistory? {
        let view = try load(id, from: database).view
        guard view.isAlive, let item = ItemFields.item(of: view) else { return nil }
        var versions: [RecordHistory.Version] = []
        if let current = view.candidates(for: .secret).last, let secret = current.value {
            versions.append(.init(.current, secret, current.stamp))
        }
        for conflict in view.conflictingSecrets {
            guard let secret = conflict.value else { continue }
            versions.append(.init(.conflict, secret, conflict.stamp))
        }
        for past in view.shownHistory {
            guard let secret = past.value else { continue }
            versions.append(.init(.superseded, secret, past.stamp))
        }
        return RecordHistory(
            id: id,
            item: item,
            versions: versions,
            attributeConflicts: ItemFields.conflicts(of: view).flatMap { name, values in
                values.compactMap { RecordHistory.AttributeConflict(name, $0) }
            },
            isDeletedElsewhere: view.isDeletedElsewhere
        )
    }
}

extension RecordHistory.Version {
    fileprivate init(_ standing: Standing, _ secret: [UInt8], _ stamp: Stamp) {
        self.standing = standing
        self.secret = secret
        milliseconds = stamp.millisecondsWhenSent
    }
}

extension RecordHistory.AttributeConflict {
    /// nil for a kind of value that only a newer program knows.
    fileprivate init?(_ name: AttributeName, _ stamped: StampedValue) {
        guard let encoded = stamped.value else { return nil }
        // What cannot be read is left to the program that wrote it.
        guard let value = try? AttributeValue(decoding: encoded) else { return nil }
        self.name = name
        self.value = value
        milliseconds = stamped.stamp.millisecondsWhenSent
    }
}

extension Stamp {
    /// When its author made it; nil for what is unsent, which has a stand-in above all stamps.
    fileprivate var millisecondsWhenSent: UInt64? {
        time.rawValue >> 63 == 0 ? time.milliseconds : nil
    }
}

extension RecordHistory.AttributeConflict: Redacted {
    package var shownPart: String { name.text }
}

extension RecordHistory.Version: Redacted {
    package var shownPart: String { "\(standing), \(secret.count) bytes" }
}
