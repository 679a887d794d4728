internal import Foundation
internal import GRDB
internal import KSDigests
internal import KSMerging
internal import KSRecords
internal import KSSealing
internal import KSStore
internal import KSWire
internal import NIOCore
internal import Synchronization

/// What one server with a data directory does.
struct EmbeddedRun {
    let options: RunOptions
    let contents: StoreContents
    /// With the store; it is made if it is not there.
    let data: String

    private var storePath: String { data + "/store.sqlite" }

    func measure() throws {
        Report.title(
            "Embedded store: \(contents.accounts) accounts, \(contents.devices) devices and "
                + "\(contents.records) records each"
        )
        try prepare()
        try startAndMemory()
        if options.parts.contains(.streams) { try streams() }
        if options.parts.contains(.pushes) { try pushes() }
        if options.parts.contains(.nothingNew) { try nothingNew() }
        if options.parts.contains(.mixed) { try mixed() }
    }

    private func prepare() throws {
        let files = FileManager.default
        if !files.fileExists(atPath: storePath) {
            let start = ContinuousClock.now
            try StoreFilling.makeEmbedded(contents, in: data)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            Report.note("made in \(Report.text(seconds)) s")
        }
        let size = try files.attributesOfItem(atPath: storePath)[.size] as? Int ?? 0
        let records = contents.accounts * contents.records
        Report.show(
            "size of the store",
            "\(Report.text(Double(size) / 1e9)) GB, \(size / max(records, 1)) bytes a record of "
                + "\(MadeAccount.boxByteCount)"
        )
    }

    func start() throws -> ServerUnderLoad {
        try ServerUnderLoad(
            program: options.programs + "/sync-server",
            data: data,
            log: options.folder + "/server.log"
        )
    }

    private func startAndMemory() throws {
        // The first start makes certificate and secret.
        try start().stop()
        let server = try start()
        Report.show("start until it listens", server.startSeconds, "s", atMost: 1)
        Thread.sleep(forTimeInterval: options.isShort ? 2 : 20)
        Report.show(
            "anonymous memory, idle",
            Double(server.anonymousBytes) / 1e6,
            "MB",
            atMost: 30
        )
        server.stop()
    }

    /// Standing of an account, as its devices know it.
    func state(_ account: MadeAccount, in store: any Store) throws -> AccountState {
        guard let state = try store.account(account.id) else { throw StoreError.notFound }
        return state
    }

    /// Opens the store beside a server.
    func reading() throws -> SQLiteStore {
        try SQLiteStore(reading: storePath, random: SystemRandomSource(), clockSeconds: { 0 })
    }

    // MARK: Streams

    private func streams() throws {
        let server = try start()
        defer { server.stop() }
        let accounts = max(1, options.streams / contents.devices)
        let client = try LoadClient()
        let before = server.anonymousBytes
        let idle = server.processorSeconds
        let connections = try client.connect(accounts * contents.devices, port: server.port)
        let count = connections.count
        let perConnection = (server.processorSeconds - idle) / Double(count)
        Thread.sleep(forTimeInterval: 3)
        let connected = server.anonymousBytes
        let opening = server.processorSeconds
        let heard = Mutex(0)
        for (index, connection) in connections.enumerated() {
            let account = MadeAccount(index / contents.devices + 1, devices: contents.devices)
            let member = account.devices[index % contents.devices].memberID
            _ = connection.listen(token: server.token(of: member, in: account.id)) { _ in
                heard.withLock { $0 += 1 }
            }
        }
        let end = ContinuousClock.now + .seconds(60)
        while heard.withLock({ $0 }) < count, ContinuousClock.now < end {
            Thread.sleep(forTimeInterval: 0.1)
        }
        Report.show("streams with their first event", "\(heard.withLock { $0 }) of \(count)")
        Report.show(
            "  processor of a TLS handshake, and of the request for events",
            "\(Report.text(perConnection * 1e6)) µs, "
                + "\(Report.text((server.processorSeconds - opening) / Double(count) * 1e6)) µs"
        )
        let start = (server.processorSeconds, ContinuousClock.now)
        Thread.sleep(forTimeInterval: options.isShort ? 16 : 60)
        let seconds = (ContinuousClock.now - start.1) / .seconds(1)
        let used = (server.processorSeconds - start.0) / seconds
        let all = server.anonymousBytes
        Report.show(
            "anonymous memory of a waiting stream with its TLS",
            Double(all - before) / Double(count) / 1000,
            "kB",
            atMost: 20
        )
        Report.show(
            "  of that the connection before its first request",
            "\(Report.text(Double(connected - before) / Double(count) / 1000)) kB"
        )
        Report.show(
            "processor for \(count) streams and their lines each 15 s",
            "\(Report.text(used * 100)) % of one"
        )
        client.close(connections)
        Thread.sleep(forTimeInterval: 3)
        Report.show(
            "anonymous memory after all have gone",
            "\(Report.text(Double(server.anonymousBytes) / 1e6)) MB"
        )
        try client.end()
    }

