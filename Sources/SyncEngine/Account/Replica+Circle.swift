internal import KSCausality
internal import KSDigests
internal import GRDB
internal import KSRecords
internal import KSSealing

extension Replica {
    /// Takes over what extends the circle this device knows.
    ///
    /// What does not verify is not taken, and asked for again with the next round, then from
    /// genesis on: only so a second entry for a version that is known shows. Only when members
    /// signed that one too is the circle forked, and sync stops.
    func receiveCircle(_ received: [SignedEntry], after version: UInt64) throws {
        switch circle.reading(received) {
        case .forked:
            circleTrouble = nil
            try hold(.circleForked, hasKeys: true)
        case .refused:
            refuseCircle(.entryInvalid)
        case .extended(let chain):
            // Asked from genesis on, the server has shown less than it did before.
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

    /// The envelopes that the server holds are those of the newest entry: earlier ones are gone.
    private func checkEnvelopes(of chain: CircleChain) throws {
        guard chain.newest.version > circle.newest.version,
            // A ring that this device does not hold yet.
            chain.newest.generation == keys.keyRing.newestGeneration
        else { return }
        try AccountOpening.checkEnvelopes(of: chain.newest, keyRing: keys.keyRing)
    }

    private func refuseCircle(_ trouble: CircleTrouble) {
        circleTrouble = trouble
        isAnswerUsable = false
        machine.handle(.circleRefused, nowMilliseconds: clock())
    }

    private func take(_ chain: CircleChain) throws {
        let entries = Array(chain.entries.dropFirst(circle.entries.count))
        circleTrouble = nil
        try database.write { database in
            var state = try SyncStateTable.load(from: database).orNoAccount()
            state.circleVersion = chain.newest.version
            state.circleHash = chain.newestHash
            try CircleTable.append(entries, in: database)
            try SyncStateTable.save(state, in: database)
        }
        circle = chain
        try savePins()
        machine.handle(.done(.circle, hasMore: false), nowMilliseconds: clock())
    }

    /// Puts the actor and the circle beside the device secret too.
    ///
    /// While a new actor is wanted the pins name one that nobody is: they must not vouch for the
    /// actor of a database that was copied.
    func savePins() throws {
        let state = try state()
        try pins.savePins(
            DevicePins(
                actor: wantsNewActor ? ActorID(rawValue: random.integer()) : state.actor,
                circleVersion: state.circleVersion,
                circleHash: state.circleHash
            )
        )
    }

    /// Wants a new actor when the database is not the one that the pins speak of: a copy of it, put
    /// back or used elsewhere, may have written under the same name.
    func noticeCopiedDatabase() throws {
        let state = try state()
        let kept: DevicePins?
        do {
            kept = try pins.pins()
        } catch SealingError.keyFileDamaged {
            // They cannot vouch for it.
            kept = nil
        }
        if kept?.actor != state.actor { try wantNewActor() }
    }
}

/// Why the newest circle was not taken; it is asked for again with every round.
package enum CircleTrouble: Equatable, Sendable {
    /// An entry does not verify, or is not what extends the circle known here.
    case entryInvalid
    /// A member signed key envelopes that are not of the account's keys.
    case envelopesForged
}
