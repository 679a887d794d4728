import KSAgent
import KSDaemon
import KSKeyValueRecords
import KSKeyValues
import KSRecords
import KSSyncEngine
import KSTransport
import KSWire
import Testing

/// A device gives up its copy of what it synced only to a server that has just confirmed it.
struct LastCopyTests {
    private struct Trouble: Error {}

    /// Each way in which a sync ends without a confirmation.
    private static let unconfirmed: [SyncOutcome?] = {
        let record = RecordID(validated: [UInt8](repeating: 1, count: RecordID.byteCount))
        let quarantined = OpenRecords.Record(record: record, reason: QuarantineReason.malformed)
        let newer = UnknownRefusal(code: "newer", status: 403)
        let circles: [CircleTrouble] = [.entryInvalid, .envelopesForged, .olderShown, .newerFormat]
        var errors: [ServerError] = [.lacks(.rebuild), .contradictory(), .unknown(newer)]
        for code in ErrorCode.allCases { errors.append(.refused(code)) }
        for (error, _) in FailureTests.transportErrors { errors.append(.transport(error)) }
        for (problem, _) in FailureTests.trustProblems {
            errors.append(.transport(.untrusted(problem)))
        }
        for trouble in circles { errors.append(.circleRefused(trouble)) }
        for status in [404, 413, 500, 503] { errors.append(.unreadable(status: status)) }
        let others: [SyncOutcome?] = [
            nil, .held(.circleForked), .locked, .restoredTooOften, .stopped,
            .databaseFailed(StepTrouble(Trouble())),
            .open(OpenRecords(blocked: [], quarantined: [quarantined])),
        ]
        return others + errors.map { SyncOutcome.failed($0) }
    }()

    @Test(arguments: unconfirmed)
    func `a logout without a confirmation removes nothing`(outcome: SyncOutcome?) async throws {
        let device = try await EnrolledOwner()
        await #expect(throws: CommandFailure.mayBeHereOnly) {
            try await device.owner.leave(keepsItems: false, discardsUnsent: false, after: outcome)
        }
        #expect(try device.files.hasAccount())
        let store = try #require(StoreIdentifier("app"))
        let write = KeyWrite(key: "theme", .write(.set(.string("dark"), base: nil)))
        _ = try await device.owner.withKeyValues { try $0.write([write], to: store) }
        let failure = await #expect(throws: CommandFailure.self) {
            try await device.owner.leave(keepsItems: false, discardsUnsent: false, after: outcome)
        }
        #expect(failure?.code == .unsent)
        // Sync is advised only to a device for which it may succeed.
        let exit = outcome.flatMap { CommandFailure($0)?.exit }
        let mayPass = exit == .tryAgain || exit == .serverOutOfReach
        #expect(failure?.sentence.contains("sync-client sync first") == mayPass)
        #expect(try device.files.hasAccount())
    }

    @Test(arguments: [SyncOutcome.synced, .deletionsHeld(3)])
    func `a logout after a confirmation leaves`(outcome: SyncOutcome) async throws {
        let device = try await EnrolledOwner()
        _ = try await device.owner.leave(
            keepsItems: false,
            discardsUnsent: false,
            after: outcome
        )
        #expect(try !device.files.hasAccount())
    }
}
