internal import KSCausality
internal import KSDigests
internal import GRDB
internal import KSRecords
internal import KSSealing

extension Replica {
    /// Takes over what extends the circle this device knows, and stops at anything else.
    func receiveCircle(_ entries: [SignedEntry]) throws {
        var chain = circle
        do throws(CircleError) {
            for entry in entries { try chain.append(entry) }
        } catch {
            return try hold(.circleForked)
        }
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
