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
    /// The passwords in the order of their rows: the first becomes the current one, the others
    /// go to the item's history.
    package let secrets: [[UInt8]]
    /// The rows of this item, repeated ones too, in order.
    package let rows: [Int]

    /// The secrets in the order of writing: the file's first one is written last, so it becomes
    /// the current one.
    package var secretsInWritingOrder: [[UInt8]] { secrets.reversed() }
}

extension ImportedItem: Redacted {
    package var shownPart: String { "rows \(rows), \(secrets.count) secrets" }
}
