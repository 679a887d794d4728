internal import KSDigests

/// Which record: HMAC-SHA-256(index key, canonical primary key), so two devices that add the same
/// item meet in one record, and the server learns nothing from the id.
package struct RecordID: FixedBytes {
    package static let byteCount = 32
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }
}

/// Whose records: 16 random bytes, made by the client at sign-up.
package struct AccountID: FixedBytes {
    package static let byteCount = 16
    package let bytes: [UInt8]
    package init(validated: [UInt8]) { bytes = validated }
}

/// A member of an account's circle: a device, the credentials or a recovery key.
///
/// The first 16 bytes of SHA-256 of its Ed25519 public key, so that credentials know their own id
/// before they have heard anything from a server.
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

/// 8 random bytes drawn with each commit, so that a cursor proves which history it was given in.
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

    /// What stands before the first of a chain.
    package static let zero = Hash(validated: [UInt8](repeating: 0, count: 32))
}

/// What a record holds, which decides its key.
package enum RecordKind: UInt64, Sendable {
    case keychain = 1
    case keyValue = 2
}
