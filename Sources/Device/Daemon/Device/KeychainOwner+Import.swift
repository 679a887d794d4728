internal import GRDB
package import KSImporting
package import KSKeychain
internal import KSKeychainFiles
internal import KSKeychainRecords
internal import KSOneTimeCodes
internal import KSPersonalItems
internal import KSResolution
internal import KSSealing
internal import KSSyncEngine

// Adds the passwords of other programs' files.

extension KeychainOwner {
    /// Adds some of a plan's items in one transaction.
    ///
    /// A dry run does the same, and then undoes it: so it reports the same.
    package func add(
        _ imported: ArraySlice<ImportedItem>,
        isDryRun: Bool
    ) throws(ItemStoreError) -> ImportCounts {
        try keychain.write { database in
            var counts = ImportCounts()
            try database.inSavepoint {
                for item in imported { try add(item, counting: &counts, in: database) }
                return isDryRun ? .rollback : .commit
            }
            return counts
        }
    }

    /// Adds all passwords of an item or none: the last one may exceed the limit.
    private func add(
        _ item: ImportedItem,
        counting counts: inout ImportCounts,
        in database: Database
    ) throws(ItemStoreError) {
        var next = counts
        do throws(ItemStoreError) {
            try database.undoable { try addAll(item, counting: &next, in: database) }
            counts = next
        } catch .dataTooLarge {
            counts.tooLarge += item.rows
        } catch .duplicateItem {
            counts.taken += item.rows
        }
    }

    private func addAll(
        _ imported: ImportedItem,
        counting counts: inout ImportCounts,
        in database: Database
    ) throws(ItemStoreError) {
        var item = try Item(imported)
        let before = try keychain.syncedItem(item.key, in: database)
        let known = try secrets(of: item.key, before, in: database)
        // The present secret stays current: the export may be older. The file's current one is
        // written last.
        var further = zip(imported.secrets, imported.secretRows).reversed().filter { secret, _ in
            !known.contains(secret)
        }
        switch before {
        case .some where further.isEmpty: counts.unchanged += 1
        case .some(let before) where before.secret != nil: counts.kept += 1
        case .some, .none: counts.added += 1
        }
        if imported.codes.count < imported.oneTimeCodes.count {
            counts.wrongCode += imported.rows.prefix(1)
        }
        if let before {
            var changes = ItemChanges(extras: try before.missing(imported.codes))
            if before.comment.isEmpty, !item.comment.isEmpty {
                changes.attributes[.comment] = .string(item.comment)
            } else if !before.holds(comment: item.comment) {
                counts.otherComment += imported.rows.prefix(1)
            }
            if !changes.attributes.isEmpty || !changes.extras.isEmpty {
                let query = KeychainQuery(exactly: before, access: KeychainFile.access)
                try keychain.update(query, changes, in: database)
            }
        }
        if keys == nil {
            // Only an account keeps histories, so further secrets are left out.
            let added = before?.secret == nil ? further.suffix(1) : []
            counts.leftOut += further.dropLast(added.count).map(\.1).sorted()
            further = Array(added)
        }
        guard !further.isEmpty else { return }
        if let before {
            // An item without a password takes the file's.
            let current = before.secret.map { [$0] } ?? []
            try write(further.map(\.0) + current, to: before, in: database)
        } else {
            item.secret = further[0].0
            let added = try keychain.add(item, access: KeychainFile.access, in: database)
            try write(further.dropFirst().map(\.0), to: added, in: database)
            // The last one written is current.
            item.secret = further[further.count - 1].0
        }
        guard before != nil || further.count > 1 else { return }
        // A history has room for so many passwords; the oldest go first.
        var present = before ?? item
        if present.secret == nil { present.secret = further[further.count - 1].0 }
        let kept = try secrets(of: item.key, present, in: database)
        counts.beyondHistory += further.filter { !kept.contains($0.0) }.map(\.1).sorted()
    }

    /// The secrets that an item has and had, so that importing a file twice changes nothing.
    private func secrets(
        of key: ItemKey,
        _ current: Item?,
        in database: Database
    ) throws(ItemStoreError) -> [[UInt8]] {
        guard let current else { return [] }
        do {
            let history = try keys?.history(of: key, in: database)
            return [current.secret ?? []] + (history?.versions ?? []).map(\.secret)
        } catch {
            throw .decode
        }
    }

