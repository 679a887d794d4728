internal import Foundation
internal import KSDigests
internal import KSMerging
internal import KSPostgreSQLStore
internal import KSPostgreSQLTestSupport
internal import KSRecords
internal import KSSealing
internal import KSStore

/// What one server on PostgreSQL does, beside `pgbench` and Kinto on the same PostgreSQL.
struct PostgreSQLRun {
    let options: RunOptions
    private let contents = StoreContents(accounts: 64, devices: 5, records: 100)

    func measure() throws {
        guard TestPostgreSQL.isInstalled else { return }
        let schema = try TestPostgreSQL.makeSchema()
        Report.title("PostgreSQL: \(contents.accounts) accounts, of which each device writes")
        let store = try schema.open(
            random: SystemRandomSource(),
            clockSeconds: { UInt64(Date().timeIntervalSince1970) }
        )
        try StoreFilling.fill(store, contents)
        let folder = options.folder + "/node"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let server = try ServerUnderLoad(
            program: options.programs + "/sync-server",
            data: folder,
            store: schema.address,
            log: options.folder + "/node.log"
        )
        defer { server.stop() }
        let secret = try schema.connect().run([Statement("SELECT secret FROM server_secret")])
        let key = try secret[0].rows[0].bytes(0)
        try pushes(store, server, key, schema)
        let accounts = (1...contents.accounts).map { MadeAccount($0, devices: contents.devices) }
        let pulls = try QuietPulls.make(accounts, store: store) {
            server.token(of: $0.devices[0].memberID, in: $0.id, secret: key)
        }
        try QuietPulls.measure(pulls, server, perSecond: 300, isShort: options.isShort)
        if options.parts.contains(.kinto) { try uploads(store, server, key, schema) }
        store.close()
    }

    private func pushes(
        _ store: PostgreSQLStore,
        _ server: ServerUnderLoad,
        _ key: [UInt8],
        _ schema: TestSchema
    ) throws {
        let prepared = try PreparedPushes(
            accounts: 64,
            batches: options.isShort ? 30 : 150,
            recordsEach: 1,
            devices: contents.devices,
            store: store
        )
        let before = try DatabaseCost(schema)
        let outcome = try prepared.push(to: server, secret: key)
        PushLines.show(outcome.load, server: server, processor: outcome.processor)
        try DatabaseCost(schema).show(since: before, of: outcome.load.microseconds.count)
        for protocolName in ["extended", "prepared"] {
            let rate = try PgBench(schema: schema, folder: options.folder).transactionsPerSecond(
                protocolName,
                seconds: options.isShort ? 3 : 10
            )
            // Ours have no names, so that a pooler may stand in between (decision 0064).
            let what = protocolName == "extended" ? "the same way" : "with named statements"
            let line = "  of pgbench \(what), \(Report.text(rate))/s"
            let ratio = outcome.load.perSecond / rate
            if protocolName == "extended" {
                Report.show(line, ratio, "", atLeast: 0.5)
            } else {
                Report.show(line, Report.text(ratio))
            }
        }
    }

    private func uploads(
        _ store: PostgreSQLStore,
        _ server: ServerUnderLoad,
        _ key: [UInt8],
        _ schema: TestSchema
    ) throws {
        let clients = 4
        let recordsEach = 500
        let prepared = try PreparedPushes(
            accounts: clients,
            batches: options.isShort ? 5 : 40,
            recordsEach: recordsEach,
            devices: contents.devices,
            store: store
        )
        let outcome = try prepared.push(to: server, secret: key)
        let rate = outcome.load.perSecond * Double(recordsEach)
        Report.show(
            "first upload, \(clients) devices, batches of \(recordsEach)",
            "\(Report.text(rate)) records/s"
        )
        Report.show("  " + outcome.load.latencies.text, outcome.load.failureText)
        guard let kinto = options.kinto else {
            Report.note("Kinto is not measured: give --kinto FOLDER of a venv that has it")
            return
        }
        let other = try Kinto(
            programs: kinto + "/bin",
            schema: schema,
            folder: options.folder,
            script: options.scripts + "/kinto-upload"
        ).recordsPerSecond(clients: clients, seconds: options.isShort ? 5 : 15)
        Report.show("  Kinto, \(clients) clients, batches of 25", "\(Report.text(other)) records/s")
        Report.show("  times as many as Kinto", rate / other, "", atLeast: 20)
    }
}

/// What PostgreSQL has used so far.
struct DatabaseCost {
    private let processorSeconds: Double
    private let logBytes: Double
    private let storedBytes: Double

    init(_ schema: TestSchema) throws {
        let file = schema.place.host + "/data/postmaster.pid"
        let main = Machine.contents(of: file).split(separator: "\n").first.flatMap { Int($0) } ?? 0
        // Connections stay open, so none that has worked has ended.
        processorSeconds = Machine.processorSecondsOfChildren(of: main).values.reduce(0, +)
        let row = try schema.integers(
            """
            SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint,
                (SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class AS c
                WHERE relkind = 'r' AND relnamespace = current_schema::regnamespace)
            """
        )
        (logBytes, storedBytes) = (Double(row[0]), Double(row[1]))
    }

    func show(since before: DatabaseCost, of count: Int) {
        let used = (processorSeconds - before.processorSeconds) / Double(max(count, 1))
        let bytes = (logBytes - before.logBytes) / Double(max(count, 1))
        Report.show(
            "  PostgreSQL a push",
            "processor \(Report.text(used * 1e6)) µs, log \(Report.text(bytes)) bytes"
        )
        Report.show("  tables and indices", "\(Report.text(storedBytes / 1e6)) MB")
    }
}

