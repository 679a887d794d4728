import KSTestPrograms
import KeyValueStore
import Synchronization
import Testing

extension EndToEndTests {
    /// A daemon that has carried out a program's writes, and a program that does not learn of it.
    struct LostAnswerTests {
        /// The changes that count twice if they are made twice.
        private func count(in store: KeyValueStore) throws {
            try store.counter("visits").increment(by: 5)
            try store.list(of: String.self, "tasks").append("one")
            try store.transaction { transaction in
                transaction.increment("saves")
                transaction.set("Ada", forKey: "name")
            }
            try store.map("fields").increment("n", by: 3)
        }

        private func expect(_ store: KeyValueStore, times: Int64) {
            #expect(store.counter("visits").value == 5 * times)
            let tasks = store.list(of: String.self, "tasks").elements
            #expect(tasks == Array(repeating: "one", count: Int(times)))
            #expect(store.counter("saves").value == times)
            #expect(store.map("fields").fields == ["n": .integer(3 * times)])
        }

        private func withThief(
            _ body: (_ laptop: Device, _ phone: Device, AnswerThief, KeyValueStore) async throws
                -> Void
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let thief = try AnswerThief(between: world.path("thief"), and: devices[0])
                defer { thief.stop() }
                let store = KeyValueStore(home: thief.home)
                _ = try store.status()
                let changed = Mutex<[String]>([])
                let number = store.observe { change in changed.withLock { $0 += change.keys } }
                defer { store.stopObserving(number) }
                try await body(devices[0], devices[1], thief, store)
                // No value was shown with a write in it twice, not even for a moment.
                #expect(changed.withLock(\.self) == [])
            }
        }

        /// Checks the device's own values, in another session, and those of the other device.
        private func expectTimes(
            _ times: Int64,
            on laptop: Device,
            and phone: Device
        ) async throws {
            expect(KeyValueStore(home: laptop.home), times: times)
            for device in [laptop, phone] { #expect(try await device.sync().status == 0) }
            let other = KeyValueStore(home: phone.home)
            #expect(await eventually { other.map("fields").fields == ["n": .integer(3 * times)] })
            expect(other, times: times)
        }

        @Test
        func `writes whose answer is lost are sent again, and counted once`() async throws {
            try await withThief { laptop, phone, thief, store in
                thief.lose(answersTo: "kv.write")
                try count(in: store)
                // Each call is repeated at once, and then after a wait.
                #expect(!store.synchronize())
                #expect(await eventually { thief.lostCount >= 4 })
                thief.lose(answersTo: nil)
                #expect(await eventually { store.synchronize() })
                expect(store, times: 1)
                try await expectTimes(1, on: laptop, and: phone)
                // The next writes have the next number.
                try count(in: store)
                #expect(store.synchronize())
                try await expectTimes(2, on: laptop, and: phone)
            }
        }

        @Test
        func `a daemon that was killed after the commit knows the writes when they come again`()
            async throws
        {
            try await withThief { laptop, phone, thief, store in
                thief.lose(answersTo: "kv.write")
                try count(in: store)
                #expect(!store.synchronize())
                #expect(thief.lostCount >= 1)
                try await laptop.restartDaemonAfterKill()
                thief.lose(answersTo: nil)
                #expect(await eventually { store.synchronize() })
                expect(store, times: 1)
                try await expectTimes(1, on: laptop, and: phone)
            }
        }

        // MARK: sync-client kv

        /// Changes that count twice, or fail, if they are made twice.
        private static let commands = [
            ["increment", "app", "n"], ["set", "app", "k", "1"], ["import", "app", "-"],
            ["delete", "app", "gone"], ["add", "app", "list", "1", "2", "2", "--type", "list"],
            ["remove", "app", "list", "2"], ["increment", "app", "map", "--field", "f"],
            ["set-field", "app", "map", "g", "1"], ["remove-field", "app", "map", "g"],
        ]

        private func kv(
            _ device: Device,
            _ arguments: [String],
            home: String? = nil
        ) async throws -> ProgramResult {
            try await device.start(
                "sync-client",
                ["kv"] + arguments + ["--home", home ?? device.home],
                input: #"{"i":{"type":"counter","value":3}}"#,
                namesHome: false
            ).result()
        }

        @Test
        func `a command whose answer is lost repeats its change, which counts once`() async throws {
            try await World.withDevice { world, device in
                let thief = try AnswerThief(between: world.path("thief"), and: device)
                defer { thief.stop() }
                try thief.allowAllStores(of: device)
                #expect(try await kv(device, ["set", "app", "gone", "1"]).status == 0)
                for command in Self.commands {
                    thief.lose(answersTo: "kv.write", countMax: 1)
                    let result = try await kv(device, command, home: thief.home)
                    #expect(result.status == 0 && result.errors.isEmpty, "\(command): \(result)")
                }
                #expect(thief.lostCount == Self.commands.count)
                let shown = try await kv(device, ["export", "app"])
                #expect(
                    shown.output == #"{"i":{"type":"counter","value":3},"#
                        + #""k":{"type":"register","value":1},"#
                        + #""list":{"type":"list","value":[1,2]},"#
                        + #""map":{"type":"map","value":{"f":1}},"#
                        + #""n":{"type":"counter","value":1}}"# + "\n"
                )
            }
        }

        @Test
        func `a refused change whose answer is lost is refused again`() async throws {
            try await World.withDevice { world, device in
                let thief = try AnswerThief(between: world.path("thief"), and: device)
                defer { thief.stop() }
                try thief.allowAllStores(of: device)
                let key = String(repeating: "k", count: 129)
                thief.lose(answersTo: "kv.write", countMax: 1)
                let result = try await kv(device, ["set", "app", key, "1"], home: thief.home)
                #expect(result.status == 77, "\(result)")
                #expect(result.errors.contains("was not changed"), "\(result)")
                #expect(thief.lostCount == 1)
            }
        }

        @Test
        func `a command that cannot learn whether its change was made says so`() async throws {
            try await World.withDevice { world, device in
                let thief = try AnswerThief(between: world.path("thief"), and: device)
                defer { thief.stop() }
                try thief.allowAllStores(of: device)
                thief.lose(answersTo: "kv.write")
                let result = try await kv(device, ["increment", "app", "n"], home: thief.home)
                #expect(result.status == 75, "\(result)")
                #expect(
                    result.errors.contains("The change may have been made: look with"),
                    "\(result)"
                )
                #expect(thief.lostCount == 2)
                #expect(try await kv(device, ["get", "app", "n"]).output == "1\n")
            }
        }

        @Test
        func `increments during which the daemon is killed count once each`() async throws {
            try await World.withDevice { _, device in
                let counts = 1...12
                for count in counts {
                    let command = try await device.start(
                        "sync-client",
                        ["kv", "increment", "app", "n"]
                    )
                    // Early kills come before the call, late ones after it.
                    await pause(milliseconds: 2 * count)
                    await (try device.runningDaemon).kill()
                    let result = await command.result()
                    #expect(result.status == 0, "\(result)")
                    // The command may have started another daemon by then.
                    _ = try await device.client("stop")
                    try await device.startDaemon()
                }
                let shown = try await kv(device, ["get", "app", "n"])
                #expect(shown.output == "\(counts.count)\n")
            }
        }
    }
}
