import Foundation
import KSTestPrograms
import KeyValueStore
import Testing

extension EndToEndTests {
    /// What `sync-client kv` prints and reads, and the README's lines.
    struct KeyValueCommandTests {
        private func kv(
            _ device: Device,
            _ arguments: String...,
            input: String? = nil
        ) async throws -> ProgramResult {
            try await device.start("sync-client", ["kv"] + arguments, input: input).result()
        }

        @Test
        func `values are read and printed as JSON, and a counter beyond 64 bits warns`()
            async throws
        {
            try await World.withDevice { _, device in
                let text = #"{"$data":"utf8:text"}"#
                #expect(try await kv(device, "set", "app", "data", text).status == 0)
                let data = try await kv(device, "get", "app", "data")
                #expect(data.output == #"{"$data":"hex:74657874"}"# + "\n", "\(data)")
                let day = #"{"$date":"2026-01-01T00:00:00Z"}"#
                #expect(try await kv(device, "set", "app", "date", day).status == 0)
                let date = try await kv(device, "get", "app", "date")
                #expect(date.output == #"{"$date":788918400.0}"# + "\n", "\(date)")

                let most = "--by=\(Int64.max)"
                #expect(try await kv(device, "increment", "app", "n", most).status == 0)
                let full = try await kv(device, "get", "app", "n")
                #expect(full.output == "\(Int64.max)\n" && full.errors.isEmpty, "\(full)")
                #expect(try await kv(device, "increment", "app", "n").status == 0)
                let beyond = try await kv(device, "get", "app", "n")
                #expect(beyond.output == "\(Int64.max)\n" && beyond.status == 0, "\(beyond)")
                #expect(beyond.errors.contains("The counter is beyond 64 bits."), "\(beyond)")

                let one = try await kv(device, "get", "app", "date", "--json")
                #expect(
                    one.output.hasPrefix(#"{"changed":"2"#)
                        && one.output.hasSuffix(
                            #"Z","device":null,"key":"date","type":"register","#
                                + #""value":{"$date":788918400.0}}"# + "\n"
                        ),
                    "\(one)"
                )
                let past = try await kv(device, "get", "app", "date", "--history", "--json")
                #expect(past.output == "[]\n", "\(past)")
                let missing = try await kv(device, "get", "app", "none", "--json")
                #expect(missing.status == 1 && missing.errors.hasPrefix("{\"code\":1,"))
                #expect(try await kv(device, "get", "app", "n", "--text", "--json").status == 64)
                let state = try await kv(device, "status", "app", "--json")
                let members = try #require(
                    try JSONSerialization.jsonObject(with: Data(state.output.utf8))
                        as? [String: Any]
                )
                #expect(members["keys"] as? Int == 3 && members["joined"] as? Bool == false)
                #expect(members["store"] as? String == "app" && members["unsent"] as? Int == 0)

                let list = try await kv(device, "list", "app", "--json")
                let entries = try #require(
                    try JSONSerialization.jsonObject(with: Data(list.output.utf8))
                        as? [[String: Any]]
                )
                #expect(entries.map { $0["key"] as? String } == ["data", "date", "n"])
                let types = entries.map { $0["type"] as? String }
                #expect(types == ["register", "register", "counter"])
                #expect(entries.allSatisfy { $0.keys.count == 5 && $0["device"] is NSNull })
                #expect(entries[2]["value"] as? Int64 == .max && entries[2]["changed"] != nil)
                let warning = #"sync-client: The counter "n" is beyond 64 bits"#
                let lines = try await kv(device, "list", "app")
                #expect(lines.errors == warning + ".\n")
                let json = #"{"warning":"The counter \"n\" is beyond 64 bits."}"#
                #expect(list.errors == json + "\n")
                let exported = try await kv(device, "export", "app")
                #expect(exported.output.contains("\(Int64.max)"), "\(exported)")
                #expect(
                    exported.errors == warning + ": the exported number is the nearest that fits.\n"
                )
                let stores = try await kv(device, "list", "--json")
                #expect(stores.output.contains(#""store":"app""#), "\(stores)")
            }
        }

        @Test
        func `an import reads standard input, and a file that is no export changes nothing`()
            async throws
        {
            try await World.withDevice { world, device in
                let export =
                    #"{"a":{"type":"register","value":1},"#
                    + #""n":{"type":"counter","value":2}}"#
                let read = try await kv(device, "import", "app", "-", input: export)
                #expect(read.status == 0, "\(read)")
                let exported = try await kv(device, "export", "app")
                for broken in ["", "[1]", #"{"a":1}"#, #"{"a":{"type":"heap","value":1}}"#, "{"] {
                    let file = try world.write(broken, to: "broken.json")
                    let refused = try await kv(device, "import", "app", file)
                    #expect(refused.status == 64, "\(broken): \(refused)")
                    #expect(!refused.errors.isEmpty)
                }
                #expect(try await kv(device, "import", "app", world.path("none")).status != 0)
                #expect(try await kv(device, "export", "app").output == exported.output)
            }
        }

        @Test(arguments: [63, 64, 65, 66, 140])
        func `a value has at most 64 arrays around it, also in a file`(depth: Int) async throws {
            try await World.withDevice { world, device in
                let value =
                    String(repeating: "[", count: depth) + "1"
                    + String(repeating: "]", count: depth)
                let set = try await kv(device, "set", "app", "deep", value)
                let isRefused = depth > 64
                // JSON that is deeper than any value could be is not read.
                let isRead = depth <= 2 * 64
                #expect(set.status == (isRefused ? isRead ? 77 : 64 : 0), "\(set)")
                if isRefused, isRead {
                    #expect(set.errors.contains("The limit is 64 levels of nesting"), "\(set)")
                }
                let text = "{\"deep\":{\"type\":\"register\",\"value\":\(value)}}"
                let file = try world.write(text, to: "deep.json")
                let imported = try await kv(device, "import", "other", file)
                #expect(imported.status == set.status, "\(imported)")
                let shown = try await kv(device, "export", "other")
                #expect(shown.output == (isRefused ? "{}" : text) + "\n")
            }
        }

        @Test
        func `watch prints changes of this device's programs, and deletions without a value`()
            async throws
        {
            try await World.withDevice { _, device in
                let watch = try await device.start("sync-client", ["kv", "watch", "app"])
                // Only what changes after its start is printed.
                var number = 0
                let isWatching = try await eventually {
                    number += 1
                    let set = try await kv(device, "set", "app", "a", "\(number)")
                    #expect(set.status == 0)
                    return watch.output.contains(#"{"external":false,"key":"a","value":"#)
                }
                #expect(isWatching, "\(watch.output)")
                #expect(try await kv(device, "delete", "app", "a").status == 0)
                let isDeleted = await eventually {
                    watch.output.contains(#"{"external":false,"key":"a"}"# + "\n")
                }
                #expect(isDeleted, "\(watch.output)")
                await watch.kill()
            }
        }

        /// The daemon keeps only so many changes for it.
        @Test
        func `watch prints at last what changed while it was stopped`() async throws {
            try await World.withDevice { _, device in
                let store = KeyValueStore(home: device.home)
                let name = try store.status().name
                try store.set(1, forKey: "gone")
                #expect(store.synchronize())
                let watch = try await device.start("sync-client", ["kv", "watch", name])
                var number = 0
                let isWatching = try await eventually {
                    number += 1
                    try store.set(number, forKey: "a")
                    return watch.output.contains(#""key":"a""#)
                }
                #expect(isWatching, "\(watch.output)")
                #expect(kill(watch.processID, SIGSTOP) == 0)
                for count in 1...400 {
                    try store.set(String(repeating: "x", count: 20_000) + "\(count)", forKey: "b")
                    #expect(store.synchronize())
                }
                store.removeValue(forKey: "gone")
                try store.set(0, forKey: "a")
                #expect(store.synchronize())
                #expect(kill(watch.processID, SIGCONT) == 0)
                let hasAll = await eventually {
                    let lines = watch.output.split(separator: "\n")
                    return [#""key":"gone"}"#, #""key":"a","value":0}"#, #"xxx400"}"#].allSatisfy {
                        line in lines.contains { $0.hasSuffix(line) }
                    }
                }
                #expect(hasAll)
                // Some were not kept.
                #expect(watch.output.split(separator: "\n").count < 400)
                await watch.kill()
            }
        }

        @Test(arguments: [
            (">/dev/full", 74, "sync-client: The output cannot be written"), ("| true", 141, ""),
        ])
        func `watch ends when what it prints is lost`(
            output: String,
            status: Int32,
            errors: String
        ) async throws {
            try await World.withDevice { world, device in
                let program = Programs.path("sync-client")
                let watch = try await RunningProgram(
                    "/bin/bash",
                    [
                        "-c",
                        "'\(program)' kv watch app --home '\(device.home)' \(output);"
                            + " exit ${PIPESTATUS[0]}",
                    ],
                    folder: world.folder
                )
                let writes = Task {
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        _ = try await kv(device, "set", "app", "a", "\(number)")
                    }
                }
                let result = await watch.result()
                writes.cancel()
                _ = await writes.result
                #expect(result.status == status && result.errors.hasPrefix(errors), "\(result)")
            }
        }

        // MARK: The page

        private struct Line {
            let device: String
            let command: String
            var output = ""
        }

        /// The lines of the page's block about `kv`, with what they print.
        private func pageLines() throws -> [Line] {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../docs/KeyValueStore.md").standardizedFileURL
            let blocks = try String(contentsOf: file, encoding: .utf8)
                .components(separatedBy: "```\n")
            let block = try #require(blocks.first { $0.contains("$ sync-client kv set") })
            var lines: [Line] = []
            for line in block.split(separator: "\n") {
                let parts = line.split(separator: "$", maxSplits: 1).map(String.init)
                if parts.count == 2, ["laptop", "phone"].contains(parts[0]) {
                    lines.append(Line(device: parts[0], command: parts[1]))
                } else {
                    let last = try #require(lines.indices.last)
                    lines[last].output += line + "\n"
                }
            }
            return lines
        }

        @Test
        func `the lines of the page print what it says`() async throws {
            let lines = try pageLines()
            #expect(lines.count >= 9 && lines.contains { !$0.output.isEmpty })
            try await World.withDevices("laptop", "phone") { world, devices in
                for line in lines {
                    let device = try #require(devices.first { $0.name == line.device })
                    let isWatch = line.command.contains(" kv watch ")
                    let shell = try await RunningProgram(
                        "/bin/sh",
                        // A killed shell would leave its command running.
                        ["-c", (isWatch ? "exec " : "") + line.command],
                        folder: world.folder,
                        environment: [
                            "PATH": Programs.folder + ":/usr/bin:/bin",
                            "KEYCHAIN_SYNC_HOME": device.home,
                        ]
                    )
                    if isWatch {
                        await pause(milliseconds: 200)
                        #expect(shell.isRunning, "\(line.command): \(shell.errors)")
                        await shell.kill()
                        continue
                    }
                    let result = await shell.result()
                    #expect(result.status == 0, "\(line.command): \(result)")
                    if !line.output.isEmpty {
                        #expect(result.output == line.output, "\(line.command)")
                    }
                    for device in devices + devices { _ = try await device.sync() }
                }
                let file = try String(contentsOfFile: world.path("app.json"), encoding: .utf8)
                #expect(file.contains(#""theme":{"#), "\(file)")
            }
        }
    }
}
