package import KSAgent
internal import KSKeychain
internal import KSKeychainRecords
internal import KSResolution
internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSRecords
internal import KSRedaction
internal import KSSecItem
internal import Logging
internal import KSSyncEngine

/// Shows the current and earlier versions of some items.
package struct GetHistory: HandledCall, Codable {
    package typealias Answer = [ShownHistory]
    package static let name = "item.history"
    package static let permission = AgentPermission.seesAll

    /// The item's code; nil if `place` and `account` name it.
    package var code: String?
    package var place: String?
    package var account: String?
    package var showsSecrets: Bool?

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownHistory] {
        let engine = try await daemon.accounts.engine()
        var records: [RecordHistory] = []
        if let code {
            guard let code = ItemCode(parsing: code) else { throw CommandFailure.malformedCode }
            records = try await engine.withReplica { try $0.histories(beginning: code.bytes) }
            guard records.count < 2 else { throw CommandFailure.ambiguousCode }
        } else {
            guard let place, let account else { throw CommandFailure.malformedCall }
            for item in try await daemon.owner.synchronized(place: place, account: account) {
                let record = try await engine.withReplica { try $0.history(of: item.key) }
                if let record { records.append(record) }
            }
        }
        guard !records.isEmpty else { throw CommandFailure.noSuchItem }
        do {
            let ids = records.map(\.id)
            try await engine.withReplica { try $0.markLookedAt(ids) }
        } catch {
            // The history is still shown; the conflict is reported again later.
            daemon.logger.warning("a conflict could not be marked as seen")
        }
        return records.map { ShownHistory($0, showsSecrets: showsSecrets ?? false) }
    }
}

/// Lists the items and key-value entries that were changed on two devices at once.
package struct GetConflicts: HandledCall, Codable {
    package typealias Answer = [ShownHistory]
    package static let name = "item.conflicts"
    package static let permission = AgentPermission.seesAll

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownHistory] {
        try await daemon.accounts.engine().withReplica { replica in
            try replica.conflicts().map { ShownHistory($0, showsSecrets: false) }
                + replica.conflictingEntries().map(ShownHistory.init)
        }
    }
}

/// The history of an item; of a key-value entry (`kv`), only its store and key.
package struct ShownHistory: AgentCoded, Codable, Redacted {
    package var item: String
    package var `class`: String
    package var attributes: AgentDictionary
    package var deletedElsewhere: Bool
    package var versions: [ShownVersion]
    package var attributeConflicts: [ShownConflict]
    /// Earlier and concurrent values of fields, tags and addresses, and earlier notes.
    package var others: [ShownOther]?
}

/// An earlier or concurrent value of something other than the secret.
package struct ShownOther: Codable, Sendable, Redacted {
    /// What people call it: the field's name, or "note".
    package var name: String
    package var standing: String
    @OrNull
    package var time: AgentDate?
    /// Nil for a hidden value that was not asked for, and for a file.
    package var value: [UInt8]?
}

/// A current or earlier secret of an item.
package struct ShownVersion: AgentCoded, Codable, Redacted {
    package var standing: String
    /// Nil if the version is unsent.
    @OrNull
    package var time: AgentDate?
    package var secret: [UInt8]?
}

/// A conflicting value of an attribute.
package struct ShownConflict: Codable, Sendable, Redacted {
    package var attribute: String
    package var value: AgentValue
    @OrNull
    package var time: AgentDate?
}

extension ShownHistory {
    fileprivate init(_ record: RecordID, _ name: EntryName) {
        self.init(
            item: ItemCode(record).text,
            class: "kv",
            attributes: ["store": .string(name.store.text), "key": .string(name.key)],
            deletedElsewhere: false,
            versions: [],
            attributeConflicts: []
        )
    }

    /// A record's history; with secrets only if the call asks for them.
    fileprivate init(_ history: RecordHistory, showsSecrets: Bool) {
        self.init(
            item: ItemCode(history.id).text,
            class: history.item.itemClass.rawValue,
            attributes: AgentDictionary(history.item.attributes),
            deletedElsewhere: history.isDeletedElsewhere,
            versions: history.versions.map { version in
                ShownVersion(
                    standing: version.standing.rawValue,
                    time: version.milliseconds.map(AgentDate.init(milliseconds:)),
                    secret: showsSecrets ? version.secret : nil
                )
            },
            attributeConflicts: history.attributeConflicts.map { conflict in
                ShownConflict(
                    attribute: conflict.name.text,
                    value: AgentValue(conflict.value),
                    time: conflict.milliseconds.map(AgentDate.init(milliseconds:))
                )
            },
            others: history.otherVersions.map { ShownOther($0, showsHidden: showsSecrets) }
        )
    }
}

extension ShownOther {
    fileprivate init(_ version: RecordHistory.OtherVersion, showsHidden: Bool) {
        var shown: [UInt8]?
        switch ItemExtra(version.name) {
        case .field:
            let content = ItemField.Content(decoding: version.value)
            let isShown = content.map { $0.kind.isVisible || showsHidden && $0.kind != .file }
            shown = isShown == true ? content?.bytes : nil
        case .tag: shown = []
        case .address, .mark: shown = version.value
        // A note is an attribute, in the encoding of these.
        case nil:
            // A value of a newer program is only counted.
            if case .string(let text)? = try? AttributeValue(decoding: version.value) {
                shown = Array(text.utf8)
            }
        }
        self.init(
            name: version.spokenName,
            standing: version.standing.rawValue,
            time: version.milliseconds.map(AgentDate.init(milliseconds:)),
            value: shown
        )
    }
}

extension RecordHistory.OtherVersion {
    /// What people call it.
    var spokenName: String {
        switch ItemExtra(name) {
        case .field(let name), .tag(let name), .address(let name), .mark(let name): name
        case nil: "note"
        }
    }
}
