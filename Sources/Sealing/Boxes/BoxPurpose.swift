internal import KSRecords

/// The purpose of a box, so that no box opens in place of another.
///
/// The raw values count the cases from 0 and are written nowhere.
package enum BoxPurpose: Int, Sendable, CaseIterable {
    case record = 0
    case head
    case names
    case credentials
    case recovery
    case joinRequest
    case classKey
    case row
    case backup
    case fileKey

    /// The label that every box of this purpose is bound to.
    var label: String {
        switch self {
        case .record: "record"
        case .head: "head"
        case .names: "names"
        case .credentials: "credentials"
        case .recovery: "recovery"
        case .joinRequest: "join request"
        case .classKey: "class key"
        case .row: "row"
        case .backup: "backup"
        case .fileKey: "file key"
        }
    }
}

extension BoxPurpose {
    /// What the derivation of every key of this purpose starts with.
    var infoStart: [UInt8] {
        // Made once: each box asks for it.
        Self.infoStarts[rawValue]
    }

    private static let infoStarts = allCases.map { purpose in
        var encoder = CanonicalEncoder(label: "box")
        encoder.string(CanonicalEncoder.labelPrefix + purpose.label)
        return encoder.encoded
    }
}
