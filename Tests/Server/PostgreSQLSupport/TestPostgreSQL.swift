internal import Foundation
package import KSDigests
internal import KSMerging
package import KSPostgreSQLStore
internal import KSStore
internal import Synchronization

/// A PostgreSQL server of the test process, in a folder of its own, which ends with the process.
package enum TestPostgreSQL {
    /// The folder with the programs of Debian's newest PostgreSQL; nil if none is installed.
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        // Without the folder there is no version.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap(Int.init).sorted().map { "\(root)/\($0)/bin" }
            .last { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
    }()

    package static let isInstalled: Bool = {
        if programs == nil {
            print("PostgreSQL is not installed: its store is not tested (apt install postgresql).")
        }
        return programs != nil
    }()

    /// Runs the server, as another user than root, until the pipe to the shell closes; each line of
    /// the pipe restarts it, as a crash would.
    private static let script = """
        set -e
        as=
        if [ "$(id -u)" = 0 ]; then
            install -d -o nobody -g nogroup -m 700 "$2"
            as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
        else
            mkdir -m 700 "$2"
        fi
        cd "$2"
        $as "$1/initdb" -D "$2/data" -A trust -U postgres -E UTF8 --no-locale -N >log 2>&1
        start() {
            $as "$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c max_connections=400 \\
                -c shared_buffers=64MB >>log 2>&1 </dev/null &
            server=$!
        }
        start "$1" "$2"
        while read -r line; do
            kill -QUIT $server
            wait $server || true
            start "$1" "$2"
            touch "restarted-$line"
        done
        kill -INT $server
        wait $server || true
        rm -rf "$2"
        """

    fileprivate struct Server {
        let folder: String
        let administrator: DatabaseConnection
        let process: Process
        /// The server ends when this closes, by the end of the test process at the latest.
        let lifeline: FileHandle
    }

    fileprivate struct NotStarted: Error {}

    private struct State {
        var server: Server?
        var schemas = 0
    }

    private static let state = Mutex(State())

    /// A schema of its own for one store, in the one database.
    package static func makeSchema() throws -> TestSchema {
        try state.withLock { state in
            let server = try state.server ?? start()
            state.server = server
            state.schemas += 1
            let name = "s\(state.schemas)"
            try server.administrator.runScript("CREATE SCHEMA \(name)")
            return TestSchema(name: name, address: address(server.folder, schema: name))
        }
    }

    fileprivate static func address(_ folder: String, schema: String) -> String {
        let host = folder.replacingOccurrences(of: "/", with: "%2F")
        return "postgresql:///postgres?user=postgres&host=\(host)"
            + "&options=-csearch_path%3D\(schema)"
    }

    fileprivate static func start() throws -> Server {
        guard let programs else { throw NotStarted() }
        // The path of a socket has 107 bytes at most.
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("pg-\(UUID().uuidString.prefix(8))").path
        let pipe = Pipe()
        let lifeline = pipe.fileHandleForWriting
        _ = fcntl(lifeline.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", programs, folder]
        process.standardInput = pipe
        try process.run()
        return Server(
            folder: folder,
            administrator: try connect(to: folder),
            process: process,
            lifeline: lifeline
        )
    }

    /// Waits until the server is ready.
    fileprivate static func connect(to folder: String) throws -> DatabaseConnection {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            // It fails until then.
            if let administrator = try? DatabaseConnection(
                address(folder, schema: "public"),
                answerMax: .seconds(60)
            ) {
                return administrator
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw NotStarted()
    }
}

/// A PostgreSQL server of one test, which ends with this value.
package final class OwnPostgreSQL {
    private let server: TestPostgreSQL.Server
    private var restarts = 0

    package init() throws {
        server = try TestPostgreSQL.start()
    }

    deinit {
        // A pipe that is closed already has ended the server too.
        try? server.lifeline.close()
    }

    package var address: String { TestPostgreSQL.address(server.folder, schema: "public") }

    /// Ends the server as a crash would, and returns when it answers again.
    package func restart() throws {
        restarts += 1
        try server.lifeline.write(contentsOf: Data("\(restarts)\n".utf8))
        let end = ContinuousClock.now + .seconds(60)
        let mark = server.folder + "/restarted-\(restarts)"
        while !FileManager.default.fileExists(atPath: mark) {
            guard ContinuousClock.now < end else { throw TestPostgreSQL.NotStarted() }
            Thread.sleep(forTimeInterval: 0.05)
        }
        _ = try TestPostgreSQL.connect(to: server.folder)
    }
}

/// The place of one store.
package struct TestSchema: Sendable {
    package let name: String
    package let address: String

    /// Opens a store there, whose tables the first one makes.
    package func open(
        options: PostgreSQLStore.Options = Self.options,
        accountBytesMax: UInt64? = nil,
        random: any RandomSource = SystemRandomSource(),
        clockSeconds: @escaping @Sendable () -> UInt64 = { 1_000_000 }
    ) throws -> PostgreSQLStore {
        try PostgreSQLStore(
            address: address,
            options: options,
            quota: AccountQuota(bytesMax: accountBytesMax),
            random: random,
            clockSeconds: clockSeconds
        )
    }

    /// Few connections: many tests run at once.
    package static var options: PostgreSQLStore.Options {
        var options = PostgreSQLStore.Options()
        options.connectionsMax = 4
        return options
    }

    package func connect() throws -> DatabaseConnection {
        try DatabaseConnection(address, answerMax: .seconds(60))
    }

    package func execute(_ sql: String) throws {
        try connect().runScript(sql)
    }

    /// The first row of a query.
    package func integers(_ sql: String) throws -> [UInt64] {
        guard let row = try connect().run([Statement(sql)])[0].first else { return [] }
        return try row.fieldIndices.map { try row.integer($0) }
    }

    /// The first column of a query.
    package func texts(_ sql: String) throws -> [String] {
        try connect().run([Statement(sql)])[0].rows.map { try $0.text(0) }
    }
}
