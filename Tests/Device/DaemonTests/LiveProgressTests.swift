import Foundation
import KSAgent
import KSDaemon
import KSKeychain
import Synchronization
import Testing

/// What long calls report while they wait or work.
struct LiveProgressTests {
    private let world: HandlerWorld

    init() throws { world = try HandlerWorld() }

    /// What a call reports while the keychain is busy for this long before it.
    private func reports(
        of call: String,
        _ arguments: AgentDictionary,
        busySeconds: Double
    ) async throws -> [AgentProgress] {
        let owner = world.owner
        let isBusy = Mutex(false)
        async let work: Void = owner.with { _ in
            isBusy.withLock { $0 = true }
            Thread.sleep(forTimeInterval: busySeconds)
        }
        while !isBusy.withLock(\.self) { try await Task.sleep(for: .milliseconds(1)) }
        let reports = Mutex<[AgentProgress]>([])
        let request = AgentRequest(id: 1, call: call, arguments: arguments)
        _ = await world.answer(request, of: HandlerWorld.keychain) { progress in
            reports.withLock { $0.append(progress) }
        }
        let count = reports.withLock(\.count)
        try await work
        // After the answer nothing comes any more.
        try await Task.sleep(for: .milliseconds(300))
        #expect(reports.withLock(\.count) == count)
        return reports.withLock(\.self)
    }

    @Test(
        arguments: [
            (Examine.name, [:], "Looking for damage"),
            (
                LeaveAccount.name, ["keepsItems": true, "discardsUnsent": false],
                "Leaving the account"
            ),
        ] as [(String, AgentDictionary, String)]
    )
    func `the doctor and a logout report again and again what they do`(
        call: String,
        arguments: AgentDictionary,
        text: String
    ) async throws {
        // A program shows what comes more than a second after the call.
        let reports = try await reports(of: call, arguments, busySeconds: 1.5)
        #expect(reports.count { $0.text == text } >= 4, "\(reports)")
    }

    @Test
    func `an inspection counts the items that it reads`() async throws {
        for number in 0..<250 {
            let reply = await world.answer(
                "item.add",
                [
                    "class": "genp", "attributes": ["svce": .string("s\(number)")],
                    "secret": .data([1]),
                ],
                of: HandlerWorld.keychain
            )
            #expect(reply == .result(.array([])), "\(reply)")
        }
        let counts = Mutex<[[Int]]>([])
        _ = try await world.owner.with { keychain in
            try keychain.inspect { done, total in counts.withLock { $0.append([done, total]) } }
        }
        #expect(counts.withLock(\.self) == [[100, 250], [200, 250]])
    }
}
