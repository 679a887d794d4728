package import KSDigests
internal import KSPrimitives
package import KSRecords
package import KSSecrets
internal import Synchronization

/// The account's secrets that every member holds: index key, hedge secret H, and the root keys by
/// generation.
///
/// While the device is locked it lacks the root keys and what opens keychain records; index key, H,
/// digest, head, names and key-value keys stay.
package final class KeyRing: Sendable {
    let indexSecret: SharedSecret
    /// H: a party that knows it was in the circle once.
    ///
    /// Key envelopes open only with it.
    package let hedgeSecret: SharedSecret
    private let index: HMACKey
    private let generationKeys: Mutex<[UInt64: GenerationKeys]>

    private init(
        indexSecret: SharedSecret,
        hedgeSecret: SharedSecret,
        roots: [UInt64: SharedSecret]
    ) {
        self.indexSecret = indexSecret
        self.hedgeSecret = hedgeSecret
        generationKeys = Mutex(roots.mapValues(GenerationKeys.init))
        index = HMACKey(indexSecret)
    }

    /// The key ring of a new account.
    package static func random(from random: any RandomSource) -> KeyRing {
        KeyRing(
            indexSecret: .random(from: random),
            hedgeSecret: .random(from: random),
            roots: [1: .random(from: random)]
        )
    }

    /// This ring with one more generation.
    ///
    /// - Parameters:
    ///   - number: its number; by default the one after this ring's newest.
    ///   - random: for its root key.
    /// - Throws: ``SealingError/classLocked(_:)`` while the ring is locked.
    /// - Returns: the longer ring.
    package func startingGeneration(
        _ number: UInt64? = nil,
        from random: any RandomSource
    ) throws(SealingError) -> KeyRing {
        var roots = try roots()
        roots[number ?? newestGeneration + 1] = .random(from: random)
        return KeyRing(
            indexSecret: indexSecret,
            hedgeSecret: hedgeSecret,
            roots: roots
        )
    }

    package var generations: [UInt64] { generationKeys.withLock { $0.keys.sorted() } }

    /// Rises when a member is removed; new writes use the newest generation.
    package var newestGeneration: UInt64 { generationKeys.withLock { $0.keys.max() ?? 0 } }

    /// Adds the generations of a checked newer ring of this account to this one, whose owners then
    /// all have them.
    ///
    /// If this one was locked meanwhile, the new keys are locked too.
    package func take(_ newer: KeyRing) {
        let all = newer.generationKeys.withLock { $0 }
        generationKeys.withLock { keys in
            let isLocked = keys.values.contains { $0.unlocked == nil }
            for (generation, var added) in all where keys[generation] == nil {
                if isLocked { added.unlocked = nil }
                keys[generation] = added
            }
        }
    }

    private func keys(of generation: UInt64) -> GenerationKeys? {
        generationKeys.withLock { $0[generation] }
    }

    private func roots() throws(SealingError) -> [UInt64: SharedSecret] {
        let roots = generationKeys.withLock { $0.compactMapValues(\.unlocked?.root) }
        guard roots.count == generations.count else { throw .classLocked(.whenUnlocked) }
        return roots
    }

    /// - Throws: ``SealingError/generationUnknown(generation:)``, or
    ///   ``SealingError/classLocked(_:)`` while the ring is locked.
    func root(generation: UInt64) throws(SealingError) -> SharedSecret {
        guard let root = try roots()[generation] else {
            throw .generationUnknown(generation: generation)
        }
        return root
    }

    /// Whether this ring has every root key of another except those of some generations, and the
    /// same index key and H.
    func extends(_ other: KeyRing, except voidGenerations: [UInt64]) -> Bool {
        let void = Set(voidGenerations)
        return indexSecret.isEqual(to: other.indexSecret)
            && hedgeSecret.isEqual(to: other.hedgeSecret)
            && other.generations.allSatisfy {
                void.contains($0) || rootCheck(generation: $0) == other.rootCheck(generation: $0)
            }
    }

    /// The same ring with only some of its generations; nil without any.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` while it is locked.
    func keeping(_ isKept: (UInt64) -> Bool) throws(SealingError) -> KeyRing? {
        let roots = try roots().filter { isKept($0.key) }
        guard !roots.isEmpty else { return nil }
        return KeyRing(indexSecret: indexSecret, hedgeSecret: hedgeSecret, roots: roots)
    }

    /// This ring, with those generations of another that it does not have.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` while one of them is locked.
    func adding(_ other: KeyRing) throws(SealingError) -> KeyRing {
        KeyRing(
            indexSecret: indexSecret,
            hedgeSecret: hedgeSecret,
            roots: try roots().merging(try other.roots()) { own, _ in own }
        )
    }

    // MARK: Locking

    package var isLocked: Bool {
        generationKeys.withLock { $0.values.contains { $0.unlocked == nil } }
    }

    /// Wipes the keys that only an unlocked device may use.
    package func lock() {
        generationKeys.withLock { keys in
            for generation in keys.keys { keys[generation]?.unlocked = nil }
        }
    }

    /// Restores the keys that ``lock()`` wiped, from the same ring read again.
    package func unlock(with ring: KeyRing) {
        let unlocked = ring.generationKeys.withLock { $0.compactMapValues(\.unlocked) }
        generationKeys.withLock { keys in
            for generation in keys.keys { keys[generation]?.unlocked = unlocked[generation] }
        }
    }

    /// The id of the record of this primary key, the same on every device of the account.
    package func recordID(forCanonicalKey canonicalKey: [UInt8], kind: RecordKind) -> RecordID {
        var encoder = CanonicalEncoder(label: "record id")
        encoder.integer(kind.rawValue)
        encoder.bytes(canonicalKey)
        return RecordID(validated: index.authenticate(encoder.encoded))
    }

    /// K(index key, "check"), which a credentials box has.
    var indexCheck: [UInt8] { KeyDerivation.key(indexSecret, "check").copyBytes() }

    /// K(root, "check"): a public value that identifies a root key without revealing it.
    package func rootCheck(generation: UInt64) -> [UInt8]? {
        keys(of: generation)?.check
    }

    /// Whether its newest root key is the one that the entry states.
    func belongs(to entry: CircleEntry) -> Bool {
        newestGeneration == entry.generation
            && rootCheck(generation: entry.generation) == entry.rootCheck
    }

    /// K(root, "digest"), for D(V).
    package func digestKey(generation: UInt64) -> SharedSecret? {
        keys(of: generation)?.digest
    }

    /// - Throws: ``SealingError/generationUnknown(generation:)``, or for kinds that a locked device
    ///   cannot read ``SealingError/classLocked(_:)`` while the ring is locked.
    package func recordKey(_ kind: RecordKind, generation: UInt64) throws(SealingError) -> BoxKey {
        guard let keys = keys(of: generation) else {
            throw .generationUnknown(generation: generation)
        }
        if let key = keys.records[kind] { return key }
        guard let unlocked = keys.unlocked else { throw .classLocked(.whenUnlocked) }
        return unlocked.records[kind] ?? BoxKey(KeyDerivation.key(unlocked.root, kind.keyLabel))
    }

    func namesKey(generation: UInt64) -> BoxKey? {
        keys(of: generation)?.names
    }
}

