package import KSDigests
package import GRDB
package import KSRecords
package import KSSealing
package import KSTransport

/// A device that has joined an account, read back from its database.
///
/// It has only what stays the same until the device leaves or its server moves, and the key ring,
/// which all share. The
/// circle grows: ``CircleChain/load(from:)`` reads it for each replica again.
package struct EnrolledDevice: Sendable {
    package let names: EnrolledNames
    package internal(set) var server: ServerEndpoint
    package let identity: DeviceIdentity
    package let state: SyncState
    package let keys: ReplicaKeys
    /// Raised when there is something new to send; ``SyncEngine`` waits for it.
    package let news = Signal()

    /// Reads the device; nil if it has no account.
    ///
    /// - Throws: ``SyncEngineError/corruptDatabase`` if parts are missing, ``SealingError`` if
    ///   they do not open, ``CircleError`` if the chain in the database is invalid.
    package static func load(
        from database: any DatabaseWriter,
        rows: SealedRows,
        random: any RandomSource
    ) throws -> EnrolledDevice? {
        try database.unsafeRead { database in
            guard let state = try SyncStateTable.load(from: database) else { return nil }
            let values = AccountValueTable(rows: rows)
            func value(_ name: AccountValueTable.Name) throws -> [UInt8] {
                try values.load(name, from: database).orCorrupt()
            }
            let identity = try DeviceIdentity(decoding: value(.deviceIdentity))
            _ = try CircleChain.load(from: database)
            return EnrolledDevice(
                names: try EnrolledNames(decoding: value(.names)),
                server: try ServerEndpoint(decoding: value(.server)),
                identity: identity,
                state: state,
                keys: ReplicaKeys(
                    keyRing: try KeyRing(decoding: value(.keyRing)),
                    account: state.account,
                    identity: identity,
                    rows: rows,
                    random: random
                )
            )
        }
    }
}

extension CircleChain {
    /// Reads the circle as far as this device has checked it, and checks it again.
    ///
    /// - Throws: ``CircleError`` if it is invalid.
    package static func load(from database: Database) throws -> CircleChain {
        try CircleChain(verifying: CircleTable.load(from: database))
    }
}
