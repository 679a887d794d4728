internal import KSRecords
internal import Synchronization

/// The members that requests came from, by the newest entries of their circles.
///
/// Each request asks for its member, and circles seldom change. Every write other than a push may
/// change one, so it empties the cache.
final class MemberCache: Sendable {
    private struct Key: Hashable {
        let account: AccountID
        let member: MemberID
    }

    private struct State {
        var writeCount: UInt64 = 0
        var members: [Key: Member] = [:]
    }

    private static let countMax = 4096

    private let state = Mutex(State())

    /// What a look-up that begins now has to state in ``note(_:of:writeCount:)``.
    var writeCount: UInt64 { state.withLock { $0.writeCount } }

    func member(_ id: MemberID, of account: AccountID) -> Member? {
        state.withLock { $0.members[Key(account: account, member: id)] }
    }

    /// Keeps a member, unless something was written since the look-up began.
    func note(_ member: Member, of account: AccountID, writeCount: UInt64) {
        state.withLock { state in
            guard state.writeCount == writeCount else { return }
            if state.members.count == Self.countMax { state.members = [:] }
            state.members[Key(account: account, member: member.id)] = member
        }
    }

    /// Forgets all members after a write.
    func forgetAll() {
        state.withLock { state in
            state.writeCount += 1
            state.members = [:]
        }
    }
}
