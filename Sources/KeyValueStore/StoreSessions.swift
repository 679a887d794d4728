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
        var patience = exitPatience
        for session in open where session.unsettledCount > 0 {
            let end = session.flush(patience: patience)
            // One daemon serves all stores, so the others need not wait for it once more.
            if end == .timedOut { patience = .milliseconds(0) }
            if end != .committed { reportUnsaved(session, isLate: end == .timedOut) }
        }
    }

    /// Tells the user that writes may be lost with the program.
    private static func reportUnsaved(_ session: StoreSession, isLate: Bool) {
        let count = session.unsettledCount
        guard count > 0 else { return }
        // A daemon that is only slow may still carry out the call under way.
        let reason = isLate ? "The daemon does not answer." : session.problem?.sentence ?? ""
        let changes = count == 1 ? "1 change" : "\(count) changes"
        NSLog("%@", "KeyValueStore: \(changes) of this program may be lost. \(reason)")
    }
}
