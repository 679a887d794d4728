import KSDigests
import Foundation
import KSRecords
import KSSealing
import Synchronization
import Testing
import KSWire

import KSSyncServer

/// Attack 23 without a stopwatch: time is the test's own, and advances with the work.
@Suite(.serialized)
struct ProofTimingTests {
    @Test
    func `every refusal is sent after the same time, whatever it needed`()
        async throws
    {
        try await withFaultyStore { server, store in
            let account = try TestAccount()
            let stranger = try TestAccount(seed: 2)
            try await server.signUp(account)
            let device = CircleSigner.device(account.device)
            let clock = WorkClock()
            let checker = ProofChecker(
                store: server.service.store,
                challenges: server.service.challenges,
                origins: server.service.origins,
                clock: clock
            )
            let good = try await server.proof(.session, by: device, account: account.id.bytes)
            func check(_ proof: WireProof) async throws -> Problem? {
                do {
                    _ = try await checker.prover(of: proof, purpose: .session)
                    return nil
                } catch {
                    return try #require(error as? Problem)
                }
            }
            #expect(try await check(good) == nil && clock.deadlines.isEmpty)

            var proofs = [good]  // Its nonce is used.
            let faulty: [(CircleSigner, ProofFaults)] = [
                (device, ProofFaults(account: Array("nobody".utf8))),
                (device, ProofFaults(account: stranger.id.bytes)),
                (device, ProofFaults(account: Array("exactly 16 bytes".utf8))),
                (device, ProofFaults(origin: "https://evil.example")),
                (.device(stranger.device), ProofFaults()),
                (.device(stranger.device), ProofFaults(member: account.device.memberID)),
                (device, ProofFaults(challenge: WireChallengeResponse())),
            ]
            for (signer, faults) in faulty {
                proofs.append(
                    try await server.proof(
                        .session,
                        by: signer,
                        account: account.id.bytes,
                        faults: faults
                    )
                )
            }
            store.onCall { _ in clock.work(.milliseconds(3)) }
            var worked: Set<Duration> = []
            for proof in proofs {
                let start = clock.now.sinceStart
                #expect(try await check(proof) == Problem(.refused))
                #expect(clock.deadlines.last?.sinceStart == start + .milliseconds(25))
                worked.insert(clock.now.sinceStart - start)
                clock.work(.seconds(1))
            }
            #expect(clock.deadlines.count == proofs.count)
            // Otherwise the test proves nothing: the store got different numbers of calls.
            #expect(worked.count > 1)
        }
    }
}

/// A clock that advances only by the work that a test reports; sleeping takes no time.
private final class WorkClock: Clock {
    struct Instant: InstantProtocol {
        let sinceStart: Duration

        func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        static func < (one: Instant, other: Instant) -> Bool {
            one.sinceStart < other.sinceStart
        }
    }

    private struct State {
        var now = Instant(sinceStart: .zero)
        var deadlines: [Instant] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock(\.now) }

    var minimumResolution: Duration { .zero }

    /// The time at which the sleep ended.
    var deadlines: [Instant] { state.withLock(\.deadlines) }

    func work(_ duration: Duration) {
        state.withLock { $0.now = $0.now.advanced(by: duration) }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        state.withLock { $0.deadlines.append(deadline) }
    }
}
