internal import KSCausality
internal import KSDigests
internal import GRDB
internal import KSRecords
internal import KSDeviceKeys
internal import KSSealing

extension Replica {
    /// Applies entries that extend the circle this device knows.
    ///
    /// Entries that do not verify are refused. The next round then asks for the whole chain, which
    /// shows whether the server has a different entry for a known version. Only if members signed
    /// that entry does the circle count as forked, and sync pauses.
    ///
    /// `envelope`: the newest entry's key envelope for this device, which brings the keys of a new
    /// generation.
    ///
    /// `shown`: what the server keeps beside the newest entry.
    func receiveCircle(
        _ received: [SignedEntry],
        _ envelope: KeyEnvelope?,
        _ shown: CircleState? = nil,
        after version: UInt64
    ) throws {
        if version == 0, try reconciliation()?.step == .batch, noteOlderCircle(received) { return }
        switch circle.reading(received) {
        case .forked:
            (circleTrouble, refusedCircle, provenAuthor) = (nil, nil, nil)
            try hold(.circleForked)
        case .refused:
            refuseCircle(.entryInvalid)
        case .extended(let chain):
            // Asked from genesis on, the server showed fewer entries than it did before.
            guard version > 0 || received.count >= circle.entries.count else {
                return refuseCircle(.entryInvalid)
            }
            let newer: KeyRing?
            do {
                newer = try newerKeyRing(for: chain, envelope)
                if chain.newest.version > circle.newest.version,
                    try AccountOpening.firstFalseEntry(
                        of: chain,
                        keyRing: newer ?? keys.keyRing,
                        after: keys.keyRing.newestGeneration
                    ) != nil
                {
                    return refuseCircle(.envelopesForged, chain)
                }
            } catch SealingError.envelopesForged {
                return refuseCircle(.envelopesForged, chain)
            } catch SealingError.updateThisClient {
                return refuseCircle(.newerFormat)
            }
            try take(chain, newer, shown)
        }
    }

    /// The ring with the keys of the chain's newest generation; nil if this device has them.
    ///
    /// - Throws: ``SealingError/envelopesForged`` if the envelope does not hold them.
    private func newerKeyRing(
        for chain: CircleChain,
        _ envelope: KeyEnvelope?
    ) throws -> KeyRing? {
        guard chain.newest.generation > keys.keyRing.newestGeneration else { return nil }
        guard let envelope else { throw SealingError.envelopesForged }
        do {
            let newer = try AccountOpening.openKeyRing(
                envelope: envelope,
                of: chain.newest,
                identity: keys.identity,
                current: keys.keyRing
            )
            try AccountOpening.checkRootKeys(of: newer, stated: chain)
            return newer
        } catch {
            switch error {
            case SealingError.classLocked, SealingError.updateThisClient: throw error
            default: throw SealingError.envelopesForged
            }
        }
    }

    private func refuseCircle(_ trouble: CircleTrouble, _ chain: CircleChain? = nil) {
        if chain?.newestHash != refusedCircle?.newestHash { provenAuthor = nil }
        (circleTrouble, refusedCircle) = (trouble, chain)
        isAnswerUsable = false
        tell(.circleRefused)
    }

    private func take(_ chain: CircleChain, _ newer: KeyRing?, _ shown: CircleState?) throws {
        let entries = Array(chain.entries.dropFirst(circle.entries.count))
        (circleTrouble, refusedCircle, provenAuthor) = (nil, nil, nil)
        try changeState { state, database in
            state.circleVersion = chain.newest.version
            state.circleHash = chain.newestHash
            try CircleTable.append(entries, in: database)
            if let newer { try self.begin(newer, &state, in: database) }
            try self.keepCopy(shown, of: chain, in: database)
        }
        if let newer { keys.keyRing.take(newer) }
        let isNewer = chain.newest.version > circle.newest.version
        // Several generations may have ended: the oldest one's end cuts off the most.
        let end = newer.flatMap { _ in chain.closingVectors[circle.newest.generation] }
        let isCutOff = try end.map(isCutOff) ?? false
        circle = chain
        keys.cipher.floors = RecordFloors(chain)
        try savePins()
        tell(.circleTaken(version: chain.newest.version, isNewer: isNewer))
        if isCutOff { try beginReconciliation(.serverWentBack, isServersWord: false) }
    }

    /// Whether nobody may open something any more that this device has opened: the server has
    /// accepted it after the vector at which its generation ended.
    ///
    /// The server went back, perhaps unnoticed, and had lost the entry that ended the generation.
    /// Who has opened such writes seals them again. A batch without an answer may have been
    /// accepted too; its answer says so.
    private func isCutOff(at closing: VersionVector) throws -> Bool {
        // Before the download nothing was compared without the new keys.
        guard try reconciliation()?.step != .batch else { return false }
        return try database.unsafeRead { database in
            try self.shelf.mirrors.hasOpened(after: closing, in: database)
        }
    }

    /// Saves the keys of a new generation, in which this device writes as a new actor.
    ///
    /// So the writes of the generation that has ended stay as its closing vector states them.
    private func begin(
        _ ring: KeyRing,
        _ state: inout SyncState,
        in database: Database
    ) throws {
        let encoded = try ring.encode()
        try AccountValueTable(rows: keys.rows).save(encoded, as: .keyRing, in: database)
        // Records that could not be opened without these keys come again.
        if try !Quarantine.isEmpty(in: database) { state.askForAll() }
        if try shelf.batches.exists(in: database) {
            // Its answer comes first: the server may have accepted it.
            machine.require(.takeNewActor)
        } else if state.counter > 0 {
            state.take(ActorID(rawValue: random.integer()))
        }
    }

    /// Saves the actor and the circle beside the device secret too.
    ///
    /// While a new actor is wanted because of a copy, the pins get a random actor: they must not
    /// match the actor of a copied database. While it is wanted for another reason, they get one
    /// that says so: the next start then wants a new actor too, and does not believe in a copy.
    package func savePins() throws {
        var state = try state()
        if isCopy {
            state.actor = ActorID(rawValue: random.integer())
        } else if wantsNewActor {
            state.actor = state.actor.leaving
        }
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
        switch kept?.actor {
        case state.actor: break
        case state.actor.leaving: machine.require(.takeNewActor)
        default: try wantNewActor()
        }
    }
}

extension ActorID {
    /// Stands in the pins for an actor in whose place its device wants a new one.
    fileprivate var leaving: ActorID { ActorID(rawValue: ~rawValue) }
}

/// Why the newest circle was refused; every round asks for it again.
package enum CircleTrouble: Equatable, Sendable {
    /// An entry does not verify, or does not extend the circle known here.
    case entryInvalid
    /// A server that went back shows an older one, and this device lacks what would put it back.
    case olderShown
    /// Its keys are for a newer program.
    case newerFormat
    /// The key envelopes do not hold the account's keys. Either a member has signed false ones, or
    /// the server has damaged one: ``FalseEntry`` proves the first.
    case envelopesForged
}
