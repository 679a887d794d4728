package import GRDB
package import KSPrimitives
internal import KSRecords
package import KSSealing
internal import KSWire

/// Deletes an account from its server, for all devices.
///
/// A device and the account's password have to agree, so that neither a thief of the device nor one
/// of the password can do it.
package enum AccountEnd {
    /// Asks the server to delete the account; the device keeps all that it has.
    ///
    /// - Parameters:
    ///   - device: a device of the account.
    ///   - password: the account's, in UTF-8.
    ///   - accountKey: the account's.
    ///   - client: its server.
    ///   - cost: other than the default only in tests.
    /// - Throws: ``AccountSetupError/credentialsRefused`` for a wrong password, ``ServerError``.
    package static func delete(
        _ device: EnrolledDevice,
        password: [UInt8],
        accountKey: AccountKey,
        client: ServerClient,
        cost: ScryptCost = .k1
    ) async throws {
        let credentials = try AccountCredentials.derive(
            password: password,
            accountKey: accountKey,
            cost: cost
        )
        do {
            try await client.deleteAccount(
                device.state.account,
                device: CircleSigner.device(device.identity),
                second: CircleSigner.credentials(credentials)
            )
        } catch ServerError.refused(.refused, _, _) {
            throw AccountSetupError.credentialsRefused
        }
    }
}

extension EnrolledDevice {
    /// The Account Key, which the circle has if the credentials were replaced; else the device
    /// keeps the one with which it joined.
    ///
    /// - Throws: ``SyncEngineError/corruptDatabase`` if it is missing, ``SealingError`` if it does
    ///   not open.
    package static func accountKey(
        in database: any DatabaseReader,
        rows: SealedRows
    ) throws -> AccountKey {
        try database.unsafeRead { database in
            let values = AccountValueTable(rows: rows)
            let ring = try KeyRing(decoding: values.load(.keyRing, from: database).orCorrupt())
            let circle = try CircleChain.load(from: database).newest
            if let newer = try AccountKey(of: circle, keyRing: ring) { return newer }
            let text = try values.load(.accountKey, from: database)
            return try AccountKey(bytes: text.orCorrupt()).orCorrupt()
        }
    }
}
