/// Why an edit is blocked: it is not sent until its entry is changed or its record is pulled again.
///
/// A name is never used again for another reason.
package enum BlockedReason: String, Sendable, CaseIterable {
    /// The entry has grown too large for one envelope.
    case tooLarge = "too_large"
    /// The record fits the server, but a proxy before it refuses a request with it alone.
    case proxyLimit = "proxy_limit"
    /// The server refuses the record's form.
    case malformed
    /// The record has as many siblings on the server as the server keeps.
    case siblingsFull = "siblings_full"
    /// The same, and this program can open none of them: its write would replace none.
    case siblingsUnreadable = "siblings_unreadable"
    /// A row of the record cannot be read on this device.
    case damaged
    /// Another record that goes in the same batch is blocked: the other half of a rename, or
    /// another key of a transaction.
    case tied = "tied"
}