// MARK: Encoding

extension KeyRing {
    /// The whole ring as bytes, to be sealed at once: into a key envelope or a row.
    ///
    /// - Throws: ``SealingError/classLocked(_:)`` while it is locked.
    package func encode() throws(SealingError) -> [UInt8] {
        try encode(upTo: newestGeneration)
    }

    /// The ring as it was before any later generation began, without void generations.
    func encode(
        upTo generation: UInt64,
        except voidGenerations: [UInt64] = []
    ) throws(SealingError) -> [UInt8] {
        let void = Set(voidGenerations)
        let roots = try roots().filter { $0.key <= generation && !void.contains($0.key) }
        var encoder = CanonicalEncoder(label: "key ring")
        encoder.bytes(indexSecret.copyBytes())
        encoder.bytes(hedgeSecret.copyBytes())
        encoder.list(roots.sorted { $0.key < $1.key }) { encoder, element in
            encoder.integer(element.key)
            encoder.bytes(element.value.copyBytes())
        }
        return encoder.encoded
    }

    /// - Throws: ``SealingError/malformed``.
    package convenience init(decoding encoded: [UInt8]) throws(SealingError) {
        do {
            var decoder = try CanonicalDecoder(encoded, label: "key ring")
            let index = SharedSecret(bytes: try decoder.bytes(count: 32))
            let hedge = SharedSecret(bytes: try decoder.bytes(count: 32))
            let roots = try decoder.list { decoder throws(RecordsError) in
                let generation = try decoder.integer()
                let root = SharedSecret(bytes: try decoder.bytes(count: 32))
                return (generation: generation, root: root)
            }
            try decoder.end()
            guard let oldest = roots.first?.generation, oldest > 0,
                zip(roots, roots.dropFirst()).allSatisfy({ $0.generation < $1.generation })
            else { throw RecordsError.malformed }
            self.init(
                indexSecret: index,
                hedgeSecret: hedge,
                roots: Dictionary(uniqueKeysWithValues: roots.map { ($0.generation, $0.root) })
            )
        } catch {
            throw .malformed
        }
    }
}

/// The keys derived from a root key.
private struct GenerationKeys: Sendable {
    /// The keys that only an unlocked device has.
    struct Unlocked: Sendable {
        let root: SharedSecret
        /// Of the kinds that only an unlocked device can read.
        let records: [RecordKind: BoxKey]
    }

    var unlocked: Unlocked?
    let check: [UInt8]
    /// Of the kinds that a locked device can read.
    let records: [RecordKind: BoxKey]
    let digest: SharedSecret
    let names: BoxKey

    init(root: SharedSecret) {
        func keys(_ kinds: some Sequence<RecordKind>) -> [RecordKind: BoxKey] {
            Dictionary(
                uniqueKeysWithValues: kinds.map {
                    ($0, BoxKey(KeyDerivation.key(root, $0.keyLabel)))
                }
            )
        }
        unlocked = Unlocked(
            root: root,
            records: keys(RecordKind.known.filter { !$0.isReadableWhileLocked })
        )
        check = KeyDerivation.key(root, "check").copyBytes()
        records = keys(RecordKind.known.filter(\.isReadableWhileLocked))
        digest = KeyDerivation.key(root, "digest")
        names = BoxKey(KeyDerivation.key(root, "names"))
    }
}
