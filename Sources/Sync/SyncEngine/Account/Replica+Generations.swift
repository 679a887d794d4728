internal import KSCausality
internal import GRDB
package import KSRecords
internal import KSResolution
package import KSSealing

// A key generation ends when a device is revoked. The entry of the circle that ends it states the
// account vector and the digest of all records, the closing vector and digest. A device that holds
// the same then knows that every other device which says so holds the same too.

extension Replica {
    /// The entry that removes these devices from the circle and begins a generation.
    ///
    /// The server takes it only while this device has pulled everything. Otherwise pull, and make
    /// another one.
    ///
    /// `falseEntry`: the one that it repairs, which is the circle's newest.
    /// - Throws: ``SealingError``: the devices are no members, this device is one of them, or it is
    ///   locked.
    package func revocation(
        of devices: Set<MemberID>,
        repairing falseEntry: FalseEntry? = nil
    ) throws -> CircleChange {
        let chain = falseEntry?.chain ?? circle
        let number = chain.newest.generation + 1
        let ring = try keys.keyRing.startingGeneration(number, from: random)
        return try CircleAuthoring.revoke(
            devices,
            from: chain,
            keyRing: ring,
            closing: try database.unsafeRead { database in
                let digest = try self.digest(ring, in: database)
                return (vector: try self.vector(in: database), digest: digest)
            },
            by: .device(keys.identity),
            random: random
        )
    }

    /// Whether this device has pulled everything that the server was known to have.
    func hasEverything() throws -> Bool {
        let state = try state()
        return machine.hasPulled && (circleTrouble == nil || refusedCircle != nil)
            && state.hold == nil
            && state.cursor != nil
    }

    /// Notes whether this device holds the records that the newest closing vector and digest state.
    ///
    /// Only at the closing vector itself can this be seen. A device that was behind then, or is
    /// damaged, never agrees to that generation; it syncs on, but does not fold counters.
    ///
    /// `vector`: the account vector that this device has reached.
    func noteAgreement(
        to circle: CircleChain,
        _ ring: KeyRing,
        at vector: VersionVector,
        _ state: inout SyncState,
        in database: Database
    ) throws {
        let generation = circle.newest.generation
        guard max(state.agreedGeneration, comparedGeneration) < generation,
            ring.newestGeneration == generation,
            vector == circle.closingVector, try WaitingTable.isEmpty(in: database)
        else { return }
        // Comparing reads all mirrors, so it is done once.
        comparedGeneration = generation
        guard try digest(ring, in: database) == circle.closingDigest else { return }
        state.agreedGeneration = generation
        try noteLargeCounters(isFirst: circle.newest.author == keys.identity.memberID, in: database)
    }

    /// Whether the server leaves out siblings of a record that this device has seen, and shows none
    /// that could have replaced them.
    ///
    /// With such a record this device would fold less than others, so it must no longer fold.
    static func isMissingSiblings(_ record: PageAnswer.Record, _ rows: RecordRows) -> Bool {
        guard let known = rows.clearMirror.value else { return false }
        let (before, now) = (known.siblings.map(\.dot), record.siblings.map(\.dot))
        return now.count < before.count && Set(now).isSubset(of: before)
    }

    /// Notes that records with large counters are written back, which folds them.
    ///
    /// Others are folded when somebody next writes them. The device that ended the generation comes
    /// first (`isFirst`). The others wait, and do nothing where they see its fold.
    private func noteLargeCounters(isFirst: Bool, in database: Database) throws {
        let now = clock()
        for kind in RecordKind.known where kind.hasCounters {
            for record in try shelf.records(of: kind, beginning: [], in: database) {
                guard let state = try shelf.mirror(of: record, in: database)?.state,
                    state.hasLargeCounter
                else { continue }
                let due = isFirst ? now : writeBack.dueMilliseconds(now: now, random: random)
                try RewriteTable.add(record, kind: kind, dueMilliseconds: due, in: database)
            }
        }
    }

    /// The digest of all records that the server holds, as this device last saw them.
    private func digest(_ ring: KeyRing, in database: Database) throws -> Hash {
        guard var digest = RecordDigest(keyRing: ring, generation: ring.newestGeneration) else {
            preconditionFailure("a ring holds its newest generation")
        }
        let rows = try Row.fetchCursor(database, sql: MirrorTable.clearPartsSQL)
        while let row = try rows.next() {
            let record: RecordID = try row.fixed("record")
            do {
                for sibling in try MirrorTable.clearPart(of: record, in: row).siblings
                where !sibling.isTombstone {
                    digest.add(record, sibling.dot, boxHash: sibling.boxHash)
                }
            } catch is SyncEngineError {
                // A damaged row makes the digest differ, which is right: what it held is unknown.
            }
        }
        return digest.value
    }

    /// Whether the next write of a record replaces its counters' entries by their sums.
    ///
    /// Only if the mirror is what the record was when the last generation ended, on every device
    /// that agrees to it: then all of them make the same sums.
    func foldsCounters(of mirror: MirrorRow?, _ state: SyncState) -> Bool {
        guard let mirror, !mirror.isStub, let closing = circle.closingVector,
            state.agreedGeneration == circle.newest.generation
        else { return false }
        return mirror.siblings.allSatisfy { sibling in
            sibling.isOpened && !sibling.isTombstone && closing.contains(sibling.dot)
        }
    }
}

extension ItemState {
    /// A counter with more series is folded at once when a generation ends.
    private static let counterSeriesMax = 64

    /// Whether it has a counter that is folded without a write of its users.
    var hasLargeCounter: Bool {
        counters.values.contains { $0.series.count > Self.counterSeriesMax }
    }
}
