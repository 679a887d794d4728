import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// By which names people and scripts reach an item.
    struct EverydayNameTests {
        @Test
        func `a script changes only an item that it names in full`() async throws {
            try await World.withDevice { world, device in
                try await EverydayMistakeTests.add("Shop-archive", to: device)
                let before = try await device.run(["show", "Shop-archive", "--json"]).output
                let file = try world.write("text", to: "a file")
                for line in [
                    ["edit", "shop", "--set", "user=typo"], ["edit", "shop", "--remove", "pin"],
                    ["generate", "--for", "shop"], ["rename", "shop", "other"],
                    ["tag", "shop", "work"], ["fav", "shop"], ["attach", "shop", file],
                    ["restore", "shop", "1"],
                ] {
                    let result = try await device.run(line)
                    #expect(result.status == 1, "\(line): \(result)")
                    expectOneSentence(result, saying: "only a part of Shop-archive", "user@site")
                }
                #expect(try await device.run(["show", "Shop-archive", "--json"]).output == before)
                // What only looks takes a part.
                #expect(try await device.run(["show", "shop"]).status == 0)
                try await device.expect(["tag", "me@SHOP-archive.example", "work"])
                try await device.expect(["edit", "shop-archive", "--set", "user=other"])
                for (line, part) in [
                    (["--set", "tags=a"], "keychain tag"), (["--remove", "place"], "--set"),
                    (["--set", "title="], "needs a title"),
                ] {
                    let result = try await device.run(["edit", "Shop-archive"] + line)
                    #expect(result.status != 0, "\(line): \(result)")
                    #expect(result.errors.contains(part), "\(line): \(result)")
                }
            }
        }

        @Test
        func `two ports of a host are two items, each with a name of its own`() async throws {
            try await World.withDevice { world, device in
                for (port, password) in [("8443", "first"), ("9000", "second")] {
                    let file = try world.write(password, to: "password \(port)")
                    try await device.expect([
                        "new", "--title", "NAS", "--site", "https://nas.example:\(port)/ui",
                        "--user", "adm", "--password-file", file,
                    ])
                }
                let several = try await device.run(["show", "nas"])
                #expect(several.errors.contains("\n  NAS  adm  nas.example:8443"), "\(several)")
                #expect(several.errors.contains("\n  NAS  adm  nas.example:9000"), "\(several)")
                let both = try await device.run(["show", "adm@nas.example"])
                #expect(both.status == 1, "\(both)")
                for (port, password) in [("8443", "first"), ("9000", "second")] {
                    let name = "adm@nas.example:\(port)"
                    let shown = try await device.run(["show", name, "-f", "password"])
                    #expect(shown.output == password + "\n", "\(shown)")
                    let listed = try await device.run(["list", "--json", "nas.example:\(port)"])
                    let reference = try #require(
                        listed.output.firstMatch(of: /"reference":"([0-9a-f]{40})"/)?.output.1
                    )
                    let named = try await device.run(["show", String(reference), "-f", "password"])
                    #expect(named.output == password + "\n", "\(named)")
                    let read = try await device.run([
                        "read", "keychain://nas.example:\(port)/adm",
                    ])
                    #expect(read.output == password + "\n", "\(read)")
                }
                try await device.expect(["edit", "adm@nas.example:9000", "--set", "note=mine"])
                try await device.expect(["rm", "adm@nas.example:9000", "--yes"])
                let left = try await device.run(["show", "nas.example", "-f", "password"])
                #expect(left.output == "first\n", "\(left)")
            }
        }
    }
}
