package import GRDB
internal import KSCausality
internal import KSRecords
internal import KSSealing
package import KSTransport
internal import KSWire

/// Why a server may not take the place of the present one.
package enum ServerMoveError: Error, Equatable {
    /// It does not know this device as a member of the account: it may hold no account at all.
    case unknownDevice
    /// Its list of devices is another one, not a shorter or longer form of this device's.
    case otherCircle
}

/// A move to another address or other pins of the account's server.
package struct ServerMove: Sendable {
    private let device: EnrolledDevice
    private let state: SyncState
    private let vector: VersionVector
    private let entries: [SignedEntry]

    /// Reads what the other server has to prove, as the database has it now.
    package init(of device: EnrolledDevice, in database: Database) throws {
        self.device = device
        guard let state = try SyncStateTable.load(from: database) else {
            throw SyncEngineError.noAccount
        }
        self.state = state
        vector = try SyncStateTable.vector(from: database)
        entries = try CircleTable.load(from: database)
    }

    /// Asks a server whether it holds this account.
    ///
    /// - Returns: whether it has all that this device has synced; if not, the next sync puts it
    ///   right, as after a restore of a backup.
    /// - Throws: ``ServerMoveError`` if it does not; ``ServerError`` if it does not answer.
    package func check(_ client: ServerClient) async throws -> Bool {
        let session = try await session(client)
        guard session.account == state.account else { throw ServerMoveError.unknownDevice }
        let circle = try await client.circle(after: 0, token: session.token).message
        guard circle.entries.starts(with: entries) || entries.starts(with: circle.entries) else {
            throw ServerMoveError.otherCircle
        }
        let shown = try await page(client, session)
        guard let shown, shown.cursor.epoch == state.epoch else { return false }
        return shown.vector.covers(vector) && circle.entries.count >= entries.count
    }

    private func session(_ client: ServerClient) async throws -> ServerSession {
        do {
            return try await client.openSession(
                account: state.account.bytes,
                signer: .device(device.identity)
            )
        } catch ServerError.refused(.refused, _, _) {
            throw ServerMoveError.unknownDevice
        }
    }

    /// The page after this device's newest one; nil if the server does not know that.
    private func page(
        _ client: ServerClient,
        _ session: ServerSession
    ) async throws(ServerError) -> PageAnswer? {
        let answer: SyncAnswer
        do {
            answer = try await client.carry(
                .pull(after: state.cursor),
                account: state.account,
                signer: .device(device.identity),
                token: session.token
            ).message
        } catch {
            if error == .refused(.unknownCursor) || error == .refused(.storeRestored) { return nil }
            throw error
        }
        if case .page(let page) = answer { return page }
        return nil
    }

    /// Saves the server, which has passed the check; sync continues if the other one's list of
    /// devices paused it.
    package func save(_ server: ServerEndpoint, rows: SealedRows, in database: Database) throws {
        try Self.save(server, rows: rows, in: database)
        // Loaded again: sync has continued meanwhile.
        guard var now = try SyncStateTable.load(from: database) else {
            throw SyncEngineError.noAccount
        }
        guard now.hold == .circleForked else { return }
        now.hold = nil
        try SyncStateTable.save(now, in: database)
    }

    /// Saves other pins of the same server.
    package static func save(
        _ server: ServerEndpoint,
        rows: SealedRows,
        in database: Database
    ) throws {
        try AccountValueTable(rows: rows).save(server.encoded, as: .server, in: database)
    }
}

extension ServerClient {
    /// Whether the server answers with a key that has none of the pins.
    package func refusesPins() async -> Bool {
        do throws(ServerError) {
            _ = try await challenge()
            return false
        } catch {
            return error == .transport(.untrusted(.pinMismatch))
        }
    }
}

extension EnrolledDevice {
    /// The same device, which syncs with this server.
    package func using(_ server: ServerEndpoint) -> EnrolledDevice {
        var device = self
        device.server = server
        return device
    }
}
