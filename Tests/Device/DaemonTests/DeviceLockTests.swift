import Foundation
import KSAgent
import KSKeychain
import KSDeviceKeys
import KSTestSupport
import Logging
import Testing

import KSDaemon
import KSSyncClient

/// The daemon's lock, over a home in memory.
struct DeviceLockTests {
    private let files: DeviceFiles
    private let lock: DeviceLock
    private let passcode = Array("1234".utf8)

    init() throws {
        files = try DeviceFiles(storage: MemoryKeyFiles())
        lock = try Self.makeLock(files, SettingsFile(path: nil))
    }

    private static func makeLock(
        _ files: DeviceFiles,
        _ settings: SettingsFile,
        minute: Duration = .seconds(60)
    ) throws -> DeviceLock {
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let owner = try KeychainOwner(files: files)
        return try DeviceLock(
            owner: owner,
            accounts: AccountKeeper(owner: owner, logger: logger),
            settings: settings,
            logger: logger,
            minute: minute
        )
    }

    /// Waits until the device has locked itself, however long a busy machine takes for it.
    private func locksItself(_ lock: DeviceLock) async throws {
        while await lock.status.lock != .locked { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test
    func `an idle device is locked, one in use is not`() async throws {
        try await lock.setPasscode(passcode)
        // Without the use the device would be locked by now.
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        lock.noteUse()
        await lock.lock(whenIdleFor: .milliseconds(60))
        #expect(ContinuousClock.now - start >= .milliseconds(60))
        #expect(await lock.status.lock == .locked)
        try await lock.unlock(passcode: passcode)
        #expect(await lock.status.lock == .unlocked)
    }

    @Test(.timeLimit(.minutes(10)))
    func `an idle device locks itself after each unlock, whatever was set first`() async throws {
        let lock = try Self.makeLock(files, SettingsFile(path: nil), minute: .milliseconds(30))
        try await lock.setPasscode(passcode)
        try await lock.setLockAfter(minutes: 1)
        try await locksItself(lock)
        for _ in 1...2 {
            try await lock.unlock(passcode: passcode)
            try await locksItself(lock)
        }
        try await lock.unlock(passcode: passcode)
        try await lock.setLockAfter(minutes: nil)
        try await lock.removePasscode(passcode)
        try await lock.setLockAfter(minutes: 1)
        try await lock.setPasscode(passcode)
        try await locksItself(lock)
        // A daemon starts like this if the device was unlocked before.
        try files.keys.unlock(passcode: passcode)
        await lock.scheduleIdleLock()
        try await locksItself(lock)
    }

    @Test
    func `without a passcode a device locks only on demand`() async throws {
        try await lock.setLockAfter(minutes: 1)
        #expect(
            await lock.status.agentValue
                == ["lock": "unlocked", "passcode": false, "lockAfterMinutes": 1]
        )
        await lock.lock()
        #expect(await lock.status.lock == .locked)
        try await lock.unlock(passcode: nil)
        #expect(await lock.status.lock == .unlocked)
    }

    @Test
    func `the minutes until the lock are stored, and damage to them is reported`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = SettingsFile(path: folder.appending(path: "settings.json").path())
        #expect(try settings.read() == DeviceSettings())
        let first = try Self.makeLock(files, settings)
        try await first.setLockAfter(minutes: 7)
        #expect(try await Self.makeLock(files, settings).status.lockAfterMinutes == 7)
        for (text, fault) in [
            ("", "line 1, column 1."), ("{", "line 1, column 2."), ("[]", "an object: { … }."),
            (#"{"lockAfterMinutes":0}"#, "lockAfterMinutes: this should be 1 to 10080."),
            (#"{"lockAfterMinutes":"x"}"#, "lockAfterMinutes: this should be a whole number."),
            (#"{"lockAfter":7}"#, "unknown field \"lockAfter\"."),
        ] {
            try Data(text.utf8).write(to: URL(filePath: settings.path ?? ""))
            let failure = #expect(throws: CommandFailure.self, "\(text)") { try settings.read() }
            #expect(failure?.sentence.hasSuffix(fault) == true, "\(failure?.sentence ?? "")")
        }
        let failure = CommandFailure(code: .settingsUnwritable)
        try StateFile(path: try #require(settings.path)).expectReplacedWholeOrNot(
            throwing: failure
        ) { try settings.write(DeviceSettings(lockAfterMinutes: 7)) }
    }

    @Test
    func `the doctor lists the findings, or says that nothing is wrong`() throws {
        func report(_ find: (inout Examination) throws -> Void) rethrows -> DoctorReport {
            var examination = Examination()
            try find(&examination)
            return DoctorReport(examination)
        }
        let well = report { $0.findings.readable = 3 }
        #expect(well.problems.isEmpty)
        #expect(well.lines == ["Items read: 3", "Nothing is wrong."])
        let treated = report {
            $0.findings.restored = 1
            $0.findings.discarded = 2
        }
        #expect(treated.lines.contains("Put back: 1"))
        #expect(treated.lines.contains("Deleted for good: 2"))
        let ill = try report {
            $0.findings.damages = ["row 1 missing from index"]
            $0.findings.locked = 2
            $0.findings.unreadable = [
                try DamagedItem(["class": "genp", "reference": "67656e70"])
            ]
            $0.findings.quarantinedRows = [
                try QuarantinedItem(["class": "inet", "time": .date(0)])
            ]
            $0.findings.quarantinedRecords = ["notAuthentic": 4]
            $0.findings.keyFiles = [
                try KeyFileProblem(["file": "key-bag", "problem": "It is damaged."]),
                try KeyFileProblem(["file": "device-pins", "problem": .null]),
            ]
            $0.sync = try Examination.Sync([
                "waiting": 1, "notSent": [], "quarantinedItems": [],
            ])
        }
        #expect(ill.problems.count == 5)
        #expect(ill.lines.contains { $0.contains("67656e70") })
        #expect(ill.lines.contains { $0.contains("Locked, not checked: 2") })
    }
}
