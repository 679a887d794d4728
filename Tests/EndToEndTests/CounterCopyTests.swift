import Foundation
import GRDB
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Counters of a device that is copied, put back or joins again, each time as another actor.
    struct CounterCopyTests {
        private func increment(_ device: Device, by number: Int) async throws {
            let arguments = ["kv", "increment", "app", "visits", "--by", "\(number)"]
            let result = try await device.start("sync-client", arguments).result()
            #expect(result.status == 0, "\(result)")
        }

        private func visits(_ device: Device) async throws -> String {
            try await device.client("kv", "get", "app", "visits").output
        }

        /// The actor that has a counter's entry and its number of writes.
        private func actor(_ device: Device) async throws -> Data {
            let queue = try DatabaseQueue(path: device.home + "/keychain.db")
            let sql = "SELECT actor FROM sync_state"
            return try #require(try await queue.read { try Data.fetchOne($0, sql: sql) })
        }

        private func hasBatch(_ device: Device) async throws -> Bool {
            let queue = try DatabaseQueue(path: device.home + "/keychain.db")
            let sql = "SELECT count(*) FROM batch"
            return try await queue.read { try Int.fetchOne($0, sql: sql) ?? 0 > 0 }
        }

        @Test
        func `increments of both copies of a home count once each`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await increment(laptop, by: 100)
                try await [laptop, phone].sync()
                await (try laptop.runningDaemon).stop()
                let copy = world.device("copy")
                try FileManager.default.copyItem(atPath: laptop.home, toPath: copy.home)
                let copies = [laptop, copy]
                for device in copies { try await device.startDaemon() }
                try await copies.sync()
                let actor = try await actor(laptop)
                #expect(try await self.actor(copy) == actor)

                // Both send under one number before either hears of the other.
                try world.server.freeze()
                try await increment(laptop, by: 1)
                try await increment(copy, by: 20)
                for device in copies {
                    #expect(try await eventually { try await hasBatch(device) })
                    // More for the next batch.
                    try await increment(device, by: 300)
                }
                await pause(milliseconds: 300)
                try world.server.thaw()
                try await (copies + copies + [phone]).sync()
                #expect(try world.server.log.contains("actor_forked"), "neither was refused")
                for device in copies + [phone] { #expect(try await visits(device) == "721\n") }
                // One of them has a new actor, and both go on counting.
                #expect(try await self.actor(copy) != self.actor(laptop))
                for device in copies { try await increment(device, by: 1000) }
                try await increment(phone, by: 5000)
                try await (copies + copies + [phone]).sync()
                for device in copies + [phone] { #expect(try await visits(device) == "7721\n") }
            }
        }

        /// `isOnline`: whether the device hears of its later increments before it counts on.
        @Test(arguments: [false, true])
        func `a home that was put back loses no increment and repeats none`(
            isOnline: Bool
        ) async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await increment(laptop, by: 100)
                try await [laptop, phone].sync()
                let actor = try await actor(laptop)
                await (try laptop.runningDaemon).stop()
                let backup = world.path("backup")
                try FileManager.default.copyItem(atPath: laptop.home, toPath: backup)
                try await laptop.startDaemon()
                try await increment(laptop, by: 7)
                try await increment(phone, by: 20)
                try await [laptop, phone].sync()

                await (try laptop.runningDaemon).stop()
                try FileManager.default.removeItem(atPath: laptop.home)
                try FileManager.default.moveItem(atPath: backup, toPath: laptop.home)
                if !isOnline { try await world.server.stop() }
                try await laptop.startDaemon()
                if isOnline { try await [laptop].sync() }
                try await increment(laptop, by: 300)
                #expect(try await visits(laptop) == (isOnline ? "427\n" : "400\n"))
                if !isOnline { try await world.server.start() }
                try await [laptop, phone, laptop].sync()
                for device in devices { #expect(try await visits(device) == "427\n") }
                #expect(try await self.actor(laptop) != actor)
            }
        }

        @Test
        func `what a device counted before it left the account stays, and it counts on as another`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await increment(laptop, by: 100)
                try await increment(phone, by: 20)
                try await [phone, laptop].sync()
                let actor = try await actor(phone)
                #expect(try await phone.client("logout").status == 0)
                // Counted without an account, and added when the device joins again.
                try await increment(phone, by: 3)
                #expect(try await visits(phone) == "3\n")
                try await increment(laptop, by: 1000)
                #expect(try await phone.logIn().status == 0)
                try await [phone, laptop, phone].sync()
                for device in devices { #expect(try await visits(device) == "1123\n") }
                #expect(try await self.actor(phone) != actor)
                try await increment(phone, by: 50_000)
                try await [phone, laptop].sync()
                for device in devices { #expect(try await visits(device) == "51123\n") }
            }
        }
    }
}
