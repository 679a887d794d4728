internal import KSRecords
internal import KSSealing
internal import KSWire

extension SyncEngine {
    /// Removes devices while sync is paused and pulls nothing: only the circle is fetched.
    ///
    /// As at a login, the server states the account vector at which the generation ends, and no
    /// digest of the records is made.
    func revokeWhilePaused(_ devices: Set<MemberID>) async throws -> SyncOutcome? {
        for _ in 0..<Self.revocationAttemptsMax {
            try await fetchCircle()
            if let hold = try replica.state().hold, !hold.allowsRevoking { return .held(hold) }
            if let trouble = replica.circleTrouble { return .failed(.circleRefused(trouble)) }
            let circle = replica.circle
            let present = devices.filter { circle.newest.member($0) != nil }
            guard !present.isEmpty else { return nil }
            let shown = try await client.circleEntry(token: try await currentSession().token)
            guard let shown else { throw RevocationFailure.circleIsOlder }
            if shown.entry != circle.entries.last {
                guard try shown.entry.entry().version > circle.newest.version else {
                    throw RevocationFailure.circleIsOlder
                }
                // Another entry came meanwhile.
                continue
            }
            let change = try replica.revocation(of: present, closingAt: shown.vector)
            guard try await extend(circle.newest, by: change) else { continue }
            try await fetchCircle()
            return try checkAreGone(present)
        }
        throw RevocationFailure.busy
    }

    /// Asks for newer entries of the circle, and takes them.
    private func fetchCircle() async throws {
        let version = replica.circleTrouble == nil ? replica.circle.newest.version : 0
        let answer: SyncAnswer
        do throws(ServerError) {
            let token = try await currentSession().token
            answer = try await client.carry(.circle(after: version), token: token).message
        } catch {
            // A session that has ended is replaced once.
            guard case .refused(.unauthenticated, _, _) = error else { throw error }
            session = nil
            let fresh = try await currentSession().token
            answer = try await client.carry(.circle(after: version), token: fresh).message
        }
        guard case .circle(let entries, let envelope) = answer else {
            throw ServerError.contradictory()
        }
        try replica.receiveCircle(entries, envelope, after: version)
    }
}

extension SyncState.Hold {
    /// Whether devices can be removed meanwhile: what the server shows of the circle is checked by
    /// its signatures, whatever became of the records.
    var allowsRevoking: Bool {
        switch self {
        case .serverRestored, .serverWentBack, .resyncRequired: true
        case .circleForked: false
        }
    }
}
