package import KSAgent
internal import KSCertificates
internal import KSRedaction
internal import KSSyncEngine
internal import KSTransport
internal import KSWire

/// Shows the account's server; asks it only for the certificate that it shows.
package struct GetServer: HandledCall, Codable {
    package typealias Answer = ShownServer
    package static let name = "server"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ShownServer {
        let server = try await daemon.accounts.server()
        var shown = ShownServer(server: server.origin, pins: server.pins)
        shown.authorityFile = server.authorityFile
        // A server that does not answer, or shows what cannot be read, has nothing to show.
        if let text = try? await CurlTransport.certificate(shownBy: server.origin),
            let pin = try? CertificatePin.pin(certificatePEM: text),  // As above.
            let end = try? ParsedCertificate(pem: text).notAfter  // As above.
        {
            if server.pins.isEmpty || server.pins.contains(pin) {
                shown.pinInUse = pin
            } else {
                shown.unknownPin = pin
            }
            shown.certificateEnd = AgentDate(milliseconds: UInt64(max(0, end)) * 1000)
        }
        return shown
    }
}

/// The account's server.
package struct ShownServer: AgentCoded, Codable {
    package var server: String
    package var pins: [String]
    /// A file of certificate authorities; nil for those of this machine.
    @OrNull
    package var authorityFile: String? = nil
    /// The pin of the account's server, as it answers now; nil if it does not answer, or its
    /// certificate cannot be read.
    @OrNull
    package var pinInUse: String? = nil
    /// The pin of a key that answers at the address, but has none of the pins; nil if none does.
    @OrNull
    package var unknownPin: String? = nil
    /// When the certificate that was shown ends; nil if none was.
    @OrNull
    package var certificateEnd: AgentDate? = nil
}

/// What a device trusts at a new address; by default the same as at the present one.
package struct NewTrust: Codable, Sendable {
    package var pins: [String]
    package var authorityFile: String?
    /// Whether authorities alone are trusted, and no pin; only without pins.
    package var dropsPins: Bool

    package init(pins: [String] = [], authorityFile: String? = nil, dropsPins: Bool = false) {
        (self.pins, self.authorityFile) = (pins, authorityFile)
        self.dropsPins = dropsPins
    }
}

/// Switches to another address of the account's server, or to other pins.
package struct SetServer: HandledCall, Codable {
    package typealias Answer = ServerChange
    package static let name = "server.set"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }
    package var server: String
    package var trust: NewTrust

    package init(server: String, trust: NewTrust) {
        (self.server, self.trust) = (server, trust)
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ServerChange {
        let present = try await daemon.accounts.server()
        do {
            let server = try present.moved(to: server, trust)
            return ServerChange(isComplete: try await daemon.accounts.move(to: server))
        } catch {
            throw CommandFailure(ofMove: error)
        }
    }
}

/// What a change of the server's address found there.
package struct ServerChange: AgentCoded, Codable {
    /// Whether the server has all that this device has synced; if not, sync puts it right.
    package var isComplete: Bool

    package init(isComplete: Bool) { self.isComplete = isComplete }
}

/// Makes the account again on a server that does not have it.
package struct RebuildAccount: HandledCall, Codable {
    package typealias Answer = RebuiltAccount
    package static let name = "server.rebuild"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }
    /// The server's address; nil for the present one.
    package var server: String?
    package var trust: NewTrust
    package var invitation: String
    /// False only to ask whether it can be done.
    package var isCarriedOut: Bool

    package init(
        server: String?,
        trust: NewTrust,
        invitation: String,
        isCarriedOut: Bool
    ) {
        (self.server, self.trust) = (server, trust)
        (self.invitation, self.isCarriedOut) = (invitation, isCarriedOut)
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> RebuiltAccount {
        let present = try await daemon.accounts.server()
        do {
            let chosen = try present.moved(to: server ?? present.origin, trust)
            let devices = try await daemon.accounts.rebuild(
                at: chosen,
                invitation: invitation,
                isCarriedOut: isCarriedOut
            )
            return RebuiltAccount(server: chosen.origin, devices: devices)
        } catch ServerError.refused(.invitationNeeded, _, _) where !invitation.isEmpty {
            throw CommandFailure(ofMove: CommandFailure.invitationUnknown)
        } catch {
            throw CommandFailure(ofMove: error)
        }
    }
}

/// An account that is made again, or could be.
package struct RebuiltAccount: AgentCoded, Codable {
    package var server: String
    /// How many devices it has.
    package var devices: Int
}

extension ServerEndpoint {
    /// A server at another address; it keeps pins and authorities if no others are given.
    ///
    /// Without its pins it keeps a file of authorities, which may be all that vouches for it.
    fileprivate func moved(
        to origin: String,
        _ trust: NewTrust
    ) throws(TransportError) -> ServerEndpoint {
        let keepsFile = trust.pins.isEmpty && trust.authorityFile == nil
        return try ServerEndpoint(
            origin: origin,
            pins: keepsFile && !trust.dropsPins ? pins : trust.pins,
            authorityFile: keepsFile ? authorityFile : trust.authorityFile
        )
    }
}

/// Adds a pin of the account's server, or removes one.
package struct ChangeServerPin: HandledCommand, Codable {
    package static let name = "server.pin"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }
    package var pin: String
    package var removes: Bool

    package init(pin: String, removes: Bool) {
        (self.pin, self.removes) = (pin, removes)
    }

    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        guard ServerEndpoint.isWellFormed(pin: pin) else { throw CommandFailure.pinMalformed }
        if removes {
            try await daemon.accounts.removePin(pin)
        } else {
            try await daemon.accounts.addPin(pin)
        }
    }
}
