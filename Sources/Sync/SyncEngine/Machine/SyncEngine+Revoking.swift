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
    /// While sync is paused it pulls nothing. The server then states the account vector at which
    /// the generation ends, as at a login, and no digest of the records is made.
    ///
    /// If the circle's newest entry is false (``FalseEntry``), its author must be among them.
    ///
    /// - Returns: nil once they are removed, else what prevented it.
    /// - Throws: ``ServerError``; ``SealingError/classLocked(_:)`` while the device is locked;
    ///   ``RevocationFailure``.
    package func revoke(_ devices: Set<MemberID>) async throws -> SyncOutcome? {
        for _ in 0..<Self.revocationAttemptsMax {
            var outcome = await syncNow()
            let pause = try replica.state().hold
            if let pause {
                guard pause.allows(.circle) else { return outcome }
                replica.askForCircle()
                outcome = await syncNow()
                if let trouble = replica.circleTrouble { return .failed(.circleRefused(trouble)) }
            }
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
                if pause != nil, try await newestEntry() == nil { continue }
                return nil
            }
            if let falseEntry { try check(falseEntry, isRepairedBy: present) }
            switch outcome {
            case .synced, .open: break
            case .held(let hold) where hold.allows(.circle): break
            // What this device cannot send, as in a full account, must not keep a thief in.
            case .failed where try replica.hasEverything(): break
            default: return outcome
            }
            guard let change = try await revocation(of: present, falseEntry, isPaused: pause != nil)
            else { continue }
            do throws(ServerError) {
                guard try await extend(circle, by: change) else { continue }
            } catch .refused(.unauthenticated, _, _) {
                // The session has ended, perhaps because another device has removed this one.
                session = nil
                continue
            } catch {
                // If only the answer was lost, a sync shows the entry.
                guard await hasRemoved(present, after: circle.version) else { throw error }
                return nil
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
    private func extend(
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

    /// The entry that removes these devices; nil if another entry came meanwhile.
    private func revocation(
        of devices: Set<MemberID>,
        _ falseEntry: FalseEntry?,
        isPaused: Bool
    ) async throws -> CircleChange? {
        guard isPaused else { return try replica.revocation(of: devices, repairing: falseEntry) }
        guard let shown = try await newestEntry() else { return nil }
        return try replica.revocation(of: devices, closingAt: shown.vector)
    }

    /// The circle's newest entry as the server shows it; nil if this device has to fetch it first.
    ///
    /// - Throws: ``RevocationFailure/circleIsOlder``.
    private func newestEntry() async throws -> ShownEntry? {
        let circle = replica.circle
        let shown = try await client.circleEntry(token: try await currentSession().token)
        guard let shown else { throw RevocationFailure.circleIsOlder }
        if shown.entry == circle.entries.last { return shown }
        guard try shown.entry.entry().version > circle.newest.version else {
            throw RevocationFailure.circleIsOlder
        }
        return nil
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
        let shown = try await client.circleEntry(token: try await currentSession().token)
        guard let shown else { throw RevocationFailure.falsenessUnproven }
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
