internal import KSRedaction

/// One synchronizable internet password to add, with all its secrets in the file.
package struct ImportedItem: Hashable, Sendable {
    package let server: String
    /// `htps` or `http`; nil if the row's URL is not a web address.
    package let protocolCode: String?
    /// Zero means the protocol's default.
    package let port: UInt16
    /// HTTP's realm, which only Firefox writes.
    package let securityDomain: String
    package let account: String
    package let label: String
    package let comment: String
    /// Base32 or `otpauth://` addresses, as the file has them.
    package let oneTimeCodes: [String]
    /// The passwords: the first becomes the current one, the others go to the item's history.
    ///
    /// The last changed one is the first; those without a time in the file follow, in the order of
    /// their rows.
    package let secrets: [[UInt8]]
    /// The row of each secret.
    package let secretRows: [Int]
    /// When each secret was changed, in milliseconds since 1970; nil where the file does not say.
    package let secretTimes: [Int64?]
    /// The rows of this item, repeated ones too, in order.
    package let rows: [Int]
}

extension ImportedItem: Redacted {
    package var shownPart: String { "rows \(rows), \(secrets.count) secrets" }
}
