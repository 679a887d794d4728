package import KSAgent
internal import KSKeychain
internal import KSKeychainRecords
internal import KSPersonalItems
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
        return await daemon.shown(records, showsSecrets: showsSecrets ?? false)
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

extension GetItemHistory: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownHistory] {
        guard let history = try await daemon.owner.history(ofReference: reference) else {
            return []
        }
        return await daemon.shown([history], showsSecrets: showsSecrets)
    }
}

extension CallHandler {
    /// Histories that a command shows: their conflicts are seen, and their numbers are remembered.
    fileprivate func shown(
        _ histories: [RecordHistory],
        showsSecrets: Bool
    ) async -> [ShownHistory] {
        do {
            let ids = histories.map(\.id)
            try await accounts.engine().withReplica { try $0.markLookedAt(ids) }
        } catch {
            // The history is still shown; the conflict is reported again later.
            logger.warning("a conflict could not be marked as seen")
        }
        await owner.noteShown(histories)
        return histories.map { ShownHistory($0, showsSecrets: showsSecrets) }
    }
}

extension KeychainOwner {
    /// The account's history of an item; nil if there is none.
    func history(ofReference reference: [UInt8]) throws -> RecordHistory? {
        try history(of: item(reference))
    }

    /// The same of an item that was read.
    func history(of item: Item) throws -> RecordHistory? {
        guard item.isSynced else { return nil }
        return try keys.flatMap { keys in
            try files.database.unsafeRead { try keys.history(of: item.key, in: $0) }
        }
    }

    /// Remembers which values the numbers stand for that a command shows now.
    func noteShown(_ histories: [RecordHistory]) {
        for history in histories { shownVersions.note(history) }
    }
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
        // As RecordHistory.earlierValues has them.
        var last: Int64 = 0
        func number() -> Int64 {
            last += 1
            return last
        }
        self.init(
            item: ItemCode(history.id).text,
            class: history.item.itemClass.rawValue,
            attributes: AgentDictionary(history.item.attributes),
            deletedElsewhere: history.isDeletedElsewhere,
            versions: history.versions.map { version in
                ShownVersion(
                    version: version.standing == .current ? nil : number(),
                    standing: version.standing.rawValue,
                    time: version.milliseconds.map(AgentDate.init(milliseconds:)),
                    device: version.device,
                    secret: showsSecrets ? version.secret : nil
                )
            },
            attributeConflicts: history.attributeConflicts.map { conflict in
                ShownConflict(
                    version: number(),
                    attribute: conflict.name.text,
                    value: AgentValue(conflict.value),
                    time: conflict.milliseconds.map(AgentDate.init(milliseconds:)),
                    device: conflict.device
                )
            },
            others: history.otherVersions.map { version in
                ShownOther(version, number: number(), showsHidden: showsSecrets)
            },
            secretName: PersonalItem(history.item).secretName
        )
    }
}

extension ShownOther {
    fileprivate init(
        _ version: RecordHistory.OtherVersion,
        number: Int64,
        showsHidden: Bool
    ) {
        var shown: [UInt8]?
        var fileBytes: Int64?
        var kind = "field"
        switch ItemExtra(version.name) {
        case .field:
            let content = ItemField.Content(decoding: version.value)
            let isShown = content.map { $0.kind.isVisible || showsHidden && $0.kind != .file }
            shown = isShown == true ? content?.bytes : nil
            if let content, content.kind == .file { fileBytes = Int64(content.bytes.count) }
        case .tag: (kind, shown) = ("tag", [])
        case .address: (kind, shown) = ("address", version.value)
        case .mark(ItemMark.favorite.rawValue): (kind, shown) = ("mark", [])
        case .mark: (kind, shown) = ("mark", version.value)
        // A title or a note is an attribute, in the encoding of these.
        case nil:
            kind = "attribute"
            // A value of a newer program is only counted.
            if case .string(let text)? = try? AttributeValue(decoding: version.value) {
                shown = Array(text.utf8)
            }
        }
        self.init(
            version: number,
            kind: kind,
            name: version.name.spoken(secretName: ""),
            standing: version.standing.rawValue,
            time: version.milliseconds.map(AgentDate.init(milliseconds:)),
            device: version.device,
            value: shown,
            fileBytes: fileBytes
        )
    }
}

extension ValueName {
    /// What people call a value.
    func spoken(secretName: String) -> String {
        switch ItemExtra(self) {
        case .field(let name), .tag(let name), .address(let name), .mark(let name): name
        case nil where self == .secret: secretName
        case nil: AttributeName(name).map(\.spoken) ?? name
        }
    }
}
