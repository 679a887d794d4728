package import KSRecords

extension Cursor {
    private static let textByteCount = StoreEpoch.byteCount + 8 + CommitTag.byteCount

    /// The cursor for the `after` parameter of `GET /v1/changes`.
    ///
    /// Base64url of epoch, seq (8 bytes, big-endian) and tag.
    package var text: String {
        let seqBytes = (0..<8).map { UInt8(truncatingIfNeeded: seq >> (56 - 8 * UInt64($0))) }
        return Base64URL.encode(epoch.bytes + seqBytes + tag.bytes)
    }

    /// Reads ``text``.
    package init(text: String) throws(WireError) {
        guard let bytes = Base64URL.decode(text), bytes.count == Self.textByteCount,
            let epoch = StoreEpoch(Array(bytes.prefix(StoreEpoch.byteCount))),
            let tag = CommitTag(Array(bytes.suffix(CommitTag.byteCount)))
        else { throw .malformed }
        let seqBytes = bytes.dropFirst(StoreEpoch.byteCount).prefix(8)
        self.init(epoch: epoch, seq: seqBytes.reduce(0) { $0 << 8 | UInt64($1) }, tag: tag)
    }
}
