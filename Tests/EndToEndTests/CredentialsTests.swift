import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `passwd` and `kit`: the account's password and its Account Key are replaced.
    struct CredentialsTests {
        private static let newPassword = "another long password"

        private func passwd(
            _ device: Device,
            from old: String = World.password,
            to new: String = newPassword
        ) async throws -> ProgramResult {
            let file = try device.world.write(new + "\n", to: "new-password")
            return try await device.client(
                "passwd",
                "--password-file",
                "-",
                "--new-password-file",
                file,
                input: old + "\n"
            )
        }

        /// The Account Key of a new kit.
        private func kit(
            _ device: Device,
            _ name: String,
            _ options: String...
        ) async throws -> String {
            let path = device.world.path(name)
            let result = try await device.start("sync-client", ["kit", path] + options).result()
            #expect(result.status == 0, "\(result)")
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!result.output.contains(text))
            return String(try #require(text.firstMatch(of: /K1(-[0-9A-Z]+)+/)).0)
        }

        private func syncAll(_ devices: [Device]) async throws {
            for device in devices + devices {
                let result = try await device.sync()
                #expect(result.status == 0, "\(result)")
            }
        }

        @Test
        func `a changed password counts on all devices, and the old one opens nothing`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "old")
                try await syncAll(devices)
                // What is not sent yet comes along.
                try await phone.save("bank", "unsent")
                let changed = try await passwd(laptop)
                #expect(changed.status == 0, "\(changed)")
                #expect(changed.output.hasPrefix("The password is changed."))

                // The other device needs nothing, and has the new keys.
                try await phone.save("mail", "new")
                try await syncAll(devices)
                #expect(try await laptop.shows("mail", "new"))
                #expect(try await laptop.shows("bank", "unsent"))

                let tablet = world.device("tablet")
                let refused = try await tablet.logIn()
                #expect(refused.status == 77, "\(refused)")
                let joined = try await tablet.logIn(password: Self.newPassword)
                #expect(joined.status == 0, "\(joined)")
                #expect(try await tablet.sync().status == 0)
                #expect(try await tablet.shows("bank", "unsent"))
                // The Account Key is the one of the sign-up, on each device.
                let key = try world.accountKey
                for device in devices + [tablet] {
                    #expect(try await kit(device, "kit-of-\(device.name)") == key)
                }
                // Once more, from the device that has changed nothing before.
                let again = try await passwd(phone, from: Self.newPassword, to: World.password)
                #expect(again.status == 0, "\(again)")
                try await syncAll(devices + [tablet])
                let watch = world.device("watch")
                #expect(try await watch.logIn().status == 0)
                #expect(try await watch.sync().status == 0)
                #expect(try await watch.shows("mail", "new"))
            }
        }

        @Test
        func `a renewed Account Key is in the kits of all devices, and earlier kits open nothing`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "s1")
                try await syncAll(devices)
                let old = try world.accountKey
                let new = try await kit(
                    laptop,
                    "new-kit",
                    "--renew",
                    "--password-file",
                    world.passwordFile
                )
                #expect(new != old)
                try await syncAll(devices)
                #expect(try await kit(phone, "kit-of-phone") == new)
                // Also after a restart.
                try await phone.restartDaemonAfterKill()
                #expect(try await kit(phone, "again") == new)

                let tablet = world.device("tablet")
                #expect(try await tablet.logIn(accountKey: old).status == 77)
                let joined = try await tablet.logIn(accountKey: new)
                #expect(joined.status == 0, "\(joined)")
                #expect(try await tablet.sync().status == 0)
                #expect(try await tablet.shows("mail", "s1"))
                #expect(try await kit(tablet, "kit-of-tablet") == new)
                // The password is changed with the new key.
                #expect(try await passwd(tablet).status == 0)
                try await syncAll(devices)
                let ended = try await phone.client(
                    "delete-account",
                    "--yes",
                    "--password-file",
                    world.path("new-password")
                )
                #expect(ended.status == 0, "\(ended)")
            }
        }

        /// The server is restored to before both; a device puts them back.
        @Test
        func `a restored server gets the newest password and Account Key back`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await laptop.save("mail", "s1")
                try await syncAll(devices)
                let old = try world.accountKey
                let backup = world.path("backup")
                #expect(try await world.server.command("backup", backup).status == 0)
                #expect(try await passwd(laptop).status == 0)
                let new = try await kit(
                    laptop,
                    "new-kit",
                    "--renew",
                    "--password-file",
                    world.path("new-password")
                )
                try await phone.save("mail", "s2")
                try await syncAll(devices)
                try await world.server.stop()
                let restored = try await world.server.command("restore", backup, "--force")
                #expect(restored.status == 0, "\(restored)")
                try await world.server.start()
                try await syncAll(devices)

                let tablet = world.device("tablet")
                for (key, password) in [(old, World.password), (old, Self.newPassword)] {
                    let refused = try await tablet.logIn(accountKey: key, password: password)
                    #expect(refused.status == 77, "\(refused)")
                }
                let joined = try await tablet.logIn(accountKey: new, password: Self.newPassword)
                #expect(joined.status == 0, "\(joined)")
                #expect(try await tablet.sync().status == 0)
                #expect(try await tablet.shows("mail", "s2"))
            }
        }

        @Test
        func `a refused change changes nothing`() async throws {
            try await World.withDevices("laptop", "phone") { world, devices in
                let laptop = devices[0]
                let wrong = try await passwd(laptop, from: "not the password")
                #expect(wrong.status == 77)
                expectOneSentence(wrong, saying: "not the account's present one")
                let short = try await passwd(laptop, to: "short")
                #expect(short.status == 64)
                let same = try await passwd(laptop, to: World.password)
                #expect(same.status == 64)
                expectOneSentence(same, saying: "is the old one")
                let taken = try await laptop.client("kit", world.path(World.kit))
                #expect(taken.status == 64)
                let nowhere = try await laptop.client(
                    "kit",
                    world.path("no/such/kit"),
                    "--renew",
                    "--password-file",
                    world.passwordFile
                )
                #expect(nowhere.status != 0)
                #expect(try await laptop.client("lock").status == 0)
                for result in [
                    try await passwd(laptop), try await laptop.client("kit", world.path("k")),
                ] {
                    #expect(result.status == 75, "\(result)")
                    expectOneSentence(result, saying: "locked")
                }
                #expect(try await laptop.client("unlock").status == 0)
                try await world.server.stop()
                let away = try await passwd(laptop)
                #expect(away.status == 69)
                expectOneSentence(away, saying: "Nothing was changed.")
                let renewal = try await laptop.client(
                    "kit",
                    world.path("k"),
                    "--renew",
                    "--password-file",
                    world.passwordFile
                )
                #expect(renewal.status == 69)
                #expect(!FileManager.default.fileExists(atPath: world.path("k")))
                // A kit needs no server.
                #expect(try await kit(laptop, "offline") == world.accountKey)

                try await world.server.start()
                try await laptop.save("mail", "s1")
                try await syncAll(devices)
                try await world.expectJoins("tablet")
            }
        }

        @Test
        func `a kit is a page to print, too, which only its user can read`() async throws {
            try await World.withDevices("laptop") { world, devices in
                let path = world.path("kit.svg")
                let result = try await devices[0].client("kit", path)
                #expect(result.status == 0, "\(result)")
                let page = try String(contentsOfFile: path, encoding: .utf8)
                let key = try world.accountKey
                #expect(page.contains("<svg ") && page.contains(key))
                #expect(page.contains(World.account) && !page.contains(World.password))
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(page.hasPrefix("<?xml ") && page.hasSuffix("</svg>\n"))
            }
        }
    }
}

extension World {
    fileprivate func expectJoins(_ name: String) async throws {
        let joined = try await device(name).logIn()
        #expect(joined.status == 0, "\(joined)")
    }
}
