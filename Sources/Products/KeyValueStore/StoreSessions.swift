internal import Dispatch
internal import Foundation
internal import Glibc
internal import KSAgent
internal import Synchronization

/// The stores that a process has open.
enum StoreSessions {
    private struct Place: Hashable {
        let store: String?
        let home: String?
    }

    private struct Open {
        weak var session: StoreSession?
    }

    private static let sessions = Mutex<(all: [Place: Open], flushesAtExit: Bool)>(([:], false))
    /// How long a process that ends waits for the daemon to commit one more of its last writes.
    private static let exitPatience = DispatchTimeInterval.seconds(2)

    /// All handles of one store share a session, and so its values.
    static func session(
        store: String?,
        home: String?,
        readPatience: DispatchTimeInterval
    ) -> StoreSession {
        let place = Place(store: store, home: home)
        return sessions.withLock { sessions in
            if let session = sessions.all[place]?.session { return session }
            sessions.all = sessions.all.filter { $0.value.session != nil }
            if !sessions.flushesAtExit {
                sessions.flushesAtExit = true
                atexit { StoreSessions.flushAll() }
            }
            let session = StoreSession(store: store, home: home, readPatience: readPatience)
            sessions.all[place] = Open(session: session)
            return session
        }
    }

    /// Sends the last writes of a program that ends without synchronizing.
    private static func flushAll() {
        let open = sessions.withLock { $0.all.values.compactMap(\.session) }
        var isLate = false
        for session in open where session.unsettledCount > 0 {
            // One daemon serves all stores, so the others need not wait for it once more.
            let end = isLate ? .timedOut : session.flush(patience: exitPatience)
            isLate = end == .timedOut
            if end != .committed { reportUnsaved(session, isLate: isLate) }
        }
    }

    private static let lateReason = """
        The daemon does not answer: end its process, and the next program starts a new one.
        """

    /// Tells the user that writes may be lost with the program.
    private static func reportUnsaved(_ session: StoreSession, isLate: Bool) {
        let count = session.unsettledCount
        guard count > 0 else { return }
        // A daemon that is only slow may still carry out the call under way.
        let reason = isLate ? lateReason : session.problem?.sentence ?? ""
        let changes = count == 1 ? "1 change" : "\(count) changes"
        NSLog("%@", "KeyValueStore: \(changes) of this program may be lost. \(reason)")
    }
}
