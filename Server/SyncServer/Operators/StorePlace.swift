internal import ArgumentParser
internal import Foundation
internal import KSDigests
internal import KSFiles
internal import KSMerging
internal import KSPostgreSQLStore
internal import KSRecords
internal import KSStore

/// Where a store is, as one argument.
enum StorePlace: ExpressibleByArgument {
    case directory(DataDirectory)
    /// A URI.
    case database(String)

    init?(argument: String) {
        guard argument.contains("://") else {
            self = .directory(DataDirectory(path: argument))
            return
        }
        guard PlaceOptions.isDatabase(argument) else { return nil }
        self = .database(argument)
    }

    /// The certificate and the keys that are in the directory.
    var certificateFiles: [String] {
        guard case .directory(let directory) = self else { return [] }
        return [directory.certificatePath, directory.keyPath, directory.nextKeyPath]
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// Opens the store that is copied; no server writes to it as long as the result exists.
    func opened() throws -> any StoredRows {
        switch self {
        case .directory(let directory):
            try directory.checkOwner(isForSuperuser: false)
            let existing = try DataOptions.existing(directory.path)
            let lock = try DataDirectoryLock(existing)
            let path = try existing.existingStorePath()
            // What is wrong with the secret is reported before anything is copied.
            _ = try ServerSecret.key(in: existing)
            do throws(StoreError) {
                let file = try SQLiteStore(
                    reading: path,
                    random: SystemRandomSource(),
                    clockSeconds: { 0 }
                )
                return DirectoryRows(file, in: existing, lock: lock)
            } catch {
                throw error == .notAStore ? existing.isNoStore : ExitReason(error)
            }
        case .database(let address): return try PostgreSQLCopy(reading: address)
        }
    }

    /// Begins the store that gets a copy of this source.
    func begun(from source: any StoredRows) throws -> any CopyTarget {
        switch self {
        case .directory(let directory):
            try directory.checkOwner(isForSuperuser: false)
            // Also if it is the source's, which is locked.
            guard !FileManager.default.fileExists(atPath: directory.storePath) else {
                throw StoreError.notEmpty
            }
            try directory.createForCopy()
            let lock = try DataDirectoryLock(directory)
            let before = Set(directory.names)
            do {
                let file = try SQLiteStore.beginCopy(
                    to: directory.storePath,
                    random: SystemRandomSource()
                )
                return DirectoryRows(file, in: directory, before: before, lock: lock)
            } catch {
                directory.removeFiles(except: before)
                throw error
            }
        case .database(let address):
            return try PostgreSQLCopy(
                filling: address,
                from: source as? PostgreSQLCopy,
                random: SystemRandomSource()
            )
        }
    }
}

/// A data directory as the source or the target of a copy: its store, and the files beside it.
private struct DirectoryRows: CopyTarget {
    private let file: SQLiteStore
    private let directory: DataDirectory
    /// The names of the files that the directory had before the copy.
    private let before: Set<String>
    private let lock: DataDirectoryLock

    init(
        _ file: SQLiteStore,
        in directory: DataDirectory,
        before: Set<String> = [],
        lock: DataDirectoryLock
    ) {
        (self.file, self.directory, self.before, self.lock) = (file, directory, before, lock)
    }

    func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures {
        try file.figures(quotaBytes: quotaBytes)
    }

    func accounts(after id: AccountID?, countMax: Int) throws(StoreError) -> [AccountID] {
        try file.accounts(after: id, countMax: countMax)
    }

    func rows(
        of table: StoredTable,
        in account: AccountID,
        after last: StoredRow?
    ) throws(StoreError) -> [StoredRow] {
        try file.rows(of: table, in: account, after: last)
    }

    func add(
        _ rows: [StoredRow],
        to table: StoredTable,
        of account: AccountID
    ) throws(StoreError) {
        try file.add(rows, to: table, of: account)
    }

    func sharedRows() throws(StoreError) -> SharedRows {
        var rows = try file.sharedRows()
        try converting {
            rows.secret = try ServerSecret.key(in: directory)
            rows.invitations = Set(try invitations.codeHashes())
        }
        return rows
    }

    func setSharedRows(_ rows: SharedRows) throws(StoreError) {
        try file.setSharedRows(rows)
        try converting {
            if let secret = rows.secret {
                try ReplacementFile.write(secret, to: directory.secretPath)
            }
            for hash in rows.invitations { try invitations.add(codeHash: hash) }
        }
    }

    func finish() throws(StoreError) { try file.finish() }

    func giveUp() {
        file.giveUp()
        directory.removeFiles(except: before)
    }

    private var invitations: Invitations { Invitations(directory: directory.invitationsPath) }

    private func converting(_ body: () throws -> Void) throws(StoreError) {
        do {
            try body()
        } catch let error as FileError {
            throw .storageFailed(code: -error.number)
        } catch {
            throw .damaged
        }
    }
}

extension DataDirectory {
    /// Removes what a copy that failed has made, so that the disk has its room again.
    fileprivate func removeFiles(except before: Set<String>) {
        for name in names where !before.contains(name) {
            // What stays does no harm: the next copy replaces it.
            try? FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }
}
