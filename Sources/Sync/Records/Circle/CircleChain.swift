package import KSCausality

/// A circle's entries from genesis on, each checked to follow the one before.
package struct CircleChain: Hashable, Sendable {
    package private(set) var entries: [SignedEntry]
    package private(set) var newest: CircleEntry
    /// The closing vector of each generation that has ended.
    package private(set) var closingVectors: [UInt64: VersionVector]
    /// K(root, "check") of each generation.
    package private(set) var rootChecks: [UInt64: [UInt8]]
    /// Who first called a generation void, of those that ever were.
    package private(set) var voidAuthors: [UInt64: MemberID] = [:]
    /// The version of the entry that began each generation.
    package private(set) var generationStarts: [UInt64: UInt64]
    /// The version of the last entry that came with a credentials box.
    package private(set) var newestWithCredentialsBox: UInt64
    /// By version, from 1 on.
    private var hashes: [Hash]
    package private(set) var sponsors = SponsorLines()

    package init(verifying entries: [SignedEntry]) throws(CircleError) {
        guard let first = entries.first else { throw .notGenesis }
        newest = try CircleRules.checkGenesis(first)
        self.entries = [first]
        hashes = [first.hash]
        closingVectors = [:]
        rootChecks = [newest.generation: newest.rootCheck]
        generationStarts = [newest.generation: newest.version]
        newestWithCredentialsBox = newest.version
        sponsors.note(newest)
        for next in entries.dropFirst() { try append(next) }
    }

    package mutating func append(_ next: SignedEntry) throws(CircleError) {
        let entry = try CircleRules.check(
            next: next,
            after: newest,
            hash: newestHash
        ) { () throws(CircleError) in sponsors }
        if entry.generation > newest.generation {
            closingVectors[newest.generation] = entry.closingVector
            generationStarts[entry.generation] = entry.version
            // Sets, here and where keys are checked: a member may name thousands.
            let known = Set(newest.voidGenerations)
            for generation in entry.voidGenerations where !known.contains(generation) {
                // Its author may have lied about where the one before it ended.
                closingVectors[generation - 1]?.raise(to: entry.closingVector)
            }
        }
        entries.append(next)
        hashes.append(next.hash)
        rootChecks[entry.generation] = entry.rootCheck
        for generation in entry.voidGenerations where voidAuthors[generation] == nil {
            voidAuthors[generation] = entry.author
        }
        if CircleRules.bringsCredentialsBox(entry, signed: next) {
            newestWithCredentialsBox = entry.version
        }
        newest = entry
        sponsors.note(entry)
    }

    /// The entry of a version that the chain has.
    package func entry(version: UInt64) throws(CircleError) -> CircleEntry {
        try CircleRules.decode(entries[Int(version) - 1])
    }

    package var newestHash: Hash { hashes[hashes.count - 1] }

    /// Whether the entry of this version is the one with this hash.
    package func contains(version: UInt64, hash: Hash) -> Bool {
        guard version >= 1, version <= UInt64(hashes.count) else { return false }
        return hashes[Int(version) - 1] == hash
    }
}
