package import Digests
internal import Primitives
package import Records
package import Secrets

/// The account's secrets that every member holds: index key, hedge secret H, and the root keys by
/// generation.
package final class KeyRing: Sendable {
    /// Rises when a member is shut out; what is written uses the newest.
    package let newestGeneration: UInt64
    let indexSecret: SharedSecret
    /// H: who knows it was in the circle once.
    ///
    /// Key envelopes open only with it.
    package let hedgeSecret: SharedSecret
    private let index: HMACKey
    private let roots: [UInt64: RootKeys]

    private init(
        indexSecret: SharedSecret,
        hedgeSecret: SharedSecret,
        roots: [UInt64: RootKeys],
        newestGeneration: UInt64
    ) {
        self.indexSecret = indexSecret
        self.hedgeSecret = hedgeSecret
        self.roots = roots
        self.newestGeneration = newestGeneration
        index = HMACKey(indexSecret)
    }

    /// A new account's.
    package static func random(from random: any RandomSource) -> KeyRing {
        KeyRing(
            indexSecret: .random(from: random),
            hedgeSecret: .random(from: random),
            roots: [1: RootKeys(root: .random(from: random))],
            newestGeneration: 1
        )
    }

    /// This ring with one more generation.
    package func startingGeneration(from random: any RandomSource) -> KeyRing {
        var roots = roots
        roots[newestGeneration + 1] = RootKeys(root: .random(from: random))
        return KeyRing(
            indexSecret: indexSecret,
            hedgeSecret: hedgeSecret,
            roots: roots,
            newestGeneration: newestGeneration + 1
        )
    }

    package var generations: [UInt64] { roots.keys.sorted() }

    /// The id of the record of this primary key, the same on every device of the account.
    package func recordID(
        forCanonicalKey canonicalKey: [UInt8],
        kind: RecordKind = .keychain
    ) -> RecordID {
        var encoder = CanonicalEncoder(label: "record id")
        encoder.integer(kind.rawValue)
        encoder.bytes(canonicalKey)
        return RecordID(validated: index.authenticate(encoder.encoded))
    }

    /// K(root, "check"): public, it says which root key is meant without saying what it is.
    package func rootCheck(generation: UInt64) -> [UInt8]? {
        roots[generation]?.check
    }

    /// K(root, "digest"), for D(V).
    package func digestKey(generation: UInt64) -> SharedSecret? {
        roots[generation].map { KeyDerivation.key($0.root, "digest") }
    }

    func recordKey(_ kind: RecordKind, generation: UInt64) -> BoxKey? {
        switch kind {
        case .keychain: roots[generation]?.keychainRecords
        case .keyValue: roots[generation]?.keyValueRecords
        }
    }

    func headKey(generation: UInt64) -> BoxKey? {
        roots[generation].map { BoxKey(KeyDerivation.key($0.root, "head")) }
    }

    func namesKey(generation: UInt64) -> BoxKey? {
        roots[generation].map { BoxKey(KeyDerivation.key($0.root, "names")) }
    }
}

// MARK: Encoding

extension KeyRing {
    /// The whole ring as bytes, to be sealed at once: into a key envelope or a row.
    package func encode() -> [UInt8] {
        var encoder = CanonicalEncoder(label: "key ring")
        encoder.bytes(indexSecret.copyBytes())
        encoder.bytes(hedgeSecret.copyBytes())
        encoder.list(roots.sorted { $0.key < $1.key }) { encoder, element in
            encoder.integer(element.key)
            encoder.bytes(element.value.root.copyBytes())
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
                return (generation: generation, keys: RootKeys(root: root))
            }
            try decoder.end()
            guard let newest = roots.last?.generation, let oldest = roots.first?.generation,
                oldest > 0,
                zip(roots, roots.dropFirst()).allSatisfy({ $0.generation < $1.generation })
            else { throw RecordsError.malformed }
            self.init(
                indexSecret: index,
                hedgeSecret: hedge,
                roots: Dictionary(uniqueKeysWithValues: roots.map { ($0.generation, $0.keys) }),
                newestGeneration: newest
            )
        } catch {
            throw .malformed
        }
    }
}

/// What a root key is for, the two that every record needs made ready.
private struct RootKeys: Sendable {
    let root: SharedSecret
    let check: [UInt8]
    let keychainRecords: BoxKey
    let keyValueRecords: BoxKey

    init(root: SharedSecret) {
        self.root = root
        check = KeyDerivation.key(root, "check").copyBytes()
        keychainRecords = BoxKey(KeyDerivation.key(root, "record keychain"))
        keyValueRecords = BoxKey(KeyDerivation.key(root, "record kv"))
    }
}