    /// Sets one secret after the other, so that all but the last are in the history.
    private func write(
        _ secrets: [[UInt8]],
        to item: Item,
        in database: Database
    ) throws(ItemStoreError) {
        let query = KeychainQuery(exactly: item, access: KeychainFile.access)
        for secret in secrets {
            try keychain.update(query, ItemChanges(secret: secret), in: database)
        }
    }
}

/// How many rows of an import were added, unchanged or refused.
package struct ImportCounts: Equatable, Sendable {
    /// Made, or there already without a password.
    package var added = 0
    /// There already, with the same password.
    package var unchanged = 0
    /// There already, with another password, which stays current; the file's is in the history.
    package var kept = 0
    /// Rows of items that are larger than a record may be.
    package var tooLarge: [Int] = []
    /// Rows with a further password of an item, left out without a history to keep it in.
    package var leftOut: [Int] = []
    /// Rows with a further password for which the history of its item has no room.
    package var beyondHistory: [Int] = []
    /// Rows of items that are there already with another comment, which stays.
    package var otherComment: [Int] = []
    /// Rows with a wrong one-time code, which is kept in the comment.
    package var wrongCode: [Int] = []
    /// Rows with the key of an item that never leaves this device.
    package var taken: [Int] = []

    package init() {}

    package static func += (left: inout ImportCounts, right: ImportCounts) {
        left.added += right.added
        left.unchanged += right.unchanged
        left.kept += right.kept
        left.tooLarge += right.tooLarge
        left.leftOut += right.leftOut
        left.beyondHistory += right.beyondHistory
        left.otherComment += right.otherComment
        left.wrongCode += right.wrongCode
        left.taken += right.taken
    }
}

extension Item {
    /// The item of a row, without a secret.
    ///
    /// The path is empty, else two pages of one site would be two items. An empty comment and an
    /// unknown protocol are left out. A wrong one-time code is a line of the comment.
    package init(_ imported: ImportedItem) throws(ItemStoreError) {
        var attributes: [AttributeName: AttributeValue] = [
            .synchronizable: .boolean(true),
            .accessGroup: .string(KeychainFile.group),
            // As `security` adds web passwords, so that both mean the same item.
            .authenticationType: .string("dflt"),
            .account: .string(imported.account),
            .label: .string(imported.label),
            .path: .string(""),
            .port: .integer(Int64(imported.port)),
            .server: .string(imported.server),
        ]
        attributes[.networkProtocol] = imported.protocolCode.map { .string($0) }
        let others = imported.oneTimeCodes.filter { OneTimeCode.url(of: $0) == nil }
            .map { "one-time code: " + $0 }
        let comment = ([imported.comment] + others).filter { !$0.isEmpty }.joined(separator: "\n")
        if !comment.isEmpty { attributes[.comment] = .string(comment) }
        if !imported.securityDomain.isEmpty {
            attributes[.securityDomain] = .string(imported.securityDomain)
        }
        self.init(.internetPassword, attributes: attributes)
        extras.change(try missing(imported.codes))
    }

    fileprivate var comment: String {
        if case .string(let text) = attributes[.comment] { text } else { "" }
    }

    /// The fields for those of these one-time codes that the item does not have.
    fileprivate func missing(
        _ codes: [String]
    ) throws(ItemStoreError) -> [ValueName: [UInt8]?] {
        let item = PersonalItem(self)
        var edit = ItemEdit()
        for code in codes.map({ Array($0.utf8) })
        where !item.fields.contains(where: { $0.value == code }) {
            var (name, number) = ("one-time code", 1)
            while item.field(name) != nil || edit.fields.contains(where: { $0.field.name == name })
            {
                number += 1
                name = "one-time code \(number)"
            }
            edit.fields.append(.init(ItemField(name: name, kind: .oneTimeCode, value: code)))
        }
        do throws(ItemEditError) {
            return try edit.changes(of: item)
        } catch {
            throw .dataTooLarge
        }
    }

    /// Whether its comment has all of an imported one.
    fileprivate func holds(comment: String) -> Bool {
        guard !comment.isEmpty else { return true }
        let own = self.comment
        return own.utf8.count >= comment.utf8.count && own.contains(comment)
    }
}

extension ImportedItem {
    /// Those of its one-time codes that are some, as items keep them.
    fileprivate var codes: [String] { oneTimeCodes.compactMap(OneTimeCode.url) }
}

extension OneTimeCode {
    /// The address of a code; nil for a wrong one.
    fileprivate static func url(of text: String) -> String? {
        // A wrong code is kept as it is.
        (try? OneTimeCode(text))?.url
    }
}
