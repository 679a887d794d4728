import KSAgent
import KSDaemon
import KSSyncClient
import Testing

/// What the progress of a long call looks like; times are given.
struct ProgressTests {
    private func progress(
        _ done: UInt64,
        of total: UInt64,
        _ text: String = "Uploading changes"
    ) -> AgentProgress {
        AgentProgress(done: done, total: total, text: text)
    }

    @Test
    func `a line says what is done, how fast, and how long it takes yet`() {
        var report = ProgressReport(rewrites: true)
        #expect(report.line(progress(300, of: 10_000), atSeconds: 0) == nil)
        #expect(report.line(progress(1750, of: 10_000), atSeconds: 0.9) == nil)
        #expect(
            report.line(progress(3200, of: 10_000), atSeconds: 2)
                == "Uploading 3,200 of 10,000 changes, 1,450/s, 5 s left"
        )
        #expect(
            report.line(progress(10_000, of: 10_000), atSeconds: 3)
                == "Uploading 10,000 of 10,000 changes, 3,233/s"
        )
    }

    @Test
    func `a line is rewritten at most five times a second, and not in the first`() {
        var report = ProgressReport(rewrites: true)
        let times = (0..<300).map { Double($0) / 100 }
        let shown = times.filter { time in
            report.line(progress(UInt64(time * 1000), of: 10_000), atSeconds: time) != nil
        }
        #expect(shown.first == 1)
        #expect((8...10).contains(shown.count), "\(shown)")
    }

    @Test
    func `lines that stay come every five seconds`() {
        var report = ProgressReport(rewrites: false)
        let shown = (0..<170).filter { tenths in
            report.line(progress(1, of: 2), atSeconds: Double(tenths) / 10) != nil
        }
        #expect(shown == [50, 100, 150])
    }

    @Test
    func `the rate is that of the last seconds, and smooth where items are done in bursts`() {
        var report = ProgressReport(rewrites: true)
        var lines: [String] = []
        // 500 each half second, and from the tenth second on as many in two.
        for half in 0...40 {
            let done = half <= 20 ? half * 500 : 10_000 + (half - 20) / 4 * 500
            let now = progress(UInt64(done), of: 100_000)
            let line = report.line(now, atSeconds: Double(half) / 2)
            if let line { lines.append(line) }
        }
        #expect(lines[10].contains(" 1,000/s, "), "\(lines)")
        #expect(lines.last?.contains(" 300/s, ") == true, "\(lines)")
    }

    @Test
    func `what stands still has no rate, and a new part begins its own`() {
        var report = ProgressReport(rewrites: true)
        _ = report.line(progress(10, of: 20), atSeconds: 0)
        for second in 1...7 { _ = report.line(progress(20, of: 40), atSeconds: Double(second)) }
        #expect(
            report.line(progress(20, of: 40), atSeconds: 8) == "Uploading 20 of 40 changes"
        )
        #expect(
            report.line(progress(5, of: 10, "Downloading changes"), atSeconds: 8.5)
                == "Downloading 5 of 10 changes"
        )
    }

    @Test(arguments: [
        (3, 60, "6.0/s, 10 s left"), (2, 1000, "4.0/s, 5 min left"),
        (1, 72_001, "2.0/s, 10 h 0 min left"), (100, 101, "200/s, 1 s left"),
        (50, 3_000_000_000, "100/s, 722 h 14 min left"),
    ])
    func `the time left is rounded up to seconds or minutes`(
        done: UInt64,
        total: UInt64,
        end: String
    ) {
        var report = ProgressReport(rewrites: true)
        _ = report.line(progress(0, of: total), atSeconds: 0.5)
        let line = report.line(progress(done, of: total), atSeconds: 1)
        #expect(line?.hasSuffix(" changes, " + end) == true, "\(line ?? "")")
    }

    @Test
    func `what cannot be measured is only named`() {
        var report = ProgressReport(rewrites: true)
        #expect(report.line(.waitsForServer, atSeconds: 2) == "Waiting for the server …")
        #expect(
            report.line(progress(7, of: 0, "Importing items"), atSeconds: 3) == "Importing 7 items"
        )
        // More arrived than was announced.
        #expect(
            report.line(progress(12, of: 10, "Importing items"), atSeconds: 3.3)
                == "Importing 10 of 10 items"
        )
    }

    @Test
    func `a sync counts what is to be sent, else up to the newest write of the server`() {
        func progress(
            from first: UInt64 = 0,
            to seq: UInt64,
            of newest: UInt64,
            pushed: Int = 0,
            unsent: Int = 0
        ) -> AgentProgress {
            AgentProgress(syncFrom: first, to: seq, of: newest, pushed: pushed, unsent: unsent)
        }
        let download = "Downloading changes"
        #expect(progress(to: 0, of: 0) == self.progress(0, of: 0, "Syncing"))
        #expect(progress(to: 0, of: 2000) == self.progress(0, of: 2000, download))
        #expect(progress(from: 500, to: 1000, of: 2000) == self.progress(500, of: 1500, download))
        // More arrived than was announced.
        #expect(progress(from: 100, to: 2100, of: 2000) == self.progress(2000, of: 2000, download))
        #expect(progress(to: 500, of: 2000, pushed: 1, unsent: 3) == self.progress(1, of: 4))
    }
}