/// Debian's `pgbench` with the statements of a push.
struct PgBench {
    let schema: TestSchema
    let folder: String

    func transactionsPerSecond(_ protocolName: String, seconds: Int) throws -> Double {
        let script = folder + "/push.pgbench"
        try Self.script.write(toFile: script, atomically: true, encoding: .utf8)
        let (host, path) = schema.place
        let hexadecimal = { (count: Int) in #"\x"# + String(repeating: "61", count: count) }
        let arguments = [
            "PGHOST=\(host)", "PGUSER=postgres", "PGOPTIONS=-csearch_path=\(path)", "pgbench",
            "-n", "-M", protocolName, "-c", "64", "-j", "2", "-T", "\(seconds)", "-f", script,
            "-D", "ready=0", "-D", "pad=" + hexadecimal(24),
            "-D", "box=" + hexadecimal(MadeAccount.boxByteCount),
            "-D", "siblings=" + hexadecimal(70), "-D", "chain=" + hexadecimal(32),
            "-D", "tag=" + hexadecimal(8), "-D", "dots=" + hexadecimal(20), "postgres",
        ]
        let text = try Command.output("/usr/bin/env", arguments)
        guard
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
            let rate = line.split(separator: " ").dropFirst(2).first.flatMap({ Double($0) })
        else { throw Command.Failed(text: text) }
        return rate
    }

    /// The statements of a push of one new record, as `PostgreSQLStore` sends them.
    private static let script = #"""
        \if :ready
        \else
        SELECT account AS a, epoch AS e, seq AS seq,
            (SELECT id FROM member WHERE member.account = x.account AND kind = 1 LIMIT 1) AS m
        FROM (SELECT * FROM account ORDER BY account) AS x
        OFFSET (:client_id % 64) LIMIT 1 \gset
        \set counter 0
        \set actor random(1000000000, 9000000000000000000)
        \set ready 1
        \endif
        \set r random(1, 9000000000000000000)
        \set counter :counter + 1
        \set seq :seq + 1
        \startpipeline
        BEGIN ISOLATION LEVEL READ COMMITTED;
        SELECT set_config('statement_timeout', '10000', true),
            set_config('idle_in_transaction_session_timeout', '20000', true);
        SELECT account, name, look_up_name, epoch, seq, removal_horizon, circle_version, generation,
            stored_bytes, circle_bytes, quota_bytes, is_suspended, created_seconds, record_count
        FROM account WHERE account = :a FOR UPDATE;
        SELECT kind, applied_seq, last_contact_seconds, is_dormant FROM member
        WHERE account = :a AND id = :m;
        SELECT id, member, accepted, chain, is_closed FROM actor
        WHERE account = :a AND id = ANY (ARRAY[:actor]::bigint[]);
        SELECT record_count, chain, epoch, first_seq, tag, circle_version, dots
        FROM accepted_batch WHERE account = :a AND actor = :actor AND first_counter = :counter;
        SELECT tag FROM commit_tag WHERE account = :a AND seq >= 0 ORDER BY seq LIMIT 1;
        SELECT id, seq, siblings FROM record
        WHERE account = :a AND id = ANY (ARRAY[int8send(:r) || :pad::bytea]);
        SELECT count(*) FROM actor WHERE account = :a AND member = :m AND NOT is_closed;
        \endpipeline
        \startpipeline
        INSERT INTO record (account, id, seq, is_deleted, siblings, boxes)
        SELECT :a, id, seq, is_deleted, siblings, boxes
        FROM unnest(ARRAY[int8send(:r) || :pad::bytea], ARRAY[:seq]::bigint[],
            ARRAY[false]::boolean[], ARRAY[:siblings]::bytea[], ARRAY[:box]::bytea[])
            AS new (id, seq, is_deleted, siblings, boxes)
        ON CONFLICT (account, id) DO UPDATE
        SET seq = excluded.seq, is_deleted = excluded.is_deleted,
            siblings = excluded.siblings, boxes = excluded.boxes;
        INSERT INTO commit_tag (account, seq, tag, written_seconds)
        VALUES (:a, :seq, :tag, 1);
        UPDATE account SET seq = :seq, record_count = record_count + 1,
            stored_bytes = stored_bytes + 600 WHERE account = :a;
        INSERT INTO actor (account, id, member, accepted, chain)
        VALUES (:a, :actor, :m, :counter, :chain)
        ON CONFLICT (account, id)
        DO UPDATE SET accepted = excluded.accepted, chain = excluded.chain;
        INSERT INTO accepted_batch (
            account, actor, first_counter, record_count, chain, epoch, first_seq, tag,
            circle_version, dots
        )
        VALUES (:a, :actor, :counter, 1, :chain, :e, 1, :tag, 1, :dots);
        DELETE FROM accepted_batch
        WHERE account = :a AND actor = :actor AND first_counter <= (
            SELECT old.first_counter FROM accepted_batch AS old
            WHERE old.account = :a AND old.actor = :actor
            ORDER BY old.first_counter DESC LIMIT 1 OFFSET 64
        );
        UPDATE member SET applied_seq = greatest(applied_seq, 0), last_contact_seconds = 1,
            is_dormant = false
        WHERE account = :a AND id = :m;
        COMMIT;
        \endpipeline
        """#
}

extension TestSchema {
    /// The folder of the server's socket, and the schema.
    var place: (host: String, path: String) {
        let host = address.split(separator: "&").first { $0.hasPrefix("host=") }
        let folder = host.map { $0.dropFirst(5).replacing("%2F", with: "/") } ?? ""
        return (String(folder), name)
    }
}
