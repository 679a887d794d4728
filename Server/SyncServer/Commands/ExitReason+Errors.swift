internal import KSDigests
internal import KSFiles
internal import Foundation
package import KSMerging
internal import KSWire

extension ExitReason {
    package init(_ error: StoreError) {
        switch error {
        case .storageFailed where error.isDiskFull:
            self.init(.disk, "The disk is full, so the store cannot be written: free some space.")
        case .storageFailed(let code):
            self.init(
                .disk,
                "The store cannot be read or written (SQLite code \(code)): check the disk."
            )
        case .fileExists: self.init(.refused, "That file exists already: name another one.")
        case .notAStore: self.init(.refused, "That file is not a backup of a sync-server.")
        case .damaged: self.init(.disk, "The store is damaged: restore a backup.")
        case .restoreUnfinished:
            self.init(
                .failure,
                "There is no store, but store.sqlite.restoring of a restore that was cut off:"
                    + " repeat sync-server restore, or remove that file to begin an empty store."
            )
        case .copyUnfinished:
            self.init(
                .failure,
                "A copy into this store has begun and not ended: repeat sync-server copy, which"
                    + " starts it again."
            )
        case .inUse:
            self.init(
                .refused,
                "Another sync-server uses the database, or did so half a minute ago: stop all"
                    + " servers, and let a copy end."
            )
        case .notEmpty:
            self.init(
                .refused,
                "There is a store already: name an empty data directory or database."
            )
        case .olderVersion:
            self.init(
                .refused,
                "The store was written by an older sync-server: run sync-server migrate for a"
                    + " database, or start the server once."
            )
        case .newerVersion:
            self.init(.refused, "The store was written by a newer sync-server; update this one.")
        case .migrationUnfinished:
            self.init(
                .refused,
                "The database has a part of the tables only, as after a restore that was cut off:"
                    + " restore it again, or name an empty database or schema."
            )
        case .database(let trouble): self.init(trouble)
        default: self.init(.failure, "The store refused: \(error.code.rawValue).")
        }
    }
}

extension ExitReason {
    private init(_ trouble: DatabaseTrouble) {
        switch trouble {
        case .away:
            self.init(
                .unavailable,
                "The database cannot be reached: check its URI, and whether PostgreSQL runs and"
                    + " accepts this user."
            )
        case .failingOver, .busy:
            self.init(
                .unavailable,
                "The database is starting, stopping or too busy: try again in a moment."
            )
        case .full:
            self.init(.disk, "The database's disk is full: free some space there.")
        case .readOnly:
            self.init(
                .unavailable,
                "The database is a copy that accepts no writes: name the primary."
            )
        case .failed(let state):
            self.init(
                .disk,
                "The database refused a statement (SQLSTATE \(state)): its log has the reason."
            )
        }
    }
}

extension StoreError {
    /// Whether SQLite or the system says that no space is left.
    fileprivate var isDiskFull: Bool {
        guard case .storageFailed(let code) = self else { return false }
        // SQLITE_FULL with its extended codes; the system's numbers are negative.
        return code > 0 ? code & 0xFF == 13 : FileError.system(errno: -code).isDiskFull
    }
}

extension FileError {
    fileprivate var isDiskFull: Bool { [ENOSPC, EDQUOT].contains(number) }
}

extension DataDirectory {
    /// Why the directory cannot be written.
    func cannotBeWritten(_ error: FileError) -> ExitReason {
        ExitReason(
            .disk,
            error.isDiskFull
                ? "The disk is full, so the data directory \(path) cannot be written: free some"
                    + " space."
                : "The data directory \(path) cannot be written: check its permissions."
        )
    }

    /// The file of the secret cannot be read, or holds something else.
    package var hasUnreadableSecret: ExitReason {
        ExitReason(
            .disk,
            "\(secretPath) cannot be read or holds no token secret: make another one with"
                + " sync-server renew-secret; every device then opens a new session."
        )
    }

    /// The file at the store's path is not a store.
    var isNoStore: ExitReason {
        ExitReason(
            .disk,
            "\(storePath) is not the store of a sync-server: restore a backup, or move it away."
        )
    }

    /// The path of the existing store.
    func existingStorePath() throws(ExitReason) -> String {
        guard FileManager.default.fileExists(atPath: storePath) else {
            throw ExitReason(.disk, "There is no store in \(path).")
        }
        return storePath
    }
}

extension ExitReason {
    /// Why a backup could not be written, when the store could be opened.
    init(_ error: StoreError, backupTo file: String) {
        switch error {
        case .notFound:
            self.init(.disk, "There is no directory for \(file): make it, or name another file.")
        case .fileExists: self.init(.refused, "The file \(file) exists already: name another one.")
        case .storageFailed where error.isDiskFull:
            self.init(.disk, "The disk is full, so \(file) cannot be written: free some space.")
        case .storageFailed(let code):
            self.init(
                .disk,
                "The backup cannot be written to \(file) (code \(code)): check the free space and"
                    + " the permissions there, and the store's disk."
            )
        default: self.init(error)
        }
    }
}

extension ListenAddress {
    /// Why the server cannot listen here.
    package func sentence(errno code: Int32) -> String {
        switch code {
        case EADDRINUSE: "Port \(port) is in use; stop what listens there or give another --listen."
        case EACCES: "This user may not listen on \(text); ports below 1024 need a privilege."
        case EADDRNOTAVAIL: "\(host) is not an address of this machine."
        default: "The server cannot listen on \(text) (error \(code))."
        }
    }
}
