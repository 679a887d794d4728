import Foundation
import KSTestPrograms
import KeyValueStore
import Synchronization
import Testing
import UbiquitousKeyValueStore

extension EndToEndTests {
    /// Apple's class in this process, on a device whose other end is `sync-client kv`.
    struct UbiquitousStoreTests {
        fileprivate struct Post: Equatable, Sendable {
            let reason: Int?
            let keys: [String]?
        }

        /// The notifications of one handle.
        final class Posts: Sendable {
            private let all = Mutex<[Post]>([])

            init(of store: NSUbiquitousKeyValueStore) {
                NSUbiquitousKeyValueStore.notificationQueue = nil
                _ = NotificationCenter.default.addObserver(
                    forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
                    object: store,
                    queue: nil
                ) { [weak self] post in
                    let info = post.userInfo
                    let reason = info?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
                    let keys = info?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
                    self?.all.withLock { $0.append(Post(reason: reason, keys: keys)) }
                }
            }

            func count(_ reason: Int) -> Int {
                all.withLock { posts in posts.count { $0.reason == reason } }
            }

            func contains(_ reason: Int, _ key: String? = nil) -> Bool {
                all.withLock { posts in
                    posts.contains { post in
                        post.reason == reason
                            && (key.map { post.keys?.contains($0) ?? false } ?? true)
                    }
                }
            }
        }

        private func kv(_ device: Device, _ arguments: String...) async throws {
            let result = try await device.start("sync-client", ["kv"] + arguments).result()
            #expect(result.status == 0, "\(arguments): \(result)")
        }

