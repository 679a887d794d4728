internal import KSCausality
internal import KSDigests
internal import GRDB
internal import KSRecords
internal import KSSealing

extension Replica {
    /// Applies entries that extend the circle this device knows.
    ///
    /// Entries that do not verify are refused. The next round then asks for the whole chain, which
    /// shows whether the server has a different entry for a known version. Only if members signed
    /// that entry does the circle count as forked, and sync pauses.
    func receiveCircle(_ received: [SignedEntry], after version: UInt64) throws {
        switch circle.reading(received) {
        case .forked:
            circleTrouble = nil
            try hold(.circleForked, hasKeys: true)
        case .refused:
            refuseCircle(.entryInvalid)
        case .extended(let chain):
            // Asked from genesis on, the server showed fewer entries than it did before.
            guard version > 0 || received.count >= circle.entries.count else {
                return refuseCircle(.entryInvalid)
            }
            do {
                try checkEnvelopes(of: chain)
            } catch SealingError.envelopesForged {
                return refuseCircle(.envelopesForged)
            }
            try take(chain)
        }
    }

    /// Checks the newest entry only: the server no longer holds the envelopes of earlier ones.
    private func checkEnvelopes(of chain: CircleChain) throws {
        guard chain.newest.version > circle.newest.version,
            // This device does not hold the ring of another generation yet.
            chain.newest.generation == keys.keyRing.newestGeneration
        else { return }
        try AccountOpening.checkEnvelopes(of: chain.newest, keyRing: keys.keyRing)
    }

    private func refuseCircle(_ trouble: CircleTrouble) {
        circleTrouble = trouble
        isAnswerUsable = false
        tell(.circleRefused)
    }

    private func take(_ chain: CircleChain) throws {
        let entries = Array(chain.entries.dropFirst(circle.entries.count))
        circleTrouble = nil
        try changeState { state, database in
            state.circleVersion = chain.newest.version
            state.circleHash = chain.newestHash
            try CircleTable.append(entries, in: database)
        }
        circle = chain
        try savePins()
        tell(.done(.circle, hasMore: false))
    }

    /// Saves the actor and the circle beside the device secret too.
    ///
    /// While a new actor is wanted, the pins get a random actor: they must not match the actor of
    /// a copied database.
    package func savePins() throws {
        var state = try state()
        if wantsNewActor { state.actor = ActorID(rawValue: random.integer()) }
        try pins.savePins(state.pins)
    }

    /// Asks for a new actor if the pins name another one than the database.
    ///
    /// A difference means that the database was restored or copied; a copy may have written too.
    func noticeCopiedDatabase() throws {
        let state = try state()
        let kept: DevicePins?
        do {
            kept = try pins.pins()
        } catch SealingError.keyFileDamaged {
            // Damaged pins count as different.
            kept = nil
        }
        if kept?.actor != state.actor { try wantNewActor() }
    }
}

/// Why the newest circle was refused; every round asks for it again.
package enum CircleTrouble: Equatable, Sendable {
    /// An entry does not verify, or does not extend the circle known here.
    case entryInvalid
    /// A member signed key envelopes that do not hold the account's keys.
    case envelopesForged
}
