import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `sync-client kv watch` through losses of its daemon.
    struct KeyValueWatchTests {
        private func kv(_ device: Device, _ arguments: String...) async throws -> ProgramResult {
            try await device.start("sync-client", ["kv"] + arguments).result()
        }

        /// Starts watching the store app, and changes the key a until that is printed.
        private func watch(_ device: Device, home: String? = nil) async throws -> RunningProgram {
            let watch = try await device.start(
                "sync-client",
                ["kv", "watch", "app", "--home", home ?? device.home],
                namesHome: false
            )
            var number = 0
            let isWatching = try await eventually {
                number += 1
                let set = try await kv(device, "set", "app", "a", "\(number)")
                #expect(set.status == 0)
                return watch.output.contains(#""key":"a""#)
            }
            #expect(isWatching, "\(watch.output) \(watch.errors)")
            return watch
        }

        @Test
        func `watch continues when the daemon ends, and prints what has changed meanwhile`()
            async throws
        {
            try await World.withDevice { _, device in
                for key in ["kept", "gone"] {
                    #expect(try await kv(device, "set", "app", key, "1").status == 0)
                }
                let watch = try await watch(device)
                for number in 1...2 {
                    let isKill = number == 1
                    if isKill {
                        await (try device.runningDaemon).kill()
                    } else {
                        #expect(try await device.client("stop").status == 0)
                    }
                    #expect(try await kv(device, "set", "app", "n", "\(number)").status == 0)
                    if isKill { #expect(try await kv(device, "delete", "app", "gone").status == 0) }
                    let line = #"{"external":false,"key":"n","value":\#(number)}"# + "\n"
                    let isPrinted = await eventually { watch.output.contains(line) }
                    #expect(isPrinted, "\(watch.output) \(watch.errors)")
                    let loss =
                        "sync-client: The daemon has ended:"
                        + " kv watch continues when it runs again.\n"
                    let isTold = await eventually {
                        watch.errors == String(repeating: loss, count: number)
                    }
                    #expect(isTold, "\(watch.errors)")
                }
                let deletion = #"{"external":false,"key":"gone"}"# + "\n"
                #expect(await eventually { watch.output.contains(deletion) })
                // The same value is not printed again.
                #expect(!watch.output.contains("kept"), "\(watch.output)")
                let lines = watch.output.split(separator: "\n")
                #expect(lines.filter { $0.contains(#""key":"n""#) }.count == 2, "\(lines)")
                await watch.kill()
                _ = try await device.client("stop")
            }
        }

        @Test
        func `watch reads everything with the next report if the first reading failed`()
            async throws
        {
            try await World.withDevice { world, device in
                let thief = try AnswerThief(between: world.path("thief"), and: device)
                defer { thief.stop() }
                try thief.allowAllStores(of: device)
                #expect(try await kv(device, "set", "app", "kept", "1").status == 0)
                // The reading is tried twice.
                thief.lose(answersTo: "kv.read", countMax: 2)
                let watch = try await watch(device, home: thief.home)
                #expect(thief.lostCount == 2)
                #expect(watch.errors.contains("The daemon went away"), "\(watch.errors)")
                // Everything is read again: only what has changed is printed.
                try await device.restartDaemonAfterKill()
                #expect(try await kv(device, "set", "app", "n", "1").status == 0)
                #expect(await eventually { watch.output.contains(#""key":"n""#) })
                #expect(!watch.output.contains("kept"), "\(watch.output)")
                await watch.kill()
            }
        }

        @Test
        func `watch ends when its home is removed`() async throws {
            try await World.withDevice { _, device in
                let watch = try await watch(device)
                await (try device.runningDaemon).kill()
                try FileManager.default.removeItem(atPath: device.home)
                let result = await watch.result(limitSeconds: 60)
                #expect(result.status == 74, "\(result)")
                #expect(!FileManager.default.fileExists(atPath: device.home))
            }
        }

        @Test
        func `watch ends at once if the daemon refuses the store`() async throws {
            try await World.withDevice { _, device in
                let long = String(repeating: "s", count: 2000)
                let refused = try await kv(device, "watch", long)
                #expect(refused.status == 64 && refused.output.isEmpty, "\(refused)")
            }
        }
    }
}
