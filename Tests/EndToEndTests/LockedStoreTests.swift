import KSTestPrograms
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

extension EndToEndTests {
    /// Programs that hold a store of a device with a passcode.
    struct LockedStoreTests {
        private func kv(_ device: Device, _ arguments: String...) async throws {
            let result = try await device.start("sync-client", ["kv"] + arguments).result()
            #expect(result.status == 0, "\(arguments): \(result)")
        }

        private func get(_ device: Device, _ store: String, _ key: String) async throws -> String {
            try await device.start("sync-client", ["kv", "get", store, key]).result().output
        }

        private func unlock(_ device: Device, in world: World) async throws {
            let result = try await device.client(
                "unlock",
                "--passcode-file",
                world.path("passcode")
            )
            #expect(result.status == 0, "\(result)")
        }

        /// A program on a phone with a passcode, with a value of the laptop.
        private func withPasscode(
            _ body: (World, _ laptop: Device, _ phone: Device, NSUbiquitousKeyValueStore)
                async throws
                -> Void
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let store = NSUbiquitousKeyValueStore(store: KeyValueStore(home: phone.home))
                try await kv(laptop, "set", store.typedStore.status().name, "theme", #""dark""#)
                #expect(await eventually { store.string(forKey: "theme") == "dark" })
                let passcode = try world.write("2580\n", to: "passcode")
                let set = try await phone.client("passcode", "set", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                try await body(world, laptop, phone, store)
            }
        }

        @Test
        func `while the device is locked a store is read and written, and syncs after the unlock`()
            async throws
        {
            try await withPasscode { world, laptop, phone, store in
                let posts = UbiquitousStoreTests.Posts(of: store)
                let name = try store.typedStore.status().name
                #expect(try await phone.client("lock").status == 0)
                #expect(store.string(forKey: "theme") == "dark")
                store.set(Int64(1), forKey: "written")
                try store.typedStore.counter("visits").increment(by: 2)
                // On this disk, although it cannot be sealed for the account.
                #expect(store.synchronize())
                #expect(try store.typedStore.status().unsentChanges == 2)
                #expect(try await get(phone, name, "visits") == "2\n")
                try await kv(laptop, "set", name, "theme", #""light""#)
                try await kv(laptop, "increment", name, "visits", "--by", "3")
                #expect(try await laptop.sync().status == 0)
                #expect(
                    try await eventually {
                        let status = try await phone.client("status", "--json")
                        return status.output.contains(#""waiting":2"#)
                    }
                )
                #expect(store.string(forKey: "theme") == "dark" && !posts.contains(0))
                #expect(try await get(laptop, name, "written") == "")

                try await unlock(phone, in: world)
                #expect(await eventually { posts.contains(0, "theme") })
                #expect(await eventually { posts.contains(0, "visits") })
                #expect(store.string(forKey: "theme") == "light")
                #expect(store.longLong(forKey: "visits") == 5)
                #expect(!posts.contains(0, "written") && !posts.contains(1))
                for device in [phone, laptop] { #expect(try await device.sync().status == 0) }
                #expect(try await get(laptop, name, "written") == "1\n")
                #expect(try await get(laptop, name, "visits") == "5\n")
            }
        }

        @Test
        func
            `before the first unlock programs keep their writes, and get values with the unlock`()
            async throws
        {
            try await withPasscode { world, laptop, phone, running in
                let name = try running.typedStore.status().name
                let token = try #require(running.typedStore.status().accountToken)
                try await phone.restartDaemonAfterKill()
                // A program that held the store goes on with what it has read.
                #expect(running.string(forKey: "theme") == "dark")
                running.set("kept", forKey: "running")
                try running.typedStore.counter("visits").increment()
                #expect(!running.synchronize() && running.string(forKey: "running") == "kept")
                // The same home by another path is another session, as that of a new program is.
                let started = NSUbiquitousKeyValueStore(
                    store: KeyValueStore(home: phone.home + "/.")
                )
                let posts = UbiquitousStoreTests.Posts(of: started)
                let runningPosts = UbiquitousStoreTests.Posts(of: running)
                #expect(started.object(forKey: "theme") == nil && !started.synchronize())
                #expect(started.dictionaryRepresentation.isEmpty)
                started.set("kept too", forKey: "started")
                try started.typedStore.counter("visits").increment(by: 2)
                #expect(started.string(forKey: "started") == "kept too")
                #expect(throws: KeyValueStoreError.self) { try started.typedStore.status() }
                // Which account it is can be asked on a locked device too.
                #expect(try started.typedStore.accountToken() == token)
                try await kv(laptop, "set", name, "late", "1")
                #expect(try await laptop.sync().status == 0)

                try await unlock(phone, in: world)
                #expect(await eventually { running.synchronize() && started.synchronize() })
                #expect(await eventually { posts.contains(1, "theme") })
                #expect(started.string(forKey: "theme") == "dark")
                for device in [phone, laptop] { #expect(try await device.sync().status == 0) }
                for store in [running, started] {
                    #expect(await eventually { store.longLong(forKey: "late") == 1 })
                    #expect(await eventually { store.longLong(forKey: "visits") == 3 })
                    #expect(store.string(forKey: "running") == "kept")
                    #expect(store.string(forKey: "started") == "kept too")
                }
                // What it had read before is not reported as new.
                #expect(!runningPosts.contains(1) && !runningPosts.contains(0, "theme"))
                #expect(await eventually { runningPosts.contains(0, "late") })
                // The account is the one that it was.
                #expect(!runningPosts.contains(3) && !posts.contains(3))
                #expect(try running.typedStore.status().accountToken == token)
                #expect(try await get(laptop, name, "visits") == "3\n")
                #expect(try await get(laptop, name, "running") == "\"kept\"\n")
                #expect(try await get(laptop, name, "started") == "\"kept too\"\n")
            }
        }

        @Test
        func `what a locked device writes over an old view takes nothing from the others`()
            async throws
        {
            try await withPasscode { world, laptop, phone, store in
                let name = try store.typedStore.status().name
                let list = store.typedStore.list(of: String.self, "tasks")
                try list.append("a", "b")
                #expect(store.synchronize())
                try await kv(phone, "increment", name, "visits", "--by", "4")
                #expect(await eventually { store.longLong(forKey: "visits") == 4 })
                for device in [phone, laptop] { #expect(try await device.sync().status == 0) }
                #expect(list.elements == ["a", "b"])
                #expect(try await phone.client("lock").status == 0)
                try await kv(laptop, "set", name, "tasks", #"["x","a","b"]"#)
                try await kv(laptop, "increment", name, "visits", "--by", "5")
                #expect(try await laptop.sync().status == 0)
                // The phone still shows what was there before the lock.
                let visits = store.longLong(forKey: "visits")
                try list.remove(at: 0)
                try list.append("c")
                try await unlock(phone, in: world)
                #expect(await eventually { list.elements == ["x", "b", "c"] })
                store.set(visits + 1, forKey: "visits")
                #expect(store.synchronize())
                #expect(await eventually { store.longLong(forKey: "visits") == 10 })
                for device in [phone, laptop] { #expect(try await device.sync().status == 0) }
                #expect(try await get(laptop, name, "visits") == "10\n")
                #expect(try await get(laptop, name, "tasks") == #"["x","b","c"]"# + "\n")
            }
        }
    }
}
