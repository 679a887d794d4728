import KSAgent
import Foundation
import Security
import Synchronization
import KSTestSupport
import Testing

/// The contents of a store, now or before the latest call.
private struct Contents: Equatable {
    /// The number in each item's label, comment and secret, by account.
    var live: [String: Int] = [:]
    /// Accounts with a tombstone.
    var buried: Set<String> = []
}

/// One call, and its effect.
private enum Change {
    case add(String, Int)
    case set(String, Int)
    case move(String, String)
    case remove(String)
    case setAll(Int)
    case removeAll

    /// The call's status and the contents after it, if it is carried out.
    func make(in contents: inout Contents, leavesTombstones: Bool) -> OSStatus {
        let before = contents.live
        switch self {
        case .add(let account, let number):
            guard before[account] == nil else { return errSecDuplicateItem }
            contents.live[account] = number
        case .set(let account, let number):
            guard before[account] != nil else { return errSecItemNotFound }
            contents.live[account] = number
        case .move(let account, let other):
            guard let number = before[account] else { return errSecItemNotFound }
            guard before[other] == nil else { return errSecDuplicateItem }
            contents.live[account] = nil
            contents.live[other] = number
        case .remove(let account):
            guard before[account] != nil else { return errSecItemNotFound }
            contents.live[account] = nil
        case .setAll(let number):
            guard !before.isEmpty else { return errSecItemNotFound }
            contents.live = before.mapValues { _ in number }
        case .removeAll:
            guard !before.isEmpty else { return errSecItemNotFound }
            contents.live = [:]
        }
        if leavesTombstones { contents.buried.formUnion(before.keys) }
        contents.buried.subtract(contents.live.keys)
        return errSecSuccess
    }
}

/// Items of one server, and their expected contents.
private struct CutStore {
    let isSynchronizable: Bool
    private(set) var known = Contents()
    /// How many calls got no answer.
    private(set) var cutCount = 0

    init(isSynchronizable: Bool) {
        self.isSynchronizable = isSynchronizable
    }

    private func query(_ account: String? = nil) -> [CFString: Any] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassInternetPassword, kSecAttrServer: "cut off",
            kSecAttrSynchronizable: isSynchronizable,
        ]
        query[kSecAttrAccount] = account
        return query
    }

    /// Larger than a page of the database, so that half of it could be written.
    private static func secret(_ number: Int) -> Data {
        Data(String(repeating: "secret \(number) ", count: 2_000).utf8)
    }

    private static func values(_ number: Int) -> [CFString: Any] {
        [
            kSecAttrLabel: "label \(number)", kSecAttrComment: String(number),
            kSecValueData: secret(number),
        ]
    }

    private func call(_ change: Change) -> OSStatus {
        switch change {
        case .add(let account, let number):
            let item = query(account).merging(Self.values(number)) { $1 }
            return SecItemAdd(item as CFDictionary, nil)
        case .set(let account, let number):
            let values = Self.values(number) as CFDictionary
            return SecItemUpdate(query(account) as CFDictionary, values)
        case .move(let account, let other):
            let update = [kSecAttrAccount: other] as CFDictionary
            return SecItemUpdate(query(account) as CFDictionary, update)
        case .remove(let account): return SecItemDelete(query(account) as CFDictionary)
        case .setAll(let number):
            return SecItemUpdate(query() as CFDictionary, Self.values(number) as CFDictionary)
        case .removeAll: return SecItemDelete(query() as CFDictionary)
        }
    }

    private func list(_ more: [CFString: Any]) throws -> [[String: Any]] {
        let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
        let query = query().merging(all) { $1 }.merging(more) { $1 }
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        try #require(status == errSecSuccess)
        return try #require(result as? [[String: Any]])
    }

    /// Reads everything; the parts of each item must belong together.
    func contents() throws -> Contents {
        var contents = Contents()
        for item in try list([kSecReturnData: true]) {
            let account = try #require(item[kSecAttrAccount as String] as? String)
            let comment = item[kSecAttrComment as String] as? String
            let number = try #require(comment.flatMap { Int($0) })
            #expect(item[kSecAttrLabel as String] as? String == "label \(number)")
            #expect(item[kSecValueData as String] as? Data == Self.secret(number))
            contents.live[account] = number
        }
        for item in try list([kSecAttrTombstone: true]) {
            contents.buried.insert(try #require(item[kSecAttrAccount as String] as? String))
        }
        return contents
    }

    /// Makes a call, and reads everything if its answer was lost.
    mutating func make(_ change: Change) throws {
        var after = known
        let expected = change.make(in: &after, leavesTombstones: isSynchronizable)
        let status = call(change)
        if status == errSecNotAvailable {
            cutCount += 1
            let found = try contents()
            #expect(found == known || found == after, "\(change)")
            known = found
        } else {
            #expect(status == expected, "\(change)")
            known = after
        }
    }
}

