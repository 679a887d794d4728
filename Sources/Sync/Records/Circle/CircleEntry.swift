package import KSCausality

/// What a member of the circle is.
package enum MemberKind: UInt64, Sendable {
    case device = 1
    case credentials = 2
    case recovery = 3
}

/// A member of the circle: two public keys, and a name that the server cannot read.
package struct Member: Hashable, Sendable {
    package let id: MemberID
    package let kind: MemberKind
    /// Ed25519.
    package let signingKey: [UInt8]
    /// X25519.
    package let agreementKey: [UInt8]
    /// The sealed name.
    package var nameBox: [UInt8]
    package let addedAtVersion: UInt64
    package let addedBy: MemberID

    package init(
        id: MemberID,
        kind: MemberKind,
        signingKey: [UInt8],
        agreementKey: [UInt8],
        nameBox: [UInt8],
        addedAtVersion: UInt64,
        addedBy: MemberID
    ) {
        (self.id, self.kind, self.signingKey) = (id, kind, signingKey)
        (self.agreementKey, self.nameBox) = (agreementKey, nameBox)
        (self.addedAtVersion, self.addedBy) = (addedAtVersion, addedBy)
    }
}

/// What an entry of the circle does to the one before.
package enum CircleOperation: UInt64, Sendable {
    case genesis = 1
    case addDevice = 2
    case revoke = 3
    case rename = 4
    case replaceCredentials = 5
    case changeRecovery = 6
    case retireGenerations = 7
}

/// One entry of an account's circle: all its members and floors, as of one version.
package struct CircleEntry: Hashable, Sendable {
    package var account: AccountID
    /// 1 at genesis, one more with each entry.
    package var version: UInt64
    /// The hash of the entry before; zeros at genesis.
    package var previousHash: Hash
    package var operation: CircleOperation
    /// By id.
    package var members: [Member]
    package var generation: UInt64
    /// K(root, "check") of this generation.
    package var rootCheck: [UInt8]
    /// The account vector at which the previous generation ended; empty if none ended here.
    package var closingVector: VersionVector
    /// D(closing vector) under the new digest key; zeros if no generation ended here.
    package var closingDigest: Hash
    /// The earlier generations whose keys their author gave to nobody, in rising order.
    ///
    /// An entry with false key envelopes began each of them. No ring has their root keys, and no
    /// record under them is read.
    package var voidGenerations: [UInt64]
    /// Records below this generation are refused.
    package var oldestGeneration: UInt64
    /// Records below this format are refused.
    package var oldestFormat: UInt64
    package var envelopesHash: Hash
    package var author: MemberID

    package init(
        account: AccountID,
        version: UInt64,
        previousHash: Hash,
        operation: CircleOperation,
        members: [Member],
        generation: UInt64,
        rootCheck: [UInt8],
        closingVector: VersionVector = VersionVector(),
        closingDigest: Hash = .zero,
        voidGenerations: [UInt64] = [],
        oldestGeneration: UInt64,
        oldestFormat: UInt64,
        envelopesHash: Hash,
        author: MemberID
    ) {
        (self.account, self.version, self.previousHash) = (account, version, previousHash)
        self.operation = operation
        self.members = members.sorted { $0.id < $1.id }
        (self.generation, self.rootCheck) = (generation, rootCheck)
        (self.closingVector, self.closingDigest) = (closingVector, closingDigest)
        (self.voidGenerations, self.oldestGeneration) = (voidGenerations, oldestGeneration)
        (self.oldestFormat, self.envelopesHash, self.author) = (oldestFormat, envelopesHash, author)
    }

    package func member(_ id: MemberID) -> Member? { members.first { $0.id == id } }

    /// The devices in the order in which they joined.
    package var devices: [Member] {
        members.filter { $0.kind == .device }
            .sorted { ($0.addedAtVersion, $0.id) < ($1.addedAtVersion, $1.id) }
    }
}
