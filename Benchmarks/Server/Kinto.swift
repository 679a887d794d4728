internal import Foundation
internal import KSPostgreSQLTestSupport

/// Kinto of PyPI on the same PostgreSQL, as its documentation sets it up.
struct Kinto {
    /// With `kinto` and its `python`.
    let programs: String
    let schema: TestSchema
    let folder: String
    /// Uploads, and prints how many records a second.
    let script: String

    func recordsPerSecond(clients: Int, seconds: Int) throws -> Double {
        let port = Int.random(in: 30_000..<32_000)
        let path = folder + "/kinto.ini"
        try configuration(port: port).write(toFile: path, atomically: true, encoding: .utf8)
        _ = try Command.output(programs + "/kinto", ["migrate", "--ini", path])
        let server = Process()
        server.executableURL = URL(fileURLWithPath: programs + "/kinto")
        server.arguments = ["start", "--ini", path, "--port", "\(port)"]
        _ = FileManager.default.createFile(atPath: folder + "/kinto.log", contents: nil)
        server.standardOutput = FileHandle(forWritingAtPath: folder + "/kinto.log")
        server.standardError = server.standardOutput
        try server.run()
        defer {
            server.terminate()
            server.waitUntilExit()
        }
        let text = try Command.output(
            programs + "/python",
            [script, "\(port)", "\(clients)", "\(seconds)", "\(MadeAccount.boxByteCount)"]
        )
        guard let rate = text.split(separator: "\n").last.flatMap({ Double($0) }) else {
            throw Command.Failed(text: text)
        }
        return rate
    }

    private func configuration(port: Int) -> String {
        let host = schema.place.host
        let url = "postgresql://postgres@/postgres?host=\(host)"
        return """
            [server:main]
            use = egg:waitress#main
            host = 127.0.0.1
            port = \(port)
            threads = 8

            [app:main]
            use = egg:kinto
            kinto.storage_backend = kinto.core.storage.postgresql
            kinto.storage_url = \(url)
            kinto.storage_pool_size = 20
            kinto.permission_backend = kinto.core.permission.postgresql
            kinto.permission_url = \(url)
            kinto.permission_pool_size = 20
            kinto.cache_backend = kinto.core.cache.memory
            kinto.userid_hmac_secret = benchmark
            multiauth.policies = basicauth
            multiauth.policy.basicauth.use = kinto.core.authentication.BasicAuthAuthenticationPolicy
            kinto.bucket_create_principals = system.Everyone
            kinto.bucket_write_principals = system.Everyone

            [loggers]
            keys = root
            [handlers]
            keys = console
            [formatters]
            keys = plain
            [logger_root]
            level = WARN
            handlers = console
            [handler_console]
            class = StreamHandler
            args = (sys.stderr,)
            level = NOTSET
            formatter = plain
            [formatter_plain]
            format = %(message)s
            """
    }
}
