import KSAgent
import KSBytes
import KSDaemon
import KSDeviceKeys
import KSRPC
import KSSyncClient
import KSSyncEngine
import Testing

struct StatusTests {
    private static func status(_ change: (inout DeviceStatus) -> Void) -> DeviceStatus {
        var status = DeviceStatus()
        status.standing.joined = true
        status.sync = SyncStatus(
            account: "ada",
            device: "laptop",
            server: "https://sync.example.org"
        )
        change(&status)
        return status
    }

    private func integrity(_ status: DeviceStatus) -> String? {
        StatusCommand.lines(status).first { $0.hasPrefix("integrity") }
            .map { String($0.dropFirst("integrity    ".count)) }
    }

    @Test
    func `integrity is ok only where all can be checked and is right`() {
        #expect(integrity(Self.status { _ in }) == "ok")
        let unreadable = Self.status { $0.standing.unreadable = 1 }
        #expect(integrity(unreadable) == "1 item on this device cannot be read")
        let quarantined = Self.status { $0.sync?.quarantined = ["notAuthentic": 2, "tooNew": 1] }
        #expect(integrity(quarantined) == "3 records of the server cannot be read")
        let paused = Self.status { $0.sync?.paused = "Look first." }
        #expect(integrity(paused) == "not checked while sync is paused")
        let falseKeys = Self.status { $0.sync?.falseKeys = ["abcdefgh"] }
        #expect(integrity(falseKeys) == "device abcdefgh has stored false keys: revoke it")
        let locked = Self.status { $0.lock.lock = .beforeFirstUnlock }
        #expect(integrity(locked) == "not checked (locked)")
        let both = Self.status {
            $0.standing.unreadable = 2
            $0.sync?.paused = "Look first."
        }
        #expect(
            integrity(both)
                == "2 items on this device cannot be read; not checked while sync is paused"
        )
    }

    @Test
    func `a job gets another exit status when anything needs its user`() {
        let exit = { (status: DeviceStatus) in status.alarm?.exit.rawValue }
        #expect(exit(Self.status { _ in }) == nil)
        #expect(exit(DeviceStatus()) == nil)
        // It goes on by itself.
        let problems: [(CommandFailure.Exit, Int32?)] = [
            (.serverOutOfReach, nil), (.refused, 77), (.tryAgain, 75), (.diskTrouble, 74),
            (.other, 1),
        ]
        for (code, expected) in problems {
            let status = Self.status { $0.standing.failure = CommandFailure(code, "A problem.") }
            #expect(exit(status) == expected)
            // Without --check only the disk counts.
            #expect((status.failure != nil) == (code == .diskTrouble))
            #expect(StatusCommand.lines(status).contains("problem      A problem."))
        }
        #expect(exit(Self.status { $0.lock.lock = .beforeFirstUnlock }) == 75)
        #expect(exit(Self.status { $0.sync?.paused = "Look first." }) == 1)
        #expect(Self.status { $0.sync?.paused = "Look first." }.alarm?.sentence == "Look first.")
        #expect(exit(Self.status { $0.sync?.refusedSince = AgentDate(milliseconds: 1) }) == 77)
        #expect(exit(Self.status { $0.sync?.full = true }) == 1)
        #expect(exit(Self.status { $0.standing.unreadable = 1 }) == 1)
        #expect(exit(Self.status { $0.sync?.falseKeys = ["abcdefgh"] }) == 1)
    }

    @Test
    func `status shows the next command for the most urgent matter`() {
        let next = { (status: DeviceStatus) in
            StatusCommand.lines(status).filter { $0.hasPrefix("next") }
                .map { String($0.dropFirst("next         ".count)) }
        }
        #expect(next(Self.status { _ in }) == [] && next(DeviceStatus()) == [])
        let record = { (reason: String) in OpenRecord(item: "abcdefgh", reason: reason) }
        let unsent = Self.status { $0.sync?.notSent = [record("siblings_unreadable")] }
        #expect(next(unsent) == ["sync-client doctor --replace abcdefgh"])
        #expect(unsent.nextStep?.code == "not_sent_siblings_unreadable")
        let both = Self.status {
            $0.sync?.notSent = [record("malformed")]
            $0.lock.lock = .beforeFirstUnlock
        }
        #expect(next(both) == ["sync-client unlock"])
        let tooLarge = Self.status { $0.sync?.notSent = [record("too_large")] }
        #expect(next(tooLarge) == [])
        #expect(tooLarge.nextStep == NextStep(code: "not_sent_too_large", command: nil))
        let unreadable = Self.status { $0.sync?.quarantinedItems = [record("keyMissing")] }
        #expect(unreadable.nextStep?.code == "unreadable_key_missing")
        let paused = Self.status { $0.sync?.paused = "Look first." }
        #expect(paused.nextStep == CommandFailure(SyncState.Hold.circleForked).next)
        let refused = Self.status { $0.sync?.refusedSince = AgentDate(milliseconds: 1) }
        // The server may have lost the account, which a logout could not bring back.
        #expect(next(refused) == [])
        let full = Self.status { $0.sync?.full = true }
        #expect(full.nextStep?.code == "quota_exceeded")
        let failed = Self.status { $0.standing.failure = .alreadyEnrolled }
        #expect(failed.standing.failure == .alreadyEnrolled)
        #expect(failed.nextStep?.code == "already_enrolled")
        #expect(Self.status { $0.standing.unreadable = 1 }.nextStep?.code == "item_unreadable")
        let falseKeys = Self.status { $0.sync?.falseKeys = ["abcdefgh"] }
        #expect(next(falseKeys) == ["sync-client devices"])
        var restored = ShownReconciliation()
        restored.step = "download"
        #expect(Self.status { $0.sync?.restored = restored }.nextStep == nil)
        let locked = Self.status {
            $0.sync?.restored = restored
            $0.lock.lock = .locked
        }
        #expect(next(locked) == ["sync-client unlock"])
        (restored.sentAgain, restored.deletedAgain) = (2000, 1)
        restored.step = "upload"
        #expect(
            restored.sentence
                == "the server went back: 2000 records to send again, 1 record to delete again"
        )
        restored.step = nil
        #expect(
            restored.sentence
                == "the server went back: 2000 records sent again, 1 record deleted again"
        )
        restored.step = "batch"
        restored.waits = true
        let waiting = Self.status { $0.sync?.restored = restored }
        #expect(waiting.nextStep?.code == "restored_too_often")
        #expect(next(waiting) == ["sync-client sync"])
        #expect(waiting.alarm?.code == .restoredTooOften)
        let said = StatusCommand.lines(waiting).filter { $0.contains("back") }
        #expect(said.count == 1, "\(said)")
    }

    @Test(
        arguments: [
            (nil, nil, false, nil), (0, nil, false, "0 bytes"), (1, nil, false, "1 byte"),
            (3 << 20, 4 << 20, false, "3 MiB of 4 MiB (75%)"),
            ((4 << 20) - 1, 4 << 20, false, "4 MiB of 4 MiB (99%)"),
            (4 << 20, 4 << 20, true, "4 MiB of 4 MiB (100%), full"),
            (1 << 20, 4 << 20, true, "1 MiB of 4 MiB (25%), too little room for what waits"),
        ] as [(Int?, Int?, Bool, String?)]
    )
    func `status shows how full the account is`(
        bytes: Int?,
        bytesMax: Int?,
        full: Bool,
        shown: String?
    ) {
        let status = Self.status {
            $0.sync?.accountBytes = bytes
            $0.sync?.accountBytesMax = bytesMax
            $0.sync?.full = full
        }
        let line = StatusCommand.lines(status).first { $0.hasPrefix("on server") }
        #expect(line == shown.map { "on server    " + $0 })
    }

    @Test(arguments: [
        (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1025, "1.1 KiB"),
        (1_048_575, "1 MiB"), (1_048_576, "1 MiB"), (1_572_864, "1.5 MiB"),
        (5 << 40, "5 TiB"), (Int.max, "8388608 TiB"),
    ])
    func `a size has a unit that people read`(bytes: Int, text: String) {
        #expect(ByteText.text(bytes) == text)
    }

    // MARK: Counts and times

    @Test
    func `one thing is not called several`() {
        #expect(counted(1, "item") == "1 item")
        #expect(counted(0, "item") == "0 items" && counted(2, "item") == "2 items")
        #expect(counted(1, "entry", "entries") == "1 entry")
        #expect(counted(UInt64(2), "entry", "entries") == "2 entries")
        #expect(countedEntries(1) == "1 item or value")
        #expect(countedEntries(2) == "2 items and values")
        #expect(BackupCommand.line(items: 1, entries: 0) == "Backed up 1 item.")
        #expect(
            BackupCommand.line(items: 2, entries: 1)
                == "Backed up 2 items and 1 key-value entry."
        )
    }

    @Test(arguments: [0.0, 788_918_400, -63_113_904_000, 1_700_000_000])
    func `every millisecond of a second is printed as it is`(second: Double) {
        for millisecond in 0..<1000 {
            let text = Moment(secondsSince2001: second + Double(millisecond) / 1000).iso8601
            let digits = String(String(millisecond + 1000).dropFirst())
            #expect(text.hasSuffix(".\(digits)Z"), "\(text)")
        }
    }

    @Test
    func `a time is rounded to the nearest millisecond, also over the second and before 2001`() {
        #expect(Moment(secondsSince2001: 0.0004).iso8601 == "2001-01-01T00:00:00.000Z")
        #expect(Moment(secondsSince2001: 0.9996).iso8601 == "2001-01-01T00:00:01.000Z")
        #expect(Moment(secondsSince2001: -0.0006).iso8601 == "2000-12-31T23:59:59.999Z")
        #expect(Moment(secondsSince2001: -1.25).iso8601 == "2000-12-31T23:59:58.750Z")
    }

    /// Another device may have written any number.
    @Test(arguments: [-1e300, -63_113_904_001, 252_423_994_000, 1.1e30, .infinity, .nan])
    func `a time that no calendar has is empty`(seconds: Double) {
        #expect(Moment(secondsSince2001: seconds).iso8601.isEmpty)
        #expect(Moment(secondsSince2001: seconds).short.isEmpty)
    }
}
