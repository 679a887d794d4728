internal import Records

/// What a box is for, so that none opens in another's place.
package enum BoxPurpose: String, Sendable, CaseIterable {
    case record
    case head
    case names
    case credentials
    case recovery
    case joinRequest = "join request"
    case classKey = "class key"
    case row
    case backup
    case fileKey = "file key"
}

extension BoxPurpose {
    /// What the derivation of every key of this purpose starts with.
    var infoStart: [UInt8] {
        // Made once: each box asks for it.
        Self.infoStarts[self, default: Self.madeInfoStart(self)]
    }

    private static let infoStarts = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, madeInfoStart($0)) }
    )

    private static func madeInfoStart(_ purpose: BoxPurpose) -> [UInt8] {
        var encoder = CanonicalEncoder(label: "box")
        encoder.string(CanonicalEncoder.labelPrefix + purpose.rawValue)
        return encoder.encoded
    }
}
