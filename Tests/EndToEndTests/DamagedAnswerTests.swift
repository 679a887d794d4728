import Foundation
import GRDB
import KSTestPrograms
import Synchronization
import Testing

extension EndToEndTests {
    /// Something between device and server that answers in the server's place, or damages its
    /// answers: nothing of it replaces what the device has.
    struct DamagedAnswerTests {
        /// What arrives instead of an answer, with status 200.
        fileprivate enum Damage: CaseIterable {
            case changed, cut, empty, page, json

            func answer(_ body: [UInt8]) -> (type: String, body: [UInt8]) {
                let type = "application/x-protobuf"
                return switch self {
                case .changed: (type, [0xFF, 0xFF] + Array(body.dropFirst(2)))
                // An empty message cannot be cut.
                case .cut: (type, body.count < 2 ? [0x0A] : Array(body.prefix(body.count / 2)))
                case .empty: ("text/plain", [])
                case .page: ("text/html", Array("<!DOCTYPE html><h1>Sign in</h1>".utf8))
                case .json: ("application/json", Array(#"{"status":"ok","account":""}"#.utf8))
                }
            }
        }

        private static let changes = "GET /v1/changes"

        /// Fails with each damage of the answers to a route, and changes nothing; then works.
        private static func expectUnharmed(
            _ route: String,
            _ proxy: SizeProxy,
            state: () async throws -> String,
            sourceLocation: SourceLocation = #_sourceLocation,
            _ command: () async throws -> ProgramResult
        ) async throws {
            let before = try await state()
            for damage in Damage.allCases {
                // An event would bring the page that the request is to bring, and a page what the
                // server has taken of a batch.
                let others = ["GET /v1/events"] + (route.hasPrefix("POST") ? [Self.changes] : [])
                proxy.spoil { asked, body in
                    if asked == route { return damage.answer(body) }
                    return others.contains(asked) ? Damage.page.answer(body) : nil
                }
                let result = try await command()
                let what = "\(route) \(damage): \(result)"
                #expect(proxy.spoiledCount > 0, "\(what)", sourceLocation: sourceLocation)
                #expect(result.status != 0, "\(what)", sourceLocation: sourceLocation)
                let after = try await state()
                #expect(after == before, "\(what)", sourceLocation: sourceLocation)
            }
            proxy.spoil(nil)
            let works = try await eventually(seconds: 60) { try await command().status == 0 }
            #expect(works, "\(route)", sourceLocation: sourceLocation)
        }

        /// What a device knows of its account, as its database has it: all but what it wants to
        /// send, its own name as a writer, and when it last heard of the server.
        private static func state(_ device: Device) throws -> String {
            try DatabaseQueue(path: device.home + "/keychain.db").read { database in
                let statements = [
                    """
                    SELECT account, member, epoch, cursor_seq, cursor_tag, complete_seq,
                        circle_version, circle_hash, hold FROM sync_state
                    """,
                    "SELECT * FROM sync_vector ORDER BY actor", "SELECT * FROM mirror ORDER BY id",
                    "SELECT * FROM circle_entry ORDER BY version",
                    "SELECT * FROM account_value WHERE name != 'sign-up drafts' ORDER BY name",
                    "SELECT step, reason FROM reconciliation", "SELECT * FROM waiting ORDER BY id",
                    "SELECT * FROM sibling_quarantine", "SELECT * FROM departed_account",
                ]
                return try statements.map { sql in
                    let rows = try Row.fetchAll(database, sql: sql)
                    return "\(rows.map(\.debugDescription))"
                }
                .joined(separator: "\n")
            }
        }

        @Test
        func `a sign-up and a login go on after damaged answers`() async throws {
            try await World.withProxy { world, proxy in
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                // Answered the same way each time, a sign-up cannot be finished twice.
                for route in ["POST /v1/sessions/challenge", "POST /v1/accounts/check"] {
                    for damage in Damage.allCases {
                        proxy.spoil { $0 == route ? damage.answer($1) : nil }
                        let result = try await laptop.signUp(through: proxy)
                        #expect(result.status == 1 && proxy.spoiledCount > 0, "\(result)")
                        #expect(try await laptop.client("sync").status != 0)
                    }
                }
                try await Self.expectUnharmed(
                    "POST /v1/accounts",
                    proxy,
                    state: { try Self.state(laptop) }
                ) { try await laptop.signUp(through: proxy) }
                try await laptop.save("mail", "one")
                #expect(try await laptop.sync().status == 0)

                let phone = world.device("phone")
                try await phone.startDaemon()
                for route in ["POST /v1/sessions", "GET /v1/circle"] {
                    for damage in Damage.allCases {
                        proxy.spoil { $0 == route ? damage.answer($1) : nil }
                        let result = try await logIn(phone, world, proxy)
                        #expect(result.status != 0 && proxy.spoiledCount > 0, "\(result)")
                        #expect(try await phone.client("devices").status != 0)
                    }
                }
                proxy.spoil(nil)
                #expect(try await logIn(phone, world, proxy).status == 0)
                #expect(try await phone.password("mail") == "one")
            }
        }

        private func logIn(
            _ device: Device,
            _ world: World,
            _ proxy: SizeProxy
        ) async throws -> ProgramResult {
            let words = [
                "login", "--server", proxy.url, "--pin", proxy.pin, "--account", World.account,
                "--device", device.name, "--no-passcode", "--password-file", world.passwordFile,
                "--account-key", try world.accountKey,
            ]
            return try await device.start("sync-client", words).result()
        }

        @Test
        func `sync, sessions and the event stream survive damaged answers`() async throws {
            try await World.withProxy { world, proxy in
                let (laptop, phone) = (world.device("laptop"), world.device("phone"))
                for device in [laptop, phone] { try await device.startDaemon() }
                #expect(try await laptop.signUp(through: proxy).status == 0)
                #expect(try await phone.logIn().status == 0)
                try await laptop.save("mail", "one")
                for device in [laptop, phone, laptop] {
                    #expect(try await device.sync().status == 0)
                }
                func expectUnharmed(
                    _ route: String,
                    _ command: () async throws -> ProgramResult
                ) async throws {
                    try await Self.expectUnharmed(
                        route,
                        proxy,
                        state: { try Self.state(laptop) },
                        command
                    )
                }

                // The device is not to pull before the answers are spoiled.
                proxy.spoil { route, body in
                    ["GET /v1/changes", "GET /v1/events"].contains(route)
                        ? Damage.page.answer(body) : nil
                }
                try await laptop.restartDaemonAfterKill()
                try await phone.save("mail", "two")
                #expect(try await phone.sync().status == 0)
                try await expectUnharmed("GET /v1/changes") { try await laptop.sync() }
                #expect(try await laptop.password("mail") == "two")

                try await laptop.save("mail", "three")
                try await expectUnharmed("POST /v1/batches") { try await laptop.sync() }
                #expect(try await phone.sync().status == 0)
                #expect(try await phone.password("mail") == "three")

                for route in ["POST /v1/sessions/challenge", "POST /v1/sessions"] {
                    try await expectUnharmed(route) {
                        try await laptop.restartDaemonAfterKill()
                        return try await laptop.sync()
                    }
                }

                // A stream is replaced when it begins; the device asks meanwhile.
                proxy.spoil { $0 == "GET /v1/events" ? Damage.page.answer($1) : nil }
                try await laptop.restartDaemonAfterKill()
                #expect(await eventually { proxy.spoiledCount > 0 })
                try await phone.save("mail", "four")
                #expect(try await phone.sync().status == 0)
                #expect(try await laptop.sync().status == 0)
                #expect(try await laptop.password("mail") == "four")
            }
        }

        @Test
        func `the circle and the end of an account survive damaged answers`() async throws {
            try await World.withProxy { world, proxy in
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                #expect(try await laptop.signUp(through: proxy).status == 0)
                try await laptop.save("mail", "four")
                #expect(try await laptop.sync().status == 0)
                proxy.spoil { route, body in
                    route == "GET /v1/circle" ? Damage.page.answer(body) : nil
                }
                let tablet = world.device("tablet")
                #expect(try await tablet.logIn().status == 0)
                try await Self.expectUnharmed(
                    "GET /v1/circle",
                    proxy,
                    state: { try Self.state(laptop) },
                    { try await laptop.sync() }
                )
                #expect(try await laptop.client("devices").output.contains("tablet"))

                // The server has taken the entry: the device finds out, and says so.
                proxy.spoil { $0 == "PUT /v1/circle" ? Damage.page.answer($1) : nil }
                let removed = try await laptop.client("revoke", "tablet")
                #expect(removed.status == 0 && proxy.spoiledCount == 1, "\(removed)")
                proxy.spoil(nil)

                // The server has deleted the account, but its answer does not say so.
                proxy.spoil { $0 == "DELETE /v1/account" ? Damage.empty.answer($1) : nil }
                let before = try Self.state(laptop)
                let deleted = try await laptop.client(
                    "delete-account",
                    "--yes",
                    "--password-file",
                    world.passwordFile
                )
                #expect(deleted.status == 1 && proxy.spoiledCount == 1, "\(deleted)")
                #expect(try Self.state(laptop) == before)
                #expect(try await laptop.password("mail") == "four")
            }
        }

        /// A server that has taken a circle or a vector shows it later; what it says of a history
        /// is asked again and again.
        private static let comparisonDamages: [(route: String, damages: [Damage])] = [
            ("POST /v1/history", Damage.allCases), ("POST /v1/circle/return", [.changed, .page]),
            ("POST /v1/circle/return", [.cut]), ("POST /v1/vector", [.empty, .json]),
            ("POST /v1/vector", [.cut]), ("GET /v1/changes", Damage.allCases),
        ]

        @Test(arguments: comparisonDamages.indices)
        func `a comparison with a server that went back goes on after damaged answers`(
            index: Int
        ) async throws {
            let (route, damages) = Self.comparisonDamages[index]
            try await World.withProxy { world, proxy in
                let (laptop, phone) = (world.device("laptop"), world.device("phone"))
                for device in [laptop, phone] { try await device.startDaemon() }
                #expect(try await laptop.signUp(through: proxy).status == 0)
                #expect(try await phone.logIn().status == 0)
                for name in ["mail", "gone"] { try await laptop.save(name, "one") }
                for device in [laptop, phone] { #expect(try await device.sync().status == 0) }
                // A copy of the files keeps the epoch: the devices find out by themselves.
                let origins = ["--origin", proxy.url, "--origin", try world.server.url]
                let copy = world.path("copy")
                try await world.server.stop()
                try FileManager.default.copyItem(atPath: world.serverData, toPath: copy)
                try await world.server.start(origins)
                let tablet = world.device("tablet")
                try await tablet.startDaemon()
                #expect(try await tablet.logIn().status == 0)
                try await phone.save("mail", "two")
                let deleted = try await phone.keychain("delete-generic-password", "-s", "gone")
                #expect(deleted.status == 0)
                let devices = [laptop, phone, tablet]
                for device in devices + devices {
                    #expect(try await eventually { try await device.sync().status == 0 })
                }

                for device in devices { await (try device.runningDaemon).stop() }
                try await world.server.stop()
                try FileManager.default.removeItem(atPath: world.serverData)
                try FileManager.default.copyItem(atPath: copy, toPath: world.serverData)
                try await world.server.start(origins)
                proxy.spoil(route, with: damages)
                try await laptop.startDaemon()
                for _ in 0..<20 where proxy.spoiledCount < damages.count {
                    _ = try await laptop.sync()
                    #expect(try await laptop.password("mail") == "two")
                    #expect(try await laptop.password("gone") == nil)
                }
                #expect(proxy.spoiledCount > 0, "\(route)")
                proxy.spoil(nil)
                #expect(try await eventually(seconds: 60) { try await laptop.isWell() })
                for device in [phone, tablet] { try await device.startDaemon() }
                let fresh = world.device("fresh")
                try await fresh.startDaemon()
                #expect(try await fresh.logIn().status == 0)
                for device in devices + [fresh] {
                    #expect(try await eventually { try await device.sync().status == 0 })
                    #expect(try await device.password("mail") == "two")
                    #expect(try await device.password("gone") == nil)
                }
                let shown = try await laptop.client("devices").output
                for device in devices { #expect(shown.contains(device.name), "\(shown)") }
            }
        }
    }
}

extension SizeProxy {
    /// Damages the answers to a route in turn, and then no more.
    fileprivate func spoil(
        _ route: String,
        with damages: [EndToEndTests.DamagedAnswerTests.Damage]
    ) {
        let rest = Mutex(damages[...])
        spoil { asked, body in
            guard asked == route else { return nil }
            return rest.withLock { $0.popFirst() }?.answer(body)
        }
    }
}
