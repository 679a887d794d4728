internal import Dispatch
internal import Glibc
internal import KSDigests
package import KSMerging
internal import KSRecords
internal import Synchronization

/// Tells the other servers of a database what changed, and hears of their changes.
///
/// After its commit a change waits a few milliseconds for others; then one message has them all,
/// and never in a transaction that holds a lock: PostgreSQL lets only one such transaction of the
/// whole database commit at a time. Each server also writes down how many messages it has sent.
/// The others look at that each second: who has not heard one of them, because a connection was
/// lost or leads through a pooler, reads again what its clients wait for.
package final class WakeUps: Sendable {
    /// How long a change waits for others.
    private static let gathering = DispatchTimeInterval.milliseconds(7)
    /// How often a server looks at the others' counts.
    private static let pollInterval = Duration.seconds(1)
    /// How often a server says that it runs; a copy believes that it does for 30 seconds.
    private static let runningInterval = Duration.seconds(10)

    private struct State {
        var waiting: [AccountID: Announcement] = [:]
        var isScheduled = false
        var isStopped = false
        /// How many messages this server has sent.
        var sent: UInt64 = 0
        /// The highest number of a message that was heard, or read again, of each other server.
        var heard: [[UInt8]: UInt64] = [:]
        /// What the last look said of the others: one look later they must have been heard.
        var expected: [[UInt8]: UInt64] = [:]
        /// Nil before the first attempt.
        var isListening: Bool?
        var saidRunningAt = ContinuousClock.now
    }

    private let store: PostgreSQLStore
    private let address: String
    private let node = SystemRandomSource().bytes(16)
    private let state = Mutex(State())
    private let sending = DispatchQueue(label: "sync-server.announcements")
    private let hear: @Sendable (Announcement) -> Void
    private let doubt: @Sendable () -> Void
    private let noteListening: @Sendable (Bool) -> Void
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - store: what the servers share.
    ///   - address: of the same database, without a pooler: notifications do not pass one.
    ///   - hear: gets the changes of other servers, on a thread of this object.
    ///   - doubt: is called when changes were missed, on a thread of this object.
    ///   - noteListening: is called when the connection that hears is there, and when it is lost.
    package init(
        store: PostgreSQLStore,
        address: String,
        hear: @escaping @Sendable (Announcement) -> Void,
        doubt: @escaping @Sendable () -> Void,
        noteListening: @escaping @Sendable (Bool) -> Void
    ) {
        self.store = store
        self.address = address
        self.hear = hear
        self.doubt = doubt
        self.noteListening = noteListening
    }

    /// Says that this server runs, and begins to listen on a thread of its own.
    ///
    /// - Throws: ``StoreError/inUse`` while a copy is made, or the database's trouble.
    package func start() throws(StoreError) {
        // In this order: either this server sees the copy, or the copy sees this server.
        _ = try store.run(.noteRunning(node))
        let answers = try store.run(.lockAgainstCopies)
        guard try rethrowing({ try answers[0].first?.boolean(0) == true }) else { throw .inUse }
        // The queue's only block runs until the end.
        DispatchQueue(label: "sync-server.wake-ups").async { [self] in
            listen()
            ended.signal()
        }
    }

    /// Sends what waits, and ends; call it once, after ``start()``.
    package func stop() {
        state.withLock { $0.isStopped = true }
        sending.sync { send() }
        // An attempt to connect may take longer, and does no harm.
        _ = ended.wait(timeout: .now() + .seconds(1))
        // A copy would only wait for it.
        _ = try? store.run(.noteStopped(node))
    }

    // MARK: Sending

    /// Announces a change that was committed.
    package func announce(_ announcement: Announcement) {
        let isFirst = state.withLock { state in
            guard !state.isStopped else { return false }
            let waiting = state.waiting[announcement.account]
            state.waiting[announcement.account] =
                waiting?.merged(with: announcement) ?? announcement
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        sending.asyncAfter(deadline: .now() + Self.gathering) { [self] in send() }
    }

    private func send() {
        let waiting = state.withLock { state in
            state.isScheduled = false
            defer { state.waiting = [:] }
            return state.waiting.values.sorted { $0.account < $1.account }
        }
        for start in stride(from: 0, to: waiting.count, by: AnnouncementMessage.announcementsMax) {
            send(Array(waiting[start...].prefix(AnnouncementMessage.announcementsMax)))
        }
    }

    private func send(_ announcements: [Announcement]) {
        // The number counts even if the message is lost, so that the others notice.
        let count = state.withLock { state in
            state.sent += 1
            return state.sent
        }
        let message = AnnouncementMessage(
            store: store.epoch,
            node: node,
            count: count,
            announcements: announcements
        )
        // What cannot be sent now is noticed by the number of the next message.
        try? store.send(message)
    }

    // MARK: Listening

    private func listen() {
        var backOff = BackOff()
        while !state.withLock({ $0.isStopped }) {
            do throws(DatabaseFailure) {
                let connection = try DatabaseConnection(address, answerMax: .seconds(15))
                _ = try connection.run([.listen])
                backOff.reset()
                setListening(true)
                // Messages were missed until now.
                doubt()
                try listen(on: connection)
            } catch {
                setListening(false)
                wait(backOff.next())
            }
        }
    }

    private func setListening(_ isListening: Bool) {
        let isNew = state.withLock { state in
            defer { state.isListening = isListening }
            return state.isListening != isListening
        }
        if isNew { noteListening(isListening) }
    }

    /// Hears until the connection is lost.
    private func listen(on connection: DatabaseConnection) throws(DatabaseFailure) {
        var nextPoll = ContinuousClock.now
        while !state.withLock({ $0.isStopped }) {
            for text in try connection.messages(within: .milliseconds(200)) { take(text) }
            guard ContinuousClock.now >= nextPoll else { continue }
            nextPoll = ContinuousClock.now + Self.pollInterval
            poll()
        }
    }

    /// Looks at the others' counts until this time has passed.
    private func wait(_ pause: Duration) {
        let end = ContinuousClock.now + pause
        while ContinuousClock.now < end, !state.withLock({ $0.isStopped }) {
            poll()
            let left = min(end - ContinuousClock.now, Self.pollInterval)
            usleep(UInt32(clamping: Int(max(left, .milliseconds(1)) / .microseconds(1))))
        }
    }

    private func take(_ text: String) {
        guard let message = AnnouncementMessage(text: text), message.store == store.epoch,
            message.node != node
        else { return }
        let isGap = state.withLock { state in
            let before = state.heard[message.node]
            state.heard[message.node] = max(before ?? 0, message.count)
            return before.map { message.count > $0 + 1 } ?? false
        }
        for announcement in message.announcements { hear(announcement) }
        if isGap { doubt() }
    }

    /// Compares the others' counts with what was heard, and says at times that this server runs.
    private func poll() {
        let isDue = state.withLock { state in
            guard ContinuousClock.now >= state.saidRunningAt + Self.runningInterval else {
                return false
            }
            state.saidRunningAt = .now
            return true
        }
        // The next time says it.
        if isDue { _ = try? store.run(.noteRunning(node)) }
        // The next look sees what this one missed.
        guard let counts = try? store.announcements() else { return }
        let isMissing = state.withLock { state in
            var isMissing = false
            for (other, count) in counts where other != node {
                let heard = state.heard[other]
                // Without a connection nothing more is heard; with one, the message may come yet.
                let due = state.isListening == true ? state.expected[other] ?? 0 : count
                if heard ?? 0 < due {
                    isMissing = true
                    state.heard[other] = count
                }
                state.expected[other] = count
            }
            return isMissing
        }
        if isMissing { doubt() }
    }
}

extension PostgreSQLStore {
    /// Sends a message to the servers that listen, and counts it for those that do not.
    fileprivate func send(_ message: AnnouncementMessage) throws {
        try transaction(.lazy, patience: .zero) { transaction in
            transaction.later(.countAnnouncements(message.count, of: message.node))
            transaction.later(.announce(message.text))
        }
    }

    fileprivate func announcements() throws -> [(node: [UInt8], count: UInt64)] {
        try run(.announcements)[0].rows.map { (node: try $0.bytes(0), count: try $0.integer(1)) }
    }
}
