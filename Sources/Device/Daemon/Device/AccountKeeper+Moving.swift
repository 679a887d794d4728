internal import KSSyncEngine
internal import KSTransport
internal import KSWire

extension AccountKeeper {
    /// The account's server.
    func server() async throws(CommandFailure) -> ServerEndpoint {
        _ = try await engine()
        guard let running else { throw .isMoving }
        return running.device.server
    }

    /// Switches to this server if it proves to hold the account.
    ///
    /// If not, nothing changes. The present server is not asked: it may be gone.
    ///
    /// - Returns: whether the server has all that this device has synced.
    func move(to server: ServerEndpoint) async throws -> Bool {
        var isComplete = true
        try await changingServer { owner, device in
            let move = try await owner.serverMove(of: device)
            let transport = try CurlTransport(server: server)
            defer { transport.close() }
            isComplete = try await move.check(
                ServerClient(transport: transport, origin: server.origin)
            )
            return (server, move)
        }
        return isComplete
    }

    /// Makes the account again on a server that does not have it, and switches to that server.
    ///
    /// - Parameters:
    ///   - server: where; it may be the present one.
    ///   - invitation: for a server that needs one; empty without.
    ///   - isCarriedOut: false only to ask whether it can be done.
    /// - Throws: `ServerMoveError`, `ServerError` or ``CommandFailure``; then nothing changes here.
    /// - Returns: how many devices the account has.
    func rebuild(
        at server: ServerEndpoint,
        invitation: String,
        isCarriedOut: Bool
    ) async throws -> Int {
        var deviceCount = 0
        try await changingServer { owner, device in
            let move = try await owner.serverMove(of: device)
            deviceCount = move.deviceCount
            let transport = try CurlTransport(server: server)
            defer { transport.close() }
            let client = ServerClient(transport: transport, origin: server.origin)
            guard isCarriedOut else {
                try await move.checkIsMissing(client)
                return nil
            }
            do {
                try await move.rebuild(client, invitation: invitation)
            } catch ServerError.refused(.nameTaken, _, _) {
                isNameTaken = isNameTaken || server.origin == device.server.origin
                throw ServerError.refused(.nameTaken)
            }
            return (server, move)
        }
        return deviceCount
    }

    /// Accepts another pin of the present server.
    ///
    /// The first pin replaces the check of the chain, so the server must have its key now.
    func addPin(_ pin: String) async throws {
        try await changingServer { _, device in
            let present = device.server
            guard !present.pins.contains(pin) else { return nil }
            let server = try present.with(pins: present.pins + [pin])
            if present.pins.isEmpty { try await Self.checkFirstPin(of: server) }
            return (server, nil)
        }
    }

    private static func checkFirstPin(of server: ServerEndpoint) async throws {
        let transport = try CurlTransport(server: server)
        defer { transport.close() }
        do throws(TransportError) {
            // Any answer shows that the connection has the key.
            _ = try await transport.send(TransportRequest(.get, "/healthz"))
        } catch {
            guard error != .untrusted(.pinMismatch) else { throw CommandFailure.firstPinNotInUse }
            throw CommandFailure.unseenKey(
                CommandFailure(error),
                " The first pin of a device is added only while the server answers with its key."
            )
        }
    }

    /// Accepts a pin no longer.
    ///
    /// A pin that the server needs now stays; so do all while it does not answer. Where the key has
    /// none of the pins, each but the last one can go.
    func removePin(_ pin: String) async throws {
        try await changingServer { _, device in
            let present = device.server
            guard present.pins.contains(pin) else { throw CommandFailure.noSuchPin }
            guard present.pins.count > 1 else { throw CommandFailure.onlyPin }
            let server = try present.with(pins: present.pins.filter { $0 != pin })
            let removed = try present.with(pins: [pin])
            if try await Self.refusesPins(of: server), try await !Self.refusesPins(of: removed) {
                throw CommandFailure.pinInUse
            }
            return (server, nil)
        }
    }

    private static func refusesPins(of server: ServerEndpoint) async throws -> Bool {
        let transport = try CurlTransport(server: server)
        defer { transport.close() }
        let client = ServerClient(transport: transport, origin: server.origin)
        do {
            return try await client.refusesPins()
        } catch {
            throw CommandFailure.unseenKey(
                CommandFailure(error),
                " A pin is removed only while the server answers, so that it is not the one in use."
            )
        }
    }
}

extension ServerEndpoint {
    fileprivate func with(pins: [String]) throws(TransportError) -> ServerEndpoint {
        try ServerEndpoint(origin: origin, pins: pins, authorityFile: authorityFile)
    }
}

extension CommandFailure {
    /// Why a pin was neither added nor removed: the server did not show its key.
    fileprivate static func unseenKey(_ why: CommandFailure, _ rule: String) -> CommandFailure {
        let sentence = why.sentence + rule + " Nothing was changed."
        return CommandFailure(code: why.code, exit: why.exit, sentence: sentence)
    }

    static let isMoving = CommandFailure(code: .isMoving)
    static let noSuchPin = CommandFailure(code: .pinUnknown)
    static let onlyPin = CommandFailure(code: .pinOnly)
    static let firstPinNotInUse = CommandFailure(code: .pinFirst)
    static let pinInUse = CommandFailure(code: .pinInUse)
    package static let pinMalformed = CommandFailure(TransportError.untrusted(.malformedPin))

    /// Why the server of an account was not changed.
    init(ofMove error: any Error) {
        let why =
            switch error {
            case ServerMoveError.unknownDevice: CommandFailure(code: .movedUnknownDevice)
            case ServerMoveError.otherCircle: CommandFailure(code: .movedOtherCircle)
            case ServerMoveError.noAccount: CommandFailure(code: .movedNoAccount)
            case ServerMoveError.hasAccount: CommandFailure(code: .accountIsThere)
            case ServerMoveError.incomplete: CommandFailure(code: .circleIncomplete)
            case ServerError.refused(.nameTaken, _, _): CommandFailure(code: .rebuildNameTaken)
            case ServerError.refused(.wrongOrigin, _, _): CommandFailure(code: .movedWrongOrigin)
            case ServerError.transport(.untrusted(.pinMismatch)):
                CommandFailure(code: .movedPinMismatch)
            default: CommandFailure(error)
            }
        self.init(
            code: why.code,
            exit: why.exit,
            sentence: why.sentence + " Nothing was changed."
        )
    }
}
