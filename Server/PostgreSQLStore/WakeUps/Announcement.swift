internal import KSBytes
package import KSRecords

/// What one server tells the others about an account that it has changed.
package struct Announcement: Hashable, Sendable {
    package let account: AccountID
    /// The member who made the change; nil for several members', or if nobody knows.
    package var author: MemberID?
    /// The cursor behind the newest write; nil if only the circle has changed.
    package var cursor: Cursor?
    /// 0 if the circle has not changed.
    package var circleVersion: UInt64
    /// Whether the account was deleted.
    package var isEnd: Bool

    package init(
        account: AccountID,
        author: MemberID?,
        cursor: Cursor?,
        circleVersion: UInt64,
        isEnd: Bool = false
    ) {
        (self.account, self.author, self.cursor) = (account, author, cursor)
        (self.circleVersion, self.isEnd) = (circleVersion, isEnd)
    }

    /// Both changes in one.
    func merged(with other: Announcement) -> Announcement {
        var merged = self
        if other.author != author { merged.author = nil }
        if other.cursor?.seq ?? 0 >= cursor?.seq ?? 0 { merged.cursor = other.cursor ?? cursor }
        merged.circleVersion = max(circleVersion, other.circleVersion)
        merged.isEnd = isEnd || other.isEnd
        return merged
    }
}

/// A message between servers: some announcements, and how many messages their sender has sent.
struct AnnouncementMessage: Equatable {
    /// PostgreSQL takes messages of less than 8,000 bytes.
    static let announcementsMax = 30

    /// The store's, since several stores may be in one database.
    let store: StoreEpoch
    let node: [UInt8]
    let count: UInt64
    let announcements: [Announcement]

    init(store: StoreEpoch, node: [UInt8], count: UInt64, announcements: [Announcement]) {
        (self.store, self.node, self.count) = (store, node, count)
        self.announcements = announcements
    }

    var text: String {
        var encoder = CanonicalEncoder(label: "announcement")
        encoder.fixed(store)
        encoder.bytes(node)
        encoder.integer(count)
        encoder.list(announcements) { encoder, announcement in
            encoder.fixed(announcement.account)
            encoder.bytes(announcement.author?.bytes ?? [])
            encoder.bytes(announcement.cursor.map { $0.epoch.bytes + $0.tag.bytes } ?? [])
            encoder.integer(announcement.cursor?.seq ?? 0)
            encoder.integer(announcement.circleVersion)
            encoder.boolean(announcement.isEnd)
        }
        return String(hexadecimal: encoder.encoded)
    }

    /// Nil for a message of somebody else, or of a newer form.
    init?(text: String) {
        guard let bytes = [UInt8](hexadecimal: text.utf8),
            // Anyone with access to the database may send something else.
            let message = try? Self.decode(bytes)
        else { return nil }
        self = message
    }

    private static func decode(_ bytes: [UInt8]) throws(RecordsError) -> AnnouncementMessage {
        var decoder = try CanonicalDecoder(bytes, label: "announcement")
        let message = AnnouncementMessage(
            store: try decoder.fixed(),
            node: try decoder.bytes(),
            count: try decoder.integer(),
            announcements: try decoder.list { decoder throws(RecordsError) in
                let account: AccountID = try decoder.fixed()
                let author = MemberID(try decoder.bytes())
                let history = try decoder.bytes()
                let seq = try decoder.integer()
                let epoch = StoreEpoch(Array(history.prefix(StoreEpoch.byteCount)))
                let tag = CommitTag(Array(history.dropFirst(StoreEpoch.byteCount)))
                var cursor: Cursor?
                if let epoch, let tag { cursor = Cursor(epoch: epoch, seq: seq, tag: tag) }
                return Announcement(
                    account: account,
                    author: author,
                    cursor: cursor,
                    circleVersion: try decoder.integer(),
                    isEnd: try decoder.boolean()
                )
            }
        )
        try decoder.end()
        return message
    }
}
