package import GRDB
internal import KSCausality
internal import KSRecords
internal import KSSealing
package import KSTransport
internal import KSWire

/// Why a server may not take the place of the present one.
package enum ServerMoveError: Error, Equatable {
    /// It does not know this device as a member of the account.
    case unknownDevice
    /// It has no such account; ``ServerMove/rebuild(_:invitation:)`` makes the account there.
    case noAccount
    /// Its list of devices is another one, not a shorter or longer form of this device's.
    case otherCircle
    /// It has the account, which need not be made again.
    case hasAccount
    /// This device does not have all that belongs to the newest list of devices.
    case incomplete
}

/// A move to another server, another address of the account's server, or other pins.
package struct ServerMove: Sendable {
    private let device: EnrolledDevice
    private let state: SyncState
    private let vector: VersionVector
    private let entries: [SignedEntry]
    /// The circle as a server needs it that lacks some of it; nil if this device does not have all.
    private let circle: CircleReturn?

    private var signer: CircleSigner { .device(device.identity) }

    /// Reads what the other server has to prove, as the database has it now.
    package init(of device: EnrolledDevice, in database: Database) throws {
        self.device = device
        guard let state = try SyncStateTable.load(from: database) else {
            throw SyncEngineError.noAccount
        }
        self.state = state
        vector = try SyncStateTable.vector(from: database)
        entries = try CircleTable.load(from: database)
        circle = try CircleReturn.whole(
            entries,
            values: AccountValueTable(rows: device.keys.rows),
            in: database
        )
    }

    /// How many devices the account has, as this device knows it.
    package var deviceCount: Int { (try? entries.last?.entry().devices.count) ?? 0 }

    /// Asks a server whether it holds this account.
    ///
    /// A server that lacks the newest part of the list of devices gets it.
    ///
    /// - Returns: whether it has all that this device has synced; if not, the next sync puts it
    ///   right, as after a restore of a backup.
    /// - Throws: ``ServerMoveError`` if it does not; ``ServerError`` if it does not answer.
    package func check(_ client: ServerClient) async throws -> Bool {
        let session = try await session(client)
        guard session.account == state.account else { throw ServerMoveError.unknownDevice }
        let shown = try await client.circle(after: 0, token: session.token).message
        guard shown.entries.starts(with: entries) || entries.starts(with: shown.entries) else {
            throw ServerMoveError.otherCircle
        }
        let page = try await page(client, session)
        guard let page, page.cursor.epoch == state.epoch else { return false }
        return page.vector.covers(vector) && shown.entries.count >= entries.count
    }

    /// Makes the account on a server that does not have it, as this device knows it.
    ///
    /// The next sync sends everything.
    ///
    /// - Throws: ``ServerMoveError``; ``ServerError``, such as `name_taken`.
    package func rebuild(_ client: ServerClient, invitation: String) async throws {
        try await checkIsMissing(client)
        guard let circle else { throw ServerMoveError.incomplete }
        _ = try await client.returnCircle(
            circle,
            account: state.account,
            signer: signer,
            rebuilding: device.names.account,
            invitation: invitation
        )
    }

    /// Asks whether a server lacks the account.
    ///
    /// - Throws: ``ServerMoveError/hasAccount`` if it has it.
    package func checkIsMissing(_ client: ServerClient) async throws {
        do {
            _ = try await openSession(client)
        } catch ServerError.refused(.refused, _, _) {
            // Only an answer to this tells an unknown account from an unknown device. What the
            // server lacks of the list of devices it would get at the next sync, too.
            guard let circle else { throw ServerMoveError.incomplete }
            do {
                try await putBack(circle.newest(), client)
            } catch ServerMoveError.noAccount {
                return
            }
        }
        throw ServerMoveError.hasAccount
    }

    private func session(_ client: ServerClient) async throws -> ServerSession {
        do {
            return try await openSession(client)
        } catch ServerError.refused(.refused, _, _) {
            guard let circle else { throw ServerMoveError.incomplete }
            try await putBack(circle.newest(), client)
            return try await openSession(client)
        }
    }

    /// A server whose backup is older than this device gets the entry that added it.
    private func putBack(_ circle: CircleReturn, _ client: ServerClient) async throws {
        do {
            _ = try await client.returnCircle(circle, account: state.account, signer: signer)
        } catch ServerError.refused(.accountUnknown, _, _) {
            throw ServerMoveError.noAccount
        } catch ServerError.refused(let code, _, _) where [.circleChanged, .refused].contains(code)
        {
            throw ServerMoveError.unknownDevice
        }
    }

    private func openSession(_ client: ServerClient) async throws(ServerError) -> ServerSession {
        try await client.openSession(account: state.account.bytes, signer: signer)
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
                signer: signer,
                token: session.token
            ).message
        } catch {
            let codes: [ErrorCode] = [.unknownCursor, .storeRestored, .resyncRequired]
            if codes.contains(where: { error == .refused($0) }) { return nil }
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
    ///
    /// - Throws: ``ServerError/transport(_:)`` if it does not answer.
    package func refusesPins() async throws(ServerError) -> Bool {
        do throws(ServerError) {
            _ = try await challenge()
        } catch {
            if error == .transport(.untrusted(.pinMismatch)) { return true }
            // Any answer shows that the connection has the key.
            if case .transport = error { throw error }
        }
        return false
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
