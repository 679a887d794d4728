package import KSRecords
internal import KSSealing
internal import KSWire

extension SyncEngine {
    /// Other devices may write in the moment between a pull and the entry that ends a generation.
    private static let revocationAttemptsMax = 20

    /// Removes devices from the account, which begins a new key generation.
    ///
    /// The server takes the entry only while this device has everything, so it syncs before. It
    /// syncs after it too, to use the new keys. If the answer was lost, call it again: removed
    /// devices are not removed twice.
    ///
    /// - Returns: ``SyncOutcome/synced`` or ``SyncOutcome/open(_:)`` once they are removed; any
    ///   other outcome is what prevented it, or what failed after it.
    /// - Throws: ``ServerError``; ``SealingError/classLocked(_:)`` while the device is locked;
    ///   ``RevocationBusy`` if other devices never stopped writing.
    package func revoke(_ devices: Set<MemberID>) async throws -> SyncOutcome {
        for _ in 0..<Self.revocationAttemptsMax {
            let outcome = await syncNow()
            switch outcome {
            case .synced, .open: break
            default: return outcome
            }
            let circle = replica.circle.newest
            let present = devices.filter { circle.member($0) != nil }
            guard !present.isEmpty else { return outcome }
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
                guard case .refused(.circleChanged, _, _) = error else { throw error }
                continue
            }
            // The next sync fetches it, like an entry of any other device.
            try replica.notice(seq: 0, circleVersion: circle.version + 1)
        }
        throw RevocationBusy()
    }
}

/// Other devices kept writing while one was to be revoked; nothing was changed.
package struct RevocationBusy: Error {}
