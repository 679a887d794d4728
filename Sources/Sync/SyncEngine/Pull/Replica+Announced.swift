internal import GRDB
internal import KSCausality
internal import KSRecords

// A page that comes with an event replaces a pull.

extension Replica {
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
        defer { announced = nil }
        guard let page = announced, machine.isCaughtUp, page.after == cursor,
            try isCurrent(page.page)
        else {
            machine.answerPull(isAnnounced: false, uptimeMilliseconds: uptime())
            return false
        }
        machine.answerPull(isAnnounced: true, uptimeMilliseconds: uptime())
        try receive(.page(page.page), to: request)
        return true
    }

    /// Whether a page has everything that this device has seen.
    ///
    /// An event may be older than the last answer, and than the circle. Such a page does not mean
    /// that the server went back, as the answer to a pull would.
    private func isCurrent(_ page: PageAnswer) throws -> Bool {
        let known = try database.unsafeRead { try SyncStateTable.shownVector(from: $0) }
        return try page.vector.covers(known) && page.cursor.epoch == state().epoch
            && page.circleVersion >= circle.newest.version
    }
}
