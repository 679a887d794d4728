package import KSAgent
internal import KSKeychain
package import KSMoving
internal import KSPersonalItems
internal import KSRedaction
internal import KSSealing

// Entries of files, from and to the keychain. The command reads and writes the files.

/// Takes entries that have their places in the keychain.
package struct ImportEntries: HandledOnQueue, Codable {
    package typealias Answer = TakenEntries
    package static let name = "entries.import"
    package static let permission = AgentPermission.seesAll

    package var entries: [Entry]
    /// The place in the file of each, from 1.
    package var numbers: [Int64]
    /// `file` or `present`: which stays current where both differ; nil for the newer one.
    package var prefer: String?
    package var dryRun: Bool
    /// Whether an entry without a realm is at none: most files do not say.
    package var namesRealms: Bool

    package init(
        entries: [Entry],
        numbers: [Int64],
        prefer: String? = nil,
        dryRun: Bool = false,
        namesRealms: Bool = false
    ) {
        (self.entries, self.numbers) = (entries, numbers)
        (self.prefer, self.dryRun) = (prefer, dryRun)
        self.namesRealms = namesRealms
    }

    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> TakenEntries {
        try owner.take(self)
    }
}

extension ImportEntries: Redacted {}

/// The result of an import of entries.
package struct TakenEntries: AgentCoded, Codable {
    package var added = 0
    /// There already, with all that the file has.
    package var unchanged = 0
    /// There already; they got what they lacked, or newer values, though others may stay.
    package var changed = 0
    /// There already, with other values, which stay; the file's are in the history.
    package var kept = 0
    package var notes: [EntryNote] = []

    package init() {}

    mutating func count(isKept: Bool, isChanged: Bool) {
        if isChanged { changed += 1 } else if isKept { kept += 1 } else { unchanged += 1 }
    }

    package static func += (left: inout TakenEntries, right: TakenEntries) {
        left.added += right.added
        left.unchanged += right.unchanged
        left.changed += right.changed
        left.kept += right.kept
        left.notes += right.notes
    }
}

/// Reads items with everything, for a file.
package struct ExportItems: HandledOnQueue, Codable {
    package typealias Answer = ExportedItems
    package static let name = "entries.export"
    package static let permission = AgentPermission.seesAll

    /// 20 bytes for each item.
    package var references: [UInt8]

    package init(_ references: [[UInt8]]) { self.references = references.flatMap(\.self) }

    private static let referenceBytes = 20

    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> ExportedItems {
        var exported = ExportedItems()
        for start in stride(from: 0, to: references.count, by: Self.referenceBytes) {
            let end = min(start + Self.referenceBytes, references.count)
            do {
                let item = try owner.item(Array(references[start..<end]))
                guard !item.accessibility.isThisDeviceOnly else {
                    exported.bound.append(PersonalItem(item).title)
                    continue
                }
                let history = try owner.history(of: item)
                exported.entries.append(Entry(PersonalItem(item), history: history))
            } catch ItemStoreError.itemNotFound {
                // It was deleted since it was listed.
                continue
            }
        }
        return exported
    }
}

/// Items with everything.
package struct ExportedItems: AgentCoded, Codable, Redacted {
    package var entries: [Entry] = []
    /// The titles of items that never leave this device.
    package var bound: [String] = []

    package init() {}
}
