internal import KSRecords
package import KSSealing

extension SyncEngine {
    /// Replaces the account's credentials, which begins a new key generation: on all devices, or on
    /// none.
    ///
    /// Like a revocation it pulls before and syncs after. If the answer was lost, the next sync
    /// tells; call it again then. The other devices need nothing but their next sync.
    ///
    /// - Returns: nil once the circle has the new credentials, else what prevented it.
    /// - Throws: ``AccountSetupError/credentialsRefused`` if the old ones are not the account's;
    ///   ``ServerError``; ``SealingError/classLocked(_:)`` while the device is locked;
    ///   ``RevocationFailure``.
    package func replaceCredentials(_ credentials: CredentialsChange) async throws -> SyncOutcome? {
        for _ in 0..<Self.revocationAttemptsMax {
            let outcome = await syncNow()
            // False keys, and a fork, have to be repaired first.
            if let trouble = replica.circleTrouble { return .failed(.circleRefused(trouble)) }
            let circle = replica.circle.newest
            if circle.member(credentials.new.memberID) != nil { return nil }
            guard circle.member(credentials.old.memberID) != nil else {
                throw AccountSetupError.credentialsRefused
            }
            switch outcome {
            case .synced, .open: break
            // What this device cannot send, as in a full account, must not keep a thief in.
            case .failed where try replica.hasEverything(): break
            default: return outcome
            }
            let change = try replica.replacement(of: credentials)
            let isTaken: Bool
            do throws(ServerError) {
                isTaken = try await extend(circle, by: change)
            } catch  where error.endsSession {
                session = nil
                continue
            } catch {
                // If only the answer was lost, a sync shows the entry.
                guard await hasFetched(credentials) else { throw error }
                return nil
            }
            guard isTaken else {
                try await checkIsNotOlder(than: circle)
                continue
            }
            guard await hasFetched(credentials) else { throw RevocationFailure.notFetched }
            return nil
        }
        throw RevocationFailure.busy
    }

    /// Fetches the circle, and says whether it has the new credentials.
    private func hasFetched(_ credentials: CredentialsChange) async -> Bool {
        replica.askForCircle()
        _ = await syncNow()
        return replica.circle.newest.member(credentials.new.memberID) != nil
    }
}
