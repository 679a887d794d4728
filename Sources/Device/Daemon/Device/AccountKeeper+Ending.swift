internal import KSAgent
internal import KSSealing
internal import KSSyncEngine
internal import KSTransport

extension AccountKeeper {
    /// Deletes the account from its server, and leaves it with all items.
    ///
    /// - Throws: ``CommandFailure``, `AccountSetupError` for a wrong password, `ServerError`; then
    ///   nothing was deleted.
    func deleteAccount(password: [UInt8]) async throws -> LeftAccount {
        try await changingServer { owner, device in
            // What a logout would refuse has to be refused before.
            try await owner.checkMayLeave(keepsItems: true, discardsUnsent: false, after: nil)
            let transport = try CurlTransport(server: device.server)
            defer { transport.close() }
            let client = ServerClient(transport: transport, origin: device.server.origin)
            // Returns the memory of the key derivation to the system, also after an error.
            defer { ProcessProtection.giveMemoryBack() }
            do {
                try await AccountEnd.delete(
                    device,
                    password: password,
                    accountKey: owner.accountKey(),
                    client: client
                )
            } catch ServerError.transport(.outOfReach) {
                throw CommandFailure(code: .deletionOutOfReach)
            }
            return nil
        }
        do {
            return try await leave(keepsItems: true, discardsUnsent: false)
        } catch {
            let why = CommandFailure(error)
            throw CommandFailure(
                code: why.code,
                exit: why.exit,
                sentence: "The account is deleted, but this device has not left it: "
                    + why.sentence + " Then run sync-client logout --keep-items."
            )
        }
    }
}

extension KeychainOwner {
    /// The account's present key.
    nonisolated func accountKey() throws -> AccountKey {
        try EnrolledDevice.accountKey(in: files.database, rows: files.rows)
    }
}
