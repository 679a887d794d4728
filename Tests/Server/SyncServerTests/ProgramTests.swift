import KSCertificates
import Foundation
import KSRecords
import Synchronization
import KSTestPrograms
import Testing
import KSTransport
import KSWire

import KSSyncServer

/// The built program: its one line, its exit codes, its certificate, and how it stops.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct ProgramTests {
    private static func curl(_ arguments: String...) async throws -> ProgramResult {
        try await ServerProgram.run(["-sk"] + arguments, program: "/usr/bin/curl")
    }

    static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

    @Test(.enabled(if: ProgramTests.hasCurl))
    func `it serves HTTP/2 and HTTP/1.1 over TLS, with the pin it prints`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(data: directory + "/data")
            let format = "%{http_version} %{http_code}"
            for (version, expected) in [("--http2", "2 200"), ("--http1.1", "1.1 200")] {
                let answer = try await Self.curl(
                    version,
                    "--pinnedpubkey",
                    server.pin,
                    "-w",
                    format,
                    "-o",
                    "/dev/null",
                    server.url + "/healthz"
                )
                #expect(answer.output == expected)
            }
            let wrongPin = "sha256//" + String(repeating: "A", count: 43) + "="
            let wrong = try await Self.curl("--pinnedpubkey", wrongPin, server.url + "/healthz")
            #expect(wrong.status == 90)
            let old = try await Self.curl("--tls-max", "1.1", server.url + "/healthz")
            #expect(old.status == 35)
            let key = try FileManager.default.attributesOfItem(
                atPath: directory + "/data/certificate.key"
            )
            #expect(key[.posixPermissions] as? Int == 0o600)
            let stopped = await server.stop()
            #expect(stopped.status == 0 && stopped.elapsed < .seconds(5))
        }
    }

    @Test
    func `the client's own requests to it are HTTP/2`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(data: directory)
            let client = try LiveClient(server)
            let answer = try await client.transport.send(TransportRequest(.get, "/healthz"))
            #expect(answer.status == 200 && answer.isOverHTTP2)
            #expect(await server.stop().status == 0)
        }
    }

    @Test
    func `a record is shown as it was pushed, byte for byte`() async throws {
        try await withTemporaryDirectory { directory in
            let account = try TestAccount()
            let server = try await ServerProcess.start(data: directory)
            let client = try LiveClient(server)
            let epoch = try #require(try await client.signUp(account))
            let batch = try account.batch(count: 2, epoch: epoch)
            try await client.push(batch, token: try await client.token(account))
            for (number, envelope) in batch.envelopes.enumerated() {
                // Without a number, the newest is shown.
                let seq = number == 0 ? ["--seq", "1"] : []
                let shown = try await ServerProgram.run(
                    ["show-record", "--data", directory, "--account", account.name] + seq
                )
                #expect(shown.status == 0, "\(shown)")
                let lines = shown.output.split(separator: "\n")
                let id = envelope.recordID.bytes.map(Self.hexadecimal).joined()
                #expect(lines.first ?? "" == "record \(id), seq \(number + 1)")
                let write = try #require(lines.dropFirst().first)
                #expect(write.hasPrefix("  write 1:\(number + 1), replaces none, generation 1,"))
                #expect(write.hasSuffix("a box of \(envelope.box.count) bytes:"))
                #expect(try lines.dropFirst(2).flatMap(Self.bytes) == envelope.box)
            }
            let none = try await ServerProgram.run(
                ["show-record", "--data", directory, "--account", account.name, "--seq", "3"]
            )
            #expect(none.status == 77 && none.output.isEmpty)
            #expect(none.errors == "sync-server: There is no such record.\n")
            #expect(await server.stop().status == 0)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// The bytes of a line of a dump, between its offset and the ASCII characters.
    private static func bytes(_ line: Substring) throws -> [UInt8] {
        let dump = try #require(line.split(separator: "|").first)
        return try dump.split(separator: " ").dropFirst().map {
            try #require(UInt8($0, radix: 16))
        }
    }

    @Test
    func `one data directory has one server, and a backup needs none to stop`() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            let server = try await ServerProcess.start(data: data)
            let listen = "127.0.0.1:\(server.port)"
            let second = try await ServerProgram.run(["serve", "--data", data])
            #expect(second.status == 77)
            #expect(
                second.errors
                    == "sync-server: Another sync-server is using \(data); stop it first.\n"
            )
            let samePort = try await ServerProgram.run(
                ["serve", "--data", directory + "/other", "--listen", listen]
            )
            #expect(samePort.status == 69)
            #expect(samePort.errors.contains("sync-server: Port \(server.port) is in use; "))

            let file = directory + "/backup"
            let backup = try await ServerProgram.run(["backup", file, "--data", data])
            #expect(backup.status == 0)
            let overwriting = try await ServerProgram.run(["backup", file, "--data", data])
            #expect(overwriting.status == 77)
            let early = try await ServerProgram.run(["restore", file, "--data", data, "--force"])
            #expect(early.status == 77)
            #expect(await server.stop().status == 0)
            let careless = try await ServerProgram.run(["restore", file, "--data", data])
            #expect(careless.status == 77)
            let restore = try await ServerProgram.run(["restore", file, "--data", data, "--force"])
            #expect(restore.status == 0, "\(restore.errors)")
            let again = try await ServerProcess.start(data: data)
            #expect(again.pin == server.pin)
            #expect(await again.stop().status == 0)
        }
    }

    @Test
    func `an unusable file is reported in one sentence`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/file"
            try Data("no certificate".utf8).write(to: URL(filePath: file))
            func certificate(days: Int, from seconds: UInt64) throws -> (pem: String, key: String) {
                let made = try SelfSignedCertificate.make(
                    hostNames: ["localhost"],
                    addresses: [],
                    validDays: days,
                    now: seconds
                )
                return (made.certificatePEM, made.keyPEM)
            }
            let now = WallClock.system.seconds()
            let old = try certificate(days: 1, from: 1_600_000_000)
            let other = try certificate(days: 10, from: now)
            let early = try certificate(days: 10, from: now + 864_000)
            for (name, text) in [
                ("/old.pem", old.pem), ("/old.key", old.key), ("/other.pem", other.pem),
                ("/early.pem", early.pem), ("/early.key", early.key),
            ] {
                try Data(text.utf8).write(to: URL(filePath: directory + name))
            }
            func serve(_ arguments: String...) async throws -> ProgramResult {
                try await ServerProgram.run(["serve"] + arguments)
            }
            func tls(_ certificate: String, _ key: String) async throws -> ProgramResult {
                try await serve(
                    "--data",
                    directory + "/data",
                    "--tls-cert",
                    directory + certificate,
                    "--tls-key",
                    directory + key
                )
            }
            let results: [(ProgramResult, Int32, String)] = [
                (try await serve("--data", file), 74, "cannot be written"),
                (try await serve("--data", file + "/below"), 74, "cannot be written"),
                (try await tls("/none.pem", "/old.key"), 64, "cannot be read"),
                (try await tls("/file", "/old.key"), 64, "no certificate"),
                (try await tls("/other.pem", "/file"), 64, "no private key"),
                (try await tls("/other.pem", "/old.key"), 64, "is not the key of"),
                (try await tls("/old.pem", "/old.key"), 64, "has expired: give a newer one."),
                (try await tls("/early.pem", "/early.key"), 64, "is not valid yet"),
                (
                    try await serve(
                        "--data",
                        directory + "/data",
                        "--origin",
                        "https://sync.example.org",
                        "--listen",
                        "192.0.2.1:0"
                    ), 69, "not an address of this machine"
                ),
            ]
            for (result, status, sentence) in results {
                #expect(result.status == status, "\(result.errors)")
                expectOneSentence(result, saying: sentence)
                #expect(result.output.isEmpty)
            }
        }
    }

    @Test
    func `help names the default address as it is typed`() async throws {
        let help = try await ServerProgram.run(["help", "serve"])
        #expect(help.status == 0)
        #expect(help.output.contains("(default: 127.0.0.1:8443)"), "\(help)")
    }

    @Test
    func `a wrong command line shows the usage`() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            let usages: [([String], String)] = [
                (["--data", data, "--tls-cert", directory + "/file"], "Give both"),
                (["--data", data, "--listen", "8443"], "--listen"),
                (["--data", data, "--origin", "http://x"], "--origin"),
                (["--data", data, "--registration", "all"], "--registration"), ([], "--data"),
            ]
            for (arguments, word) in usages {
                let result = try await ServerProgram.run(["serve"] + arguments)
                #expect(result.status == 64 && result.output.isEmpty)
                let lines = result.errors.split(separator: "\n")
                #expect(lines.first?.contains(word) == true, "\(result.errors)")
                #expect(result.errors.contains("\nUsage: sync-server serve "))
            }
            #expect(!FileManager.default.fileExists(atPath: data))
        }
    }

    @Test
    func `it ends streams and answers waiting pulls when it stops, long before any deadline`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let account = try TestAccount()
            var server = try await ServerProcess.start(data: directory)
            var client = try LiveClient(server)
            try await client.signUp(account)
            var token = try await client.token(account)
            let cursor = try await client.changes("", token: token).cursor.value()

            let events = client.transport.events(
                TransportRequest(.get, "/v1/events", headers: LiveClient.bearer(token))
            )
            var iterator = events.makeAsyncIterator()
            #expect(try await iterator.next()?.name == "changes")
            let isAnswered = Mutex(false)
            let pull = Task { [client, token] in
                defer { isAnswered.withLock { $0 = true } }
                return try await client.changes("?after=\(cursor.text)&wait=60", token: token)
            }
            // Later requests on the same connection were answered long ago.
            for _ in 0..<3 { _ = try await client.changes("", token: token) }
            #expect(!isAnswered.withLock { $0 }, "the pull does not wait")
            let stopped = await server.stop()
            #expect(stopped.status == 0, "\(stopped)")
            // The deadline would come after 4.5 seconds.
            #expect(stopped.elapsed < .seconds(4))
            #expect(!stopped.log.contains("too long"), "\(stopped)")
            let answer = try await pull.value
            #expect(try answer.records.isEmpty && answer.cursor.value() == cursor)
            // The reader reports the end of a stream as an error; only the end counts here.
            while case .some = try? await iterator.next() {}

            let pin = server.pin
            server = try await ServerProcess.start(data: directory)
            #expect(server.pin == pin)
            client = try LiveClient(server)
            token = try await client.token(account)
            #expect(try await client.changes("", token: token).circleVersion == 1)
            #expect(await server.stop().status == 0)
        }
    }

    @Test(.enabled(if: ProgramTests.hasCurl))
    func `many connections and a stream over HTTP/1.1 do not delay a stop`() async throws {
        try await withTemporaryDirectory { directory in
            let account = try TestAccount()
            let server = try await ServerProcess.start(data: directory)
            try await LiveClient(server).signUp(account)
            let token = try await LiveClient(server).token(account)
            let cursor = try await LiveClient(server).changes("", token: token).cursor.value()
            var streams: [AsyncThrowingStream<ServerEvent, any Error>.AsyncIterator] = []
            var pulls: [Task<Bool, any Error>] = []
            // With the one below, one less than a member's limit.
            for _ in 0..<(Limits.listenersPerMemberMax / 2 - 1) {
                let client = try LiveClient(server)
                let request = TransportRequest(
                    .get,
                    "/v1/events",
                    headers: LiveClient.bearer(token)
                )
                var stream = client.transport.events(request).makeAsyncIterator()
                #expect(try await stream.next()?.name == "changes")
                streams.append(stream)
                pulls.append(
                    Task {
                        let query = "?after=\(cursor.text)&wait=60"
                        return try await client.changes(query, token: token).records.isEmpty
                    }
                )
                // A later request on its connection was answered, so the pull waits by now.
                _ = try await client.changes("", token: token)
            }
            let file = directory + "/events"
            let header = "Authorization: Bearer \(token)"
            let url = server.url + "/v1/events"
            let old = Task {
                try await Self.curl("-N", "--http1.1", "-H", header, "-o", file, url)
            }
            // curl creates the file with the first event.
            while (try? Data(contentsOf: URL(filePath: file)))?.isEmpty ?? true {
                try await Task.sleep(for: .milliseconds(10))
            }
            let stopped = await server.stop()
            #expect(stopped.status == 0 && stopped.elapsed < .seconds(5), "\(stopped)")
            for pull in pulls { #expect(try await pull.value) }
            _ = try await old.value
            withExtendedLifetime(streams) {}
        }
    }

    @Test
    func `a silent client does not delay a stop`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(data: directory)
            let silent = try #require(LoopbackConnection(port: server.port))
            // It has accepted that connection when it answers on a later one.
            _ = try await LiveClient(server).signUp(TestAccount())
            let stopped = await server.stop()
            silent.hangUp()
            #expect(stopped.status == 0 && stopped.elapsed < .seconds(5), "\(stopped)")
            #expect(!stopped.log.contains("too long"), "\(stopped)")
        }
    }

    @Test
    func `an invitation is made beside a running server`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(
                data: directory,
                arguments: ["--registration", "invite"]
            )
            let client = try LiveClient(server)
            let account = try TestAccount()
            await #expect(throws: UnexpectedStatus(status: 403)) {
                try await client.signUp(account)
            }
            let code = try await ServerProgram.run(["invite", "--data", directory])
            #expect(code.status == 0)
            let invitation = code.output.trimmingCharacters(in: .newlines)
            try await client.signUp(account, invitation: invitation)
            #expect(await server.stop().status == 0)
        }
    }
}