    // MARK: Pushes

    private func pushes() throws {
        let count = min(64, contents.accounts)
        let writers = try PreparedPushes(
            run: self,
            accounts: count,
            batches: options.isShort ? 50 : 400,
            recordsEach: 1
        )
        let server = try start()
        let outcome = try writers.push(to: server)
        PushLines.show(outcome.load, server: server, processor: outcome.processor)
        let commits = try server.commits()
        let group = commits.batches / max(commits.count, 1)
        server.stop()
        let bare = try BareCommits(folder: options.folder, group: group).perSecond()
        Report.show("  batches a commit", Report.text(group))
        Report.show(
            "  of bare commits, \(Report.text(bare))/s grouped the same way",
            outcome.load.perSecond / bare,
            "",
            atLeast: 0.5
        )
        try inProcess(group: max(1, Int(group.rounded())), bare: bare)
    }

    /// The same pushes without a network.
    private func inProcess(group: Int, bare: Double) throws {
        let store = try SQLiteStore(
            path: storePath,
            random: SystemRandomSource(),
            clockSeconds: { UInt64(Date().timeIntervalSince1970) }
        )
        let count = min(64, contents.accounts)
        var writers = try (1...count).map { number in
            let account = MadeAccount(number, devices: contents.devices)
            return MadeWriter(
                account,
                device: 0,
                actor: .random(in: 1 << 32...UInt64(Int64.max)),
                epoch: try state(account, in: store).cursor.epoch
            )
        }
        let groups = (0..<(options.isShort ? 50 : 400)).map { turn in
            (0..<group).map { writers[(turn * group + $0) % count].request(of: 1) }
        }
        let start = ContinuousClock.now
        for requests in groups {
            for result in store.push(requests) { _ = try result.get() }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try store.close()
        Report.show(
            "  the store alone, of bare commits",
            Double(groups.count * group) / seconds / bare,
            "",
            atLeast: 0.5
        )
    }

    // MARK: Nothing new

    private func nothingNew() throws {
        let server = try start()
        defer { server.stop() }
        let requests = try quietPulls(500, server: server)
        try QuietPulls.measure(requests, server, perSecond: 1000, isShort: options.isShort)
        try Sessions(server: server, account: MadeAccount(1, devices: contents.devices)).measure()
    }

    /// Pulls that find nothing, each of another account, to which no other part of a run writes.
    func quietPulls(_ count: Int, server: ServerUnderLoad) throws -> [LoadRequest] {
        let store = try reading()
        defer {
            // It was opened for reading, so nothing is lost.
            try? store.close()
        }
        let numbers = (0..<min(count, contents.accounts)).map { contents.accounts - $0 }
        return try QuietPulls.make(
            numbers.map { MadeAccount($0, devices: contents.devices) },
            store: store
        ) { server.token(of: $0.devices[0].memberID, in: $0.id) }
    }
}
