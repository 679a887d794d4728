package import KSRecords
internal import KSSealing
internal import KSWire

extension SyncEngine {
    /// Other devices may write in the moment between a pull and the entry that ends a generation.
    static let revocationAttemptsMax = 100

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
            let falseEntry: FalseEntry?
            switch try await findFalseEntry() {
            case .none: falseEntry = nil
            case .found(let found): falseEntry = found
            // Another entry came meanwhile.
            case .outdated: continue
            }
            let circle = (falseEntry?.chain ?? replica.circle).newest
            let present = devices.filter { circle.member($0) != nil }
            if present.isEmpty {
                // A circle that was refused says nothing about who is a member.
                guard replica.circleTrouble == nil else { return outcome }
                // A restored server may show an older circle, in which they are members again.
                if try replica.reconciliation() != nil { try await checkIsNotOlder(than: circle) }
                return nil
            }
            if let falseEntry { try check(falseEntry, isRepairedBy: present) }
            switch outcome {
            case .synced, .open: break
            // What this device cannot send, as in a full account, must not keep a thief in.
            case .failed where try replica.hasEverything(): break
            default: return outcome
            }
            let change = try replica.revocation(of: present, repairing: falseEntry)
            let isTaken: Bool
            do throws(ServerError) {
                isTaken = try await extend(circle, by: change)
            } catch  where error.endsSession {
                // Perhaps because another device has removed this one.
                session = nil
                continue
            } catch {
                // If only the answer was lost, a sync shows the entry.
                guard await hasRemoved(present, after: circle.version) else { throw error }
                return nil
            }
            guard isTaken else {
                try await checkIsNotOlder(than: circle)
                continue
            }
            // The next sync fetches it, like an entry of any other device. What fails now does not
            // change that the devices are removed.
            replica.askForCircle()
            _ = await syncNow()
            return try checkAreGone(present)
        }
        throw RevocationFailure.busy
    }

    /// Sends the circle's next entry; false if another device was faster.
    func extend(
        _ newest: CircleEntry,
        by change: CircleChange
    ) async throws(ServerError) -> Bool {
        try await client.extendCircle(
            change,
            extending: newest.version,
            account: account,
            signer: signer,
            token: try await currentSession().token
        )
    }

    /// The server's newest entry; nil if it has none.
    private func newestEntry() async throws(ServerError) -> ShownEntry? {
        try await inSession { (token) async throws(ServerError) in
            try await self.client.circleEntry(token: token)
        }
    }

    /// - Throws: ``RevocationFailure/circleIsOlder`` if the server shows an older circle than this.
    func checkIsNotOlder(than known: CircleEntry) async throws {
        let shown = try await newestEntry()
        guard let entry = try shown?.entry.entry(), entry.version >= known.version else {
            throw RevocationFailure.circleIsOlder
        }
    }

    /// Checks that this device's own circle lacks these devices.
    private func checkAreGone(_ devices: Set<MemberID>) throws -> SyncOutcome? {
        let newest = replica.circle.newest
        guard devices.allSatisfy({ newest.member($0) == nil }) else {
            throw RevocationFailure.notFetched
        }
        return nil
    }

    /// What is known about the circle that was refused for its keys.
    private enum Finding {
        case none
        case found(FalseEntry)
        case outdated
    }

    /// Asks for a proof that a device has signed the false keys which this device has refused, so
    /// that ``Replica/devices()`` names it.
    ///
    /// Without one, nobody is named.
    package func proveFalseEntry() async {
        // Without an answer or while the device is locked, there is no proof yet.
        _ = try? await findFalseEntry()
    }

    private func findFalseEntry() async throws -> Finding {
        guard let chain = replica.refusedCircle else { return .none }
        guard let shown = try await newestEntry() else {
            throw RevocationFailure.falsenessUnproven
        }
        guard shown.entry == chain.entries.last else { return .outdated }
        let keys = replica.keys
        do {
            let proven = try FalseEntry.prove(
                chain,
                envelopes: shown.envelopes,
                identity: keys.identity,
                current: keys.keyRing
            )
            guard let proven else { throw RevocationFailure.falsenessUnproven }
            replica.provenAuthor = proven.author
            return .found(proven)
        } catch SealingError.notAuthentic {
            throw RevocationFailure.falsenessUnproven
        }
    }

    private func check(_ falseEntry: FalseEntry, isRepairedBy removed: Set<MemberID>) throws {
        guard removed.contains(falseEntry.author) else {
            throw RevocationFailure.falseEntryRemains
        }
        guard !falseEntry.lacksKeys(knowing: replica.circle) else {
            throw RevocationFailure.keysMissing
        }
    }

    /// Whether the server shows a newer circle without these devices.
    private func hasRemoved(_ devices: Set<MemberID>, after version: UInt64) async -> Bool {
        replica.askForCircle()
        _ = await syncNow()
        let newest = replica.circle.newest
        return newest.version > version && devices.allSatisfy { newest.member($0) == nil }
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
    /// The server shows an older circle than this device knows, as after a restore.
    case circleIsOlder
    /// The server has taken the entry, but this device could not fetch it.
    case notFetched
    /// This device has missed keys before the false ones, which would be lost (``FalseEntry``).
    case keysMissing
}
