internal import GRDB
internal import KSCausality
internal import KSRecords

// A page that comes with an event replaces a pull.

extension Replica {
    /// After this long without a pull, milliseconds, a device pulls once after an announced page.
    ///
    /// Only pulls and pushes tell the server what this device has applied.
    static let pullMilliseconds: UInt64 = 3_600_000

    /// Applies the page that came with an event, if it can replace this pull.
    ///
    /// In the middle of a pull it cannot, for the event may be older than the pull's first pages.
    /// These leave out a record that was written again later: its new seq comes after them. The
    /// event's vector covers that record's first write, which this device has not seen; when the
    /// record comes, the write would look as if the server had gone back.
    ///
    /// - Returns: false if the request has to be sent.
    func receiveAnnounced(
        insteadOf request: NumberedRequest,
        after cursor: KSRecords.Cursor?
    ) throws -> Bool {
        let now = uptime()
        guard let page = announced, isCaughtUp, page.after == cursor, try isCurrent(page.page)
        else {
            announced = nil
            lastPullUptime = now
            return false
        }
        announced = nil
        let isPullDue = lastPullUptime.map { now - min($0, now) >= Self.pullMilliseconds } ?? true
        try receive(.page(page.page), to: request)
        if isPullDue { tell(.serverNotice) }
        return true
    }

    /// Whether a page has everything that this device has seen.
    ///
    /// An event may be older than the last answer. Such a page does not mean that the server went
    /// back, as the answer to a pull would.
    private func isCurrent(_ page: PageAnswer) throws -> Bool {
        let known = try database.unsafeRead { try SyncStateTable.vector(from: $0) }
        return try page.vector.covers(known) && page.cursor.epoch == state().epoch
    }
}
