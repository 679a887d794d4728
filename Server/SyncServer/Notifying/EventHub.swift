package import KSPostgreSQLStore
package import KSRecords
internal import Synchronization
internal import KSWire

/// What was announced of an account since a listener subscribed.
package struct Standing: Hashable, Sendable {
    /// The cursor behind the newest write; nil until one is announced.
    var cursor: Cursor?
    /// The newest seq written by another member than the listener; 0 until one is announced.
    var seqOfOthers: UInt64 = 0
    /// 0 until one is announced.
    var circleVersion: UInt64 = 0

    package init(cursor: Cursor? = nil, seqOfOthers: UInt64 = 0, circleVersion: UInt64 = 0) {
        self.cursor = cursor
        self.seqOfOthers = seqOfOthers
        self.circleVersion = circleVersion
    }

    var seq: UInt64 { cursor?.seq ?? 0 }

    func merged(with other: Standing) -> Standing {
        Standing(
            cursor: other.seq > seq ? other.cursor : cursor,
            seqOfOthers: max(seqOfOthers, other.seqOfOthers),
            circleVersion: max(circleVersion, other.circleVersion)
        )
    }
}

/// Announces an account's newest standing to its waiting requests and event streams.
///
/// A slow listener gets only the newest standing, which includes what it missed.
package final class EventHub: Sendable {
    package init() {}

    private struct State {
        /// Tells the other servers, if there are any.
        var announce: (@Sendable (Announcement) -> Void)?
        var nextID: UInt64 = 0
        var isStopped = false
        var accounts: [AccountID: [UInt64: Listener]] = [:]
    }

    private struct Listener {
        let member: MemberID
        var standing: Standing
        let continuation: AsyncStream<Standing>.Continuation
    }

    private let state = Mutex(State())

    /// Adds a listener.
    ///
    /// The listener leaves when the subscription ends, is dropped, or its task is cancelled.
    ///
    /// - Throws: ``Problem`` `tooManyRequests` if the member or the account has too many listeners.
    package func subscribe(_ member: MemberID, to account: AccountID) throws -> Subscription {
        let (standings, continuation) = AsyncStream.makeStream(
            of: Standing.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = try state.withLock { state -> UInt64? in
            guard !state.isStopped else { return nil }
            let listeners = state.accounts[account, default: [:]].values
            guard listeners.count < Limits.listenersMax,
                listeners.count(where: { $0.member == member }) < Limits.listenersPerMemberMax
            else { throw Problem(.tooManyRequests) }
            state.nextID += 1
            state.accounts[account, default: [:]][state.nextID] = Listener(
                member: member,
                standing: Standing(),
                continuation: continuation
            )
            return state.nextID
        }
        if let id {
            continuation.onTermination = { [weak self] _ in self?.remove(id, from: account) }
        } else {
            continuation.finish()
        }
        return Subscription(standings: standings, continuation: continuation) { [weak self] in
            guard let self, let id,
                let listener = state.withLock({ $0.accounts[account]?[id] })
            else { return }
            continuation.yield(listener.standing)
        }
    }

    /// Announces an account's standing after a write or an entry of this member.
    ///
    /// The author learns of its own write from the answer. Its listeners learn of it with the next
    /// heartbeat, since a copy of the device may listen as the same member.
    package func publish(_ standing: Standing, by author: MemberID, to account: AccountID) {
        show(standing, by: author, to: account)
        announce(
            Announcement(
                account: account,
                author: author,
                cursor: standing.cursor,
                circleVersion: standing.circleVersion
            )
        )
    }

    private func announce(_ announcement: Announcement) {
        state.withLock { $0.announce }?(announcement)
    }

    /// `author`: nil for several members.
    private func show(_ standing: Standing, by author: MemberID?, to account: AccountID) {
        let told = state.withLock { state -> [Listener] in
            guard var listeners = state.accounts[account] else { return [] }
            var told: [Listener] = []
            for (id, var listener) in listeners {
                let isAuthor = listener.member == author
                var news = standing
                news.seqOfOthers = isAuthor ? 0 : standing.seq
                let hasNewCircle = news.circleVersion > listener.standing.circleVersion
                listener.standing = listener.standing.merged(with: news)
                listeners[id] = listener
                if !isAuthor || hasNewCircle { told.append(listener) }
            }
            state.accounts[account] = listeners
            return told
        }
        for listener in told { listener.continuation.yield(listener.standing) }
    }

    /// Ends every subscription of a deleted account.
    package func end(_ account: AccountID) {
        hearEnd(of: account)
        announce(
            Announcement(account: account, author: nil, cursor: nil, circleVersion: 0, isEnd: true)
        )
    }

    private func hearEnd(of account: AccountID) {
        let ended = state.withLock { $0.accounts.removeValue(forKey: account) ?? [:] }
        for listener in ended.values { listener.continuation.finish() }
    }

    // MARK: Other servers

    /// Hands what is published here to the other servers from now on.
    package func announce(by announce: @escaping @Sendable (Announcement) -> Void) {
        state.withLock { $0.announce = announce }
    }

    /// Shows what another server has published.
    package func hear(_ announcement: Announcement) {
        if announcement.isEnd { return hearEnd(of: announcement.account) }
        let standing = Standing(
            cursor: announcement.cursor,
            circleVersion: announcement.circleVersion
        )
        show(standing, by: announcement.author, to: announcement.account)
    }

    /// The accounts that have listeners.
    package var accounts: [AccountID] { state.withLock { $0.accounts.keys.sorted() } }

    /// Ends all subscriptions; later ones end at once.
    package func stop() {
        let ended = state.withLock { state in
            state.isStopped = true
            defer { state.accounts = [:] }
            return state.accounts.values.flatMap(\.values)
        }
        for listener in ended { listener.continuation.finish() }
    }

    package var listenerCount: Int {
        state.withLock { $0.accounts.values.reduce(0) { $0 + $1.count } }
    }

    private func remove(_ id: UInt64, from account: AccountID) {
        state.withLock { state in
            state.accounts[account]?[id] = nil
            if state.accounts[account]?.isEmpty == true { state.accounts[account] = nil }
        }
    }
}