        /// Two devices, and a store of this process on the second one, which has a value of the
        /// first one.
        private func withTheme(
            _ body: (World, _ laptop: Device, _ phone: Device, NSUbiquitousKeyValueStore, Posts)
                async throws -> Void
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: phone.home))
                let posts = Posts(of: store)
                let name = try store.typedStore.status().name
                try await kv(laptop, "set", name, "theme", #""dark""#)
                #expect(await eventually { store.string(forKey: "theme") == "dark" })
                try await body(world, laptop, phone, store, posts)
            }
        }

        @Test
        func
            `changes of another device arrive with reason 0, and own ones are sent without a call`()
            async throws
        {
            try await withTheme { _, laptop, phone, store, posts in
                let name = try store.typedStore.status().name
                #expect(await eventually { posts.contains(0, "theme") })
                store.set(Int64(5), forKey: "count")
                #expect(store.synchronize())
                let own = try #require(store.typedStore.lastChange(forKey: "count"))
                #expect(own.device == "phone" && abs(own.date.timeIntervalSinceNow) < 60)
                let theirs = try #require(store.typedStore.lastChange(forKey: "theme"))
                #expect(theirs.device == "laptop" && theirs.date < own.date)
                #expect(
                    await eventually {
                        // A command that could not be started is tried again.
                        let got = try? await laptop.start(
                            "sync-client",
                            ["kv", "get", name, "count"]
                        ).result()
                        return got?.output == "5\n"
                    }
                )
                try await kv(laptop, "delete", name, "theme")
                #expect(await eventually { store.object(forKey: "theme") == nil })
                #expect(store.typedStore.isFirstSyncComplete && !posts.contains(0, "count"))
                // The store finds a daemon after a kill, and gets the changes made meanwhile.
                await (try phone.runningDaemon).kill()
                try await kv(laptop, "set", name, "late", "1")
                try await phone.startDaemon()
                #expect(await eventually { store.longLong(forKey: "late") == 1 })
                #expect(await eventually { posts.contains(0, "late") })
            }
        }

        /// That of an asynchronous main function, as in these tests, is in ``NotificationTests``.
        @Test
        func `a program's main loop gets another device's changes on the main thread`()
            async throws
        {
            let path = Programs.path("KSMainLoopProgram")
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                var programs: [RunningProgram] = []
                for loop in ["run-loop", "dispatch"] {
                    programs.append(
                        try await RunningProgram(
                            path,
                            [loop],
                            folder: world.folder,
                            environment: ["KEYCHAIN_SYNC_HOME": phone.home]
                        )
                    )
                }
                for program in programs {
                    let isObserving = await program.waitForOutput { $0 == "observing\n" }
                    #expect(isObserving, "\(program.errors)")
                }
                try await kv(laptop, "set", "exe:" + path, "theme", #""dark""#)
                for program in programs {
                    let isShown = await program.waitForOutput { $0.hasSuffix("\n0 theme dark\n") }
                    #expect(isShown && program.isRunning, "\(program.output) \(program.errors)")
                }
            }
        }

        @Test
        func `a program can sync now, and hears why it cannot`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let source = KeyValueStore(home: devices[0].home)
                let target = KeyValueStore(home: devices[1].home)
                for number in 1...3 {
                    try source.set(number, forKey: "number")
                    try await source.sync()
                    try await target.sync()
                    #expect(await eventually { target.value(forKey: "number") == number })
                }
                try await world.server.kill()
                await #expect(throws: KeyValueStoreError.self) { try await source.sync() }
                #expect(source.value(forKey: "number") == 3)
            }
        }

        @Test
        func `the keys of a transaction arrive together on another device`() async throws {
            try await withTheme { _, laptop, phone, store, _ in
                let source = KeyValueStore(home: laptop.home)
                let target = store.typedStore
                #expect(await eventually { target.values["theme"] != nil })
                var changes = target.changes.makeAsyncIterator()
                for number in 1...40 {
                    try source.transaction { transaction in
                        transaction.set(number, forKey: "from")
                        transaction.increment("sum")
                        transaction.set(number, forKey: "to")
                    }
                }
                var last = 0
                while last < 40, let change = await changes.next() {
                    let values = target.values
                    #expect(Set(change.keys) == ["from", "sum", "to"])
                    #expect(values["from"] == values["to"] && values["sum"] == values["to"])
                    last = target.value(forKey: "to") ?? 0
                }
                #expect(last == 40)
            }
        }

        @Test
        func `a device that joins keeps its own writes, and reports the account and its values`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let phone = world.device("phone")
                try await phone.startDaemon()
                let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: phone.home))
                let name = try store.typedStore.status().name
                #expect(!store.typedStore.isFirstSyncComplete)
                try await kv(devices[0], "set", name, "theirs", "1")
                try await kv(devices[0], "increment", name, "visits", "--by", "3")
                _ = try await devices[0].sync()
                let posts = Posts(of: store)
                store.typedStore.register(defaults: ["theirs": 7, "unset": 8])
                #expect(store.longLong(forKey: "theirs") == 7)
                store.set("kept", forKey: "mine")
                try store.typedStore.counter("visits").increment()
                #expect(store.synchronize())
                let login = try await phone.logIn()
                #expect(login.status == 0, "\(login)")
                try await store.typedStore.waitForFirstSync()
                #expect(await eventually { posts.contains(3) })
                #expect(await eventually { store.longLong(forKey: "visits") == 4 })
                #expect(await eventually { posts.contains(1, "theirs") })
                #expect(!posts.contains(0, "theirs"))
                #expect(store.string(forKey: "mine") == "kept")
                // A default gives way to the account's value, and is never written.
                #expect(store.longLong(forKey: "theirs") == 1)
                #expect(store.typedStore.value(forKey: "theirs") == 1)
                #expect(store.longLong(forKey: "unset") == 8)
                try await expectTokens(of: phone, devices[0], in: world)
                _ = try await phone.sync()
                _ = try await devices[0].sync()
                let got = try await devices[0].start("sync-client", ["kv", "get", name, "mine"])
                    .result()
                #expect(got.output == "\"kept\"\n", "\(got)")
                let theirs = KeyValueStore(home: devices[0].home)
                #expect(theirs.value(forKey: "theirs") == 1 && !theirs.keys.contains("unset"))
            }
        }

        private static let anotherKit = "another kit"

        /// A device with another account on the same server.
        private func stranger(in world: World) async throws -> Device {
            let stranger = world.device("stranger")
            try await stranger.startDaemon()
            let signUp = try await stranger.signUp(account: "another", kit: Self.anotherKit)
            try #require(signUp.status == 0, "\(signUp)")
            return stranger
        }

        @Test
        func `a program sees the old account's values go, and those of the next one come`()
            async throws
        {
            try await withTheme { world, _, phone, store, posts in
                let name = try store.typedStore.status().name
                let stranger = try await stranger(in: world)
                try await kv(stranger, "set", name, "other", "1")
                _ = try await stranger.sync()

                let left = try await phone.client("logout")
                #expect(left.status == 0, "\(left)")
                #expect(await eventually { posts.contains(3, "theme") })
                #expect(store.object(forKey: "theme") == nil)
                #expect(!store.typedStore.isFirstSyncComplete)
                store.set("kept", forKey: "mine")
                #expect(store.synchronize())
                let kit = try String(contentsOfFile: world.path(Self.anotherKit), encoding: .utf8)
                let key = String(try #require(kit.firstMatch(of: /K1(-[0-9A-Z]+)+/)).0)
                let login = try await phone.logIn(account: "another", accountKey: key)
                #expect(login.status == 0, "\(login)")
                #expect(await eventually { posts.contains(1, "other") })
                #expect(store.longLong(forKey: "other") == 1)
                #expect(store.object(forKey: "theme") == nil && posts.count(3) == 2)
                #expect(store.string(forKey: "mine") == "kept")
                _ = try await phone.sync()
                _ = try await stranger.sync()
                let got = try await stranger.start("sync-client", ["kv", "get", name, "mine"])
                    .result()
                #expect(got.output == "\"kept\"\n", "\(got)")
            }
        }

        /// The token belongs to the account: its devices have the same one, others another.
        private func expectTokens(
            of first: Device,
            _ second: Device,
            in world: World
        ) async throws {
            let stranger = try await stranger(in: world)
            func token(_ device: Device) throws -> Data {
                try #require(try KeyValueStore(home: device.home).status().accountToken)
            }
            #expect(try token(first) == token(second))
            #expect(try token(first) != token(stranger))
        }

        @Test
        func `a value that was not chosen stays readable until it is replaced`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let store = KeyValueStore(home: phone.home)
                let name = try store.status().name
                try await world.server.stop()
                try await kv(laptop, "set", name, "theme", #""dark""#)
                try store.set("light", forKey: "theme")
                #expect(store.synchronize())
                #expect(try store.conflictingVersions(of: "theme").isEmpty)
                try await world.server.start()
                _ = try await laptop.sync()
                _ = try await phone.sync()
                let both: Set<KeyValue> = [.string("dark"), .string("light")]
                #expect(
                    try await eventually {
                        let shown = store.value(KeyValue.self, forKey: "theme")
                        let others = try store.conflictingVersions(of: "theme")
                        return others.count == 1 && Set(others + [shown].compactMap { $0 }) == both
                    }
                )
                try store.set("grey", forKey: "theme")
                #expect(store.synchronize())
                #expect(try store.conflictingVersions(of: "theme").isEmpty)
                // Then they are in the history, on all devices.
                for device in [phone, laptop] { _ = try await device.sync() }
                #expect(try Set(store.history(of: "theme").map(\.value)) == both)
                #expect(try store.history(of: "none").isEmpty)
                let shown = try await laptop.client("kv", "get", name, "theme", "--history")
                let line = /{"changed":"[-0-9T:.]+Z","value":"(dark|light)"}/
                let values = shown.output.split(separator: "\n").compactMap {
                    $0.wholeMatch(of: line).map { String($0.1) }
                }
                #expect(values.count == 2 && Set(values) == ["dark", "light"], "\(shown)")
            }
        }

        @Test
        func `what concurrent changes of fields and elements hide is readable`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let store = KeyValueStore(home: phone.home)
                let name = try store.status().name
                try await kv(laptop, "set", name, "map", #"{"a":1,"b":2}"#, "--type", "map")
                try await kv(laptop, "set", name, "list", #"["a","b"]"#, "--type", "list")
                for device in devices { _ = try await device.sync() }
                #expect(await eventually { store.keys == ["list", "map"] })
                try await world.server.stop()
                try await kv(laptop, "set", name, "map", #"{"a":1,"b":3}"#)
                try await kv(laptop, "set", name, "list", #"["a","c"]"#)
                try store.map("map").set(4, forField: "b")
                try store.list(of: String.self, "list").set("d", at: 1)
                #expect(store.synchronize())
                try await world.server.start()
                for device in [laptop, phone, laptop] { _ = try await device.sync() }
                #expect(
                    await eventually { store.list(of: String.self, "list").elements.count == 2 }
                )

                let field = try store.conflictingParts(of: "map")
                #expect(field.map(\.place) == [.field("b")])
                let both = field.map(\.value) + [store.map("map").fields["b"]].compactMap { $0 }
                #expect(Set(both) == [.integer(3), .integer(4)])
                let element = try store.conflictingParts(of: "list")
                #expect(element.map(\.place) == [.element(1)])
                #expect(Set([.string("c"), .string("d")]).isSuperset(of: element.map(\.value)))
                #expect(try store.conflictingVersions(of: "map").isEmpty)
                for device in devices {
                    let map = try await device.client("kv", "get", name, "map", "--conflicts")
                    #expect(
                        map.output.wholeMatch(of: /{"field":"b","value":[34]}\n/) != nil,
                        "\(map)"
                    )
                    let list = try await device.client("kv", "get", name, "list", "--conflicts")
                    #expect(
                        list.output.wholeMatch(of: /{"index":1,"value":"[cd]"}\n/) != nil,
                        "\(list)"
                    )
                }
                try store.map("map").set(5, forField: "b")
                #expect(store.synchronize())
                #expect(try store.conflictingParts(of: "map").isEmpty)
            }
        }
    }
}
