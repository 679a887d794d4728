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
            try await move.rebuild(client, invitation: invitation)
            return (server, move)
        }
        return deviceCount
    }

    /// Accepts another pin of the present server.
    func addPin(_ pin: String) async throws {
        try await changingServer { _, device in
            let present = device.server
            guard !present.pins.contains(pin) else { return nil }
            return (try present.with(pins: present.pins + [pin]), nil)
        }
    }

    /// Accepts a pin no longer.
    ///
    /// A pin that the server needs now stays; a server out of reach may have any other one.
    func removePin(_ pin: String) async throws {
        try await changingServer { _, device in
            let present = device.server
            guard present.pins.contains(pin) else { throw CommandFailure.noSuchPin }
            guard present.pins.count > 1 else { throw CommandFailure.onlyPin }
            let server = try present.with(pins: present.pins.filter { $0 != pin })
            let transport = try CurlTransport(server: server)
            defer { transport.close() }
            let client = ServerClient(transport: transport, origin: server.origin)
            if await client.refusesPins() { throw CommandFailure.pinInUse }
            return (server, nil)
        }
    }
}

extension ServerEndpoint {
    fileprivate func with(pins: [String]) throws(TransportError) -> ServerEndpoint {
        try ServerEndpoint(origin: origin, pins: pins, authorityFile: authorityFile)
    }
}

extension CommandFailure {
    static let isMoving = CommandFailure.tryAgain(
        "The account's server is being changed on this device: try again."
    )
    static let noSuchPin = CommandFailure.usage(
        "This device does not have that pin: sync-client server shows those that it has."
    )
    static let onlyPin = CommandFailure.refused(
        "That is the only pin: add the next one first with sync-client server pin add."
    )
    static let pinInUse = CommandFailure.refused(
        "The server uses the key with that pin now: remove the pin when the server has switched."
    )
    package static let pinMalformed = CommandFailure(TransportError.untrusted(.malformedPin))

    /// Why the server of an account was not changed.
    init(ofMove error: any Error) {
        let why =
            switch error {
            case ServerMoveError.unknownDevice:
                CommandFailure.refused(
                    "The server at that address does not know this device, which may have been"
                        + " removed from the account."
                )
            case ServerMoveError.noAccount:
                CommandFailure.refused(
                    "The server at that address does not have this account: sync-client server"
                        + " rebuild makes the account there again."
                )
            case ServerMoveError.hasAccount:
                CommandFailure.refused(
                    "The server has the account, and it need not be made again: sync-client sync"
                        + " sends what it lacks, and sync-client server set follows it to a new"
                        + " address."
                )
            case ServerMoveError.incomplete:
                CommandFailure.refused(
                    "The server does not know this device, and this device does not have all that"
                        + " puts it right: try it on another device."
                )
            case ServerError.refused(.nameTaken, _, _):
                CommandFailure.refused(
                    "Somebody else has the account's name on that server: ask its operator to"
                        + " remove that account, or use another server."
                )
            case ServerMoveError.otherCircle:
                CommandFailure.refused(
                    "The server at that address has another list of the account's devices."
                )
            case ServerError.refused(.wrongOrigin, _, _):
                CommandFailure.refused(
                    "The server at that address does not accept the address: ask its operator to"
                        + " name it with --origin."
                )
            case ServerError.transport(.untrusted(.pinMismatch)):
                CommandFailure.refused(
                    "The key of the server at that address has none of the pins: give with --pin"
                        + " the one that sync-server prints when it starts."
                )
            default: CommandFailure(error)
            }
        self.init(why.exit, why.sentence + " Nothing was changed.")
    }
}