/// Kills the daemon of the environment's home, once.
private final class Killer: Sendable {
    let isDone = Atomic(false)
    private let calls = DispatchSemaphore(value: 0)

    /// Kills it as soon as it has written to its files so many times.
    init(afterWrites count: Int) throws {
        let home = try AgentHome()
        let writes = inotify_init()
        try #require(unsafe inotify_add_watch(writes, home.path, UInt32(IN_MODIFY)) >= 0)
        try start(home) {
            defer { close(writes) }
            var seen = 0
            while seen < count { seen += Self.readEvents(writes) }
        }
    }

    /// Kills it as soon as so many calls have begun.
    init(afterCalls count: Int) throws {
        try start(try AgentHome()) { [calls] in
            for _ in 0..<count { calls.wait() }
        }
    }

    func callBegins() { calls.signal() }

    private func start(_ home: AgentHome, wait: @escaping @Sendable () -> Void) throws {
        let holder = try AgentLock.holder(of: home)
        let daemon = try #require(holder)
        Thread.detachNewThread { [self] in
            wait()
            kill(daemon, SIGKILL)
            isDone.store(true, ordering: .releasing)
        }
    }

    /// Waits for events, and counts them.
    private static func readEvents(_ descriptor: Int32) -> Int {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        var (events, offset) = (0, 0)
        // Each has a name behind it, whose length is the last of its fields.
        while offset + MemoryLayout<inotify_event>.size <= count {
            let event = unsafe bytes.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            }
            offset += MemoryLayout<inotify_event>.size + Int(event.len)
            events += 1
        }
        return events
    }
}

extension PasswordStoreTests {
    @Test(.timeLimit(.minutes(15)))
    func `an interrupted search is repeated`() throws {
        var random = SeededGenerator(seed: 3)
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "searched", kSecReturnData: true,
        ]
        let secret = Data(repeating: 7, count: 20_000)
        let item = query.merging([kSecValueData: secret]) { $1 }
        try #require(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        defer { SecItemDelete(query as CFDictionary) }
        for _ in 0..<18 {
            let killer = try Killer(afterCalls: .random(in: 1...20, using: &random))
            var isLast = false
            while !isLast {
                isLast = killer.isDone.load(ordering: .acquiring)
                killer.callBegins()
                var result: CFTypeRef?
                let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
                #expect(status == errSecSuccess)
                #expect(result as? Data == secret)
            }
        }
    }

    @Test(.timeLimit(.minutes(15)), arguments: [false, true])
    func `an interrupted call is done completely or not at all, and the next ones work`(
        isSynchronizable: Bool
    ) throws {
        var random = SeededGenerator(seed: isSynchronizable ? 1 : 2)
        var store = CutStore(isSynchronizable: isSynchronizable)
        let accounts = (0..<6).map { "account \($0)" }
        var number = 0
        /// A change of one of the six kinds, of existing items if there are any.
        func change(_ kind: Int) -> Change {
            number += 1
            let live = store.known.live.keys.sorted()
            let free = accounts.filter { !live.contains($0) }
            guard let one = live.randomElement(using: &random),
                let other = free.randomElement(using: &random)
            else { return live.isEmpty ? .add(accounts[0], number) : .removeAll }
            switch kind {
            case 0: return .add(other, number)
            case 1: return .set(one, number)
            case 2: return .move(one, other)
            case 3: return .remove(one)
            case 4: return .setAll(number)
            default: return .removeAll
            }
        }
        for round in 0..<18 {
            for account in accounts.prefix(4) where store.known.live[account] == nil {
                number += 1
                try store.make(.add(account, number))
            }
            // Somewhere in the first call, or in one of those after it.
            let killer = try Killer(afterWrites: .random(in: 1...12, using: &random))
            try store.make(change(round % 6))
            while !killer.isDone.load(ordering: .acquiring) {
                try store.make(change(.random(in: 0..<6, using: &random)))
            }
            #expect(try store.contents() == store.known)
        }
        #expect(store.cutCount > 0)
        try store.make(.removeAll)
        #expect(try store.contents() == store.known)
    }
}
