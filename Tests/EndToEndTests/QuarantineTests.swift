import Foundation
import GRDB
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A server whose store returns a changed record.
    struct QuarantineTests {
        /// Flips the last bit of the oldest record in the server's store, or flips it back.
        private func flip(in world: World) async throws {
            try await world.server.stop()
            let queue = try DatabaseQueue(path: world.serverData + "/store.sqlite")
            try await queue.write { database in
                let sql = "SELECT position, boxes FROM record ORDER BY position LIMIT 1"
                let row = try #require(try Row.fetchOne(database, sql: sql))
                let position: Int64 = row[0]
                var boxes: [UInt8] = Array(row[1] as Data)
                boxes[boxes.count - 1] ^= 1
                try database.execute(
                    sql: "UPDATE record SET boxes = ? WHERE position = ?",
                    arguments: [Data(boxes), position]
                )
            }
            try queue.close()
            try await world.server.start()
        }

        @Test
        func `a record that nobody can read is dropped for all devices`() async throws {
            try await World.withDevices("laptop", "tablet") { world, devices in
                let (laptop, tablet) = (devices[0], devices[1])
                try await laptop.save("first", "one")
                #expect(try await laptop.sync().status == 0)
                try await flip(in: world)
                let phone = world.device("phone")
                #expect(try await phone.logIn().status == 0)
                #expect(try await phone.sync().status == 1)
                let status = try await phone.client("status")
                let line = try #require(status.output.firstMatch(of: /unreadable   ([a-z2-7]{8})/))
                #expect(status.output.contains("\nnext         sync-client doctor\n"), "\(status)")
                let other = try await phone.client("doctor", "--drop", "aaaaaaaa")
                #expect(other.status == 1, "\(other)")
                expectOneSentence(other, saying: "can be dropped")
                let code = String(line.1)
                let unasked = try await phone.client("doctor", "--drop", code)
                #expect(unasked.status == 64, "\(unasked)")
                expectOneSentence(unasked, saying: "give --yes to drop 1 unreadable record")
                #expect(try await phone.sync().status == 1)
                let dropped = try await phone.client("doctor", "--drop", code, "--yes")
                #expect(dropped.output.contains("Dropped by the next sync: 1 "), "\(dropped)")
                let fate = "\(code) (notAuthentic): cannot be read here, and is deleted on all"
                #expect(dropped.output.contains(fate), "\(dropped)")
                for device in [phone, laptop, tablet] {
                    let sync = try await device.sync()
                    #expect(sync.status == 0, "\(device.name): \(sync)")
                }
                #expect(try await phone.client("doctor").status == 0)
                // The name is free.
                try await phone.save("first", "two")
                #expect(try await phone.sync().status == 0)
                #expect(try await laptop.sync().status == 0)
                #expect(try await laptop.shows("first", "two"))
            }
        }

        @Test(.enabled(if: TerminalProgram.canRun))
        func `what a device can read of a dropped record stays, and is named in the question`()
            async throws
        {
            try await World.withDevices("laptop", "tablet") { world, devices in
                let (laptop, tablet) = (devices[0], devices[1])
                try await laptop.save("first", "one")
                try await devices.exchange()
                try await flip(in: world)
                // It was revoked, joins again, and sees what the server has by now.
                #expect(try await tablet.client("revoke", "laptop").status == 0)
                #expect(try await laptop.sync().status == 77)
                #expect(try await laptop.client("logout", "--keep-items").status == 0)
                #expect(try await laptop.logIn().status == 0)
                #expect(try await laptop.sync().status == 1)
                let question = "Drop 1 unreadable record for all devices? [y/N]: "
                let doctor = ["doctor", "--drop", "all"]
                let refused = try await TerminalProgram(laptop, doctor)
                let name = "first  ada can be read here: it stays, and is sent again"
                try await refused.answer(question, "no", after: name)
                #expect(try await refused.end().contains("Nothing was dropped."))
                #expect(try await laptop.sync().status == 1)
                let dropped = try await TerminalProgram(laptop, doctor)
                try await dropped.answer(question, "yes")
                #expect(try await dropped.end().contains("Dropped by the next sync: 1 "))
                let phone = world.device("phone")
                #expect(try await laptop.sync().status == 0)
                #expect(try await phone.logIn().status == 0)
                for device in [laptop, tablet, phone] {
                    #expect(try await device.sync().status == 0, "\(device.name)")
                    #expect(try await device.shows("first", "one"), "\(device.name)")
                }
            }
        }

        @Test
        func `an unreadable record is named until it can be opened, and the others sync`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                try await laptop.save("first", "one")
                #expect(try await laptop.sync().status == 0)
                try await laptop.save("second", "two")
                #expect(try await laptop.sync().status == 0)
                try await flip(in: world)

                let phone = world.device("phone")
                let login = try await phone.logIn()
                // The login itself has succeeded.
                #expect(login.status == 0, "\(login)")
                let name = "1 of the server's records cannot be read"
                #expect(login.errors.contains(name), "\(login)")
                let sync = try await phone.sync()
                #expect(sync.status == 1, "\(sync)")
                expectOneSentence(sync, saying: name)
                let status = try await phone.client("status")
                #expect(status.status == 0)
                #expect(status.output.contains("\nquarantined  1 ("), "\(status)")
                #expect(status.output.contains("\nunreadable   "), "\(status)")
                #expect(try await phone.password("second") == "two")
                #expect(try await phone.password("first") == nil)
                let doctor = try await phone.client("doctor")
                #expect(doctor.status == 1, "\(doctor)")

                // The doctor fetches the record again, which is right by now.
                try await flip(in: world)
                #expect(try await phone.client("doctor").status == 1)
                let again = try await phone.sync()
                #expect(again.status == 0, "\(again)")
                #expect(try await phone.password("first") == "one")
                let doctorAfter = try await phone.client("doctor")
                #expect(doctorAfter.status == 0, "\(doctorAfter)")
            }
        }
    }
}
