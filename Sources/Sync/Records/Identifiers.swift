internal import KSDigests

/// A record's id: HMAC-SHA-256(index key, canonical primary key).
///
/// Two devices that add the same item get one record, and the server learns nothing from the id.
package struct RecordID: FixedBytes {
    package static let byteCount = 32
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }
}

/// An account's id: 16 random bytes that the client makes at sign-up.
package struct AccountID: FixedBytes {
    package static let byteCount = 16
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }
}

/// A member of an account's circle: a device, the credentials or a recovery key.
///
/// The first 16 bytes of SHA-256 of its Ed25519 public key, so that credentials know their own id
/// without asking a server.
package struct MemberID: FixedBytes {
    package static let byteCount = 16
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }

    package init(signingKey: [UInt8]) {
        bytes = Array(SHA256.hash(signingKey).prefix(Self.byteCount))
    }
}

/// Which life of the server's store this is: 16 random bytes; a restore begins a new one.
package struct StoreEpoch: FixedBytes {
    package static let byteCount = 16
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }
}

/// 8 random bytes of each commit, so that a cursor proves from which history it comes.
package struct CommitTag: FixedBytes {
    package static let byteCount = 8
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }

    /// The tag of seq 0, before the first commit.
    package static let start = CommitTag(validated: [UInt8](repeating: 0, count: 8))
}

/// A SHA-256 value.
package struct Hash: FixedBytes {
    package static let byteCount = 32
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }

    /// The predecessor of a chain's first link.
    package static let zero = Hash(validated: [UInt8](repeating: 0, count: 32))
}
