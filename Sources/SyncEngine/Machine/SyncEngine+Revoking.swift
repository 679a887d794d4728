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
    /// If the circle's newest entry is false (``FalseEntry``), its author must be among them.
    ///
    /// - Returns: nil once they are removed, else what prevented it.
    /// - Throws: ``ServerError``; ``SealingError/classLocked(_:)`` while the device is locked;
    ///   ``RevocationFailure``.
    package func revoke(_ devices: Set<MemberID>) async throws -> SyncOutcome? {
        for _ in 0..<Self.revocationAttemptsMax {
            let outcome = await syncNow()
            let falseEntry = try await falseEntry()
            let circle = (falseEntry?.chain ?? replica.circle).newest
            let present = devices.filter { circle.member($0) != nil }
            guard !present.isEmpty else { return nil }
            if let falseEntry, !present.contains(falseEntry.author) {
                throw RevocationFailure.falseEntryRemains
            }
            switch outcome {
            case .synced, .open: break
            // What this device cannot send, as in a full account, must not keep a thief in.
            case .failed where try replica.hasEverything(): break
            default: return outcome
            }
            let change = try replica.revocation(of: present, repairing: falseEntry)
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
        throw RevocationFailure.busy
    }

    /// The circle's newest entry, if it was refused and its author is proven to be dishonest.
    private func falseEntry() async throws -> FalseEntry? {
        guard let chain = replica.refusedCircle else { return nil }
        let shown = try await client.circleEntry(token: try await currentSession().token)
        guard let shown, shown.entry == chain.entries.last else {
            throw RevocationFailure.falsenessUnproven
        }
        let keys = replica.keys
        do {
            let proven = try FalseEntry.prove(
                chain,
                envelopes: shown.envelopes,
                identity: keys.identity,
                current: keys.keyRing
            )
            guard let proven else { throw RevocationFailure.falsenessUnproven }
            return proven
        } catch SealingError.notAuthentic {
            throw RevocationFailure.falsenessUnproven
        }
    }

    /// Whether the server shows a circle without these devices.
    private func hasRemoved(_ devices: Set<MemberID>) async -> Bool {
        _ = await syncNow()
        return devices.allSatisfy { replica.circle.newest.member($0) == nil }
    }
}

/// Why a device was not revoked; nothing was changed.
package enum RevocationFailure: Error, Equatable {
    /// Other devices kept writing.
    case busy
    /// The author of a false entry would stay (``FalseEntry``).
    case falseEntryRemains
    /// The newest entry was refused, but the server may have damaged its envelopes.
    case falsenessUnproven
}
