internal import KSRecords

/// The purpose of a box, so that no box opens in place of another.
package struct BoxPurpose: Hashable, Sendable, CaseIterable {
    package static let record = BoxPurpose("record")
    package static let head = BoxPurpose("head")
    package static let names = BoxPurpose("names")
    package static let credentials = BoxPurpose("credentials")
    package static let recovery = BoxPurpose("recovery")
    package static let joinRequest = BoxPurpose("join request")
    package static let classKey = BoxPurpose("class key")
    package static let row = BoxPurpose("row")
    package static let backup = BoxPurpose("backup")
    package static let fileKey = BoxPurpose("file key")
    package static let allCases = [
        record, head, names, credentials, recovery, joinRequest, classKey, row, backup, fileKey,
    ]

    /// What the derivation of every key of this purpose starts with; made once, since each box asks
    /// for it.
    let infoStart: [UInt8]

    /// `label`: what every box of this purpose is bound to.
    private init(_ label: String) {
        var encoder = CanonicalEncoder(label: "box")
        encoder.string(CanonicalEncoder.labelPrefix + label)
        infoStart = encoder.encoded
    }
}
