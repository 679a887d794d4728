package import KSRecords
internal import KSSealing
internal import KSWire

extension SyncEngine {
    /// Other devices may write in the moment between a pull and the entry that ends a generation.
    private static let revocationAttemptsMax = 100

    /// Removes devices from the account, which begins a new key generation.
    ///
    /// The server takes the entry only while this device has everything, so it pulls before. It
    /// syncs after it too, to use the new keys. If the answer was lost, the next sync tells; call
    /// it again then.
    ///
    /// - Returns: nil once they are removed, else what prevented it.
    /// - Throws: ``ServerError``; ``SealingError/classLocked(_:)`` while the device is locked;
    ///   ``RevocationBusy`` if other devices never stopped writing.
    package func revoke(_ devices: Set<MemberID>) async throws -> SyncOutcome? {
        for _ in 0..<Self.revocationAttemptsMax {
            let outcome = await syncNow()
            let circle = replica.circle.newest
            let present = devices.filter { circle.member($0) != nil }
            guard !present.isEmpty else { return nil }
            switch outcome {
            case .synced, .open: break
            // What this device cannot send, as in a full account, must not keep a thief in.
            case .failed where try replica.hasEverything(): break
            default: return outcome
            }
            let change = try replica.revocation(of: present)
            do throws(ServerError) {
                try await client.extendCircle(
                    change,
                    extending: circle.version,
                    account: account,
                    signer: signer,
                    token: try await currentSession().token
                )
            } catch {
                switch error {
                // Another device was faster.
                case .refused(.circleChanged, _, _): continue
                // The session has ended, perhaps because another device has removed this one.
                case .refused(.unauthenticated, _, _):
                    session = nil
                    continue
                default: break
                }
                // If only the answer was lost, a sync shows the entry.
                guard await hasRemoved(present) else { throw error }
                return nil
            }
            // The next sync fetches it, like an entry of any other device. What fails now does not
            // change that the devices are removed.
            try replica.notice(seq: 0, circleVersion: circle.version + 1)
            _ = await syncNow()
            return nil
        }
        throw RevocationBusy()
    }

    /// Whether the server shows a circle without these devices.
    private func hasRemoved(_ devices: Set<MemberID>) async -> Bool {
        _ = await syncNow()
        return devices.allSatisfy { replica.circle.newest.member($0) == nil }
    }
}

/// Other devices kept writing while one was to be revoked; nothing was changed.
package struct RevocationBusy: Error {}
