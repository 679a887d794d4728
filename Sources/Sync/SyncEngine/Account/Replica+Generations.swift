internal import KSCausality
internal import GRDB
package import KSRecords
package import KSSealing

// A key generation ends when a device is revoked or the credentials are replaced. The entry of the
// circle that ends it states the account vector and the digest of all records: the closing vector
// and digest.

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
        let end = try endOfGeneration(of: chain)
        return try CircleAuthoring.revoke(
            devices,
            from: chain,
            keyRing: end.ring,
            closing: end.closing,
            by: .device(keys.identity),
            random: random
        )
    }

    /// The entry that replaces the account's credentials and begins a generation; as for a
    /// revocation.
    package func replacement(of credentials: CredentialsChange) throws -> CircleChange {
        let end = try endOfGeneration(of: circle)
        return try CircleAuthoring.replaceCredentials(
            credentials,
            in: circle,
            keyRing: end.ring,
            closing: end.closing,
            by: keys.identity,
            random: random
        )
    }

    /// The ring with the keys of the next generation, and where the present one ends.
    private func endOfGeneration(
        of chain: CircleChain
    ) throws -> (ring: KeyRing, closing: (vector: VersionVector, digest: Hash)) {
        let number = chain.newest.generation + 1
        let ring = try keys.keyRing.startingGeneration(number, from: random)
        let closing = try database.unsafeRead { database in
            let digest = try self.digest(ring, in: database)
            return (vector: try SyncStateTable.shownVector(from: database), digest: digest)
        }
        return (ring, closing)
    }

    /// Whether this device has pulled everything that the server was known to have.
    func hasEverything() throws -> Bool {
        let state = try state()
        return try machine.hasPulled && (circleTrouble == nil || refusedCircle != nil)
            && state.hold == nil
            && [nil, .upload].contains(reconciliation()?.step)
            && state.cursor != nil
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
}
