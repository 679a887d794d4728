import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The lines of addresses and tags in the text of `keychain edit`.
    struct EditedAddressTests {
        private static let usual = "https://pay.shop.example/start"

        private static func withShop(_ body: (World, Device) async throws -> Void) async throws {
            try await World.withDevice { world, device in
                try await device.expect([
                    "new", "--title", "Shop", "--site", "shop.example", "--user", "ann",
                    "--no-password", "--address", usual, "--address", "forum.shop.example=never",
                    "--address", "https://my.shop.example=host", "--field", "address=Main Street 5",
                ])
                try await body(world, device)
            }
        }

        private static func edit(
            _ script: String,
            _ device: Device,
            in world: World
        ) async throws -> ProgramResult {
            try await RunningProgram(
                "keychain",
                ["--home", device.home, "edit", "Shop"],
                folder: world.folder,
                environment: ["EDITOR": try world.writeScript(script, to: "editor")]
            ).result()
        }

        private static func addresses(_ device: Device) async throws -> [String] {
            try await device.item("Shop").addresses.map { "\($0.url) \($0.match)" }
        }

        @Test
        func `each address is a line with its rule, which can be changed`() async throws {
            try await Self.withShop { world, device in
                let shown = world.path("shown")
                _ = try await Self.edit("cp \"$1\" \(shown)", device, in: world)
                let text = try String(contentsOfFile: shown, encoding: .utf8)
                #expect(
                    text.contains(
                        """

                        address: \(Self.usual)
                        address: forum.shop.example (never)
                        address: https://my.shop.example (host)
                        address (text): Main Street 5

                        """
                    ),
                    "\(text)"
                )
                for (script, addresses) in [
                    // Adds, removes, and changes a rule.
                    (
                        """
                        sed -i -e '/^address: forum/d' -e 's/ (host)$/ (start)/' \\
                            -e 's/^tags:.*/&\\naddress: new.example (exact)/' "$1"
                        """,
                        [
                            "new.example exact", Self.usual + " domain",
                            "https://my.shop.example start",
                        ]
                    ),
                    // A line without its rule has the usual one.
                    (
                        "sed -i -e 's/ (exact)$//' -e 's/5$/6/' \"$1\"",
                        [
                            "new.example domain", Self.usual + " domain",
                            "https://my.shop.example start",
                        ]
                    ),
                    // The order is the one of the lines; an empty line takes an address away.
                    (
                        """
                        sed -i -e '/^address: https:..my/d' -e 's/^address: new.*/address:/' \\
                            -e 's/^tags:.*/&\\naddress: https:\\/\\/my.shop.example (start)/' "$1"
                        """,
                        ["https://my.shop.example start", Self.usual + " domain"]
                    ),
                ] {
                    let result = try await Self.edit(script, device, in: world)
                    #expect(result.status == 0, "\(script): \(result)")
                    #expect(try await Self.addresses(device) == addresses, "\(script)")
                }
                #expect(try await device.item("Shop")["address"] == "Main Street 6")
            }
        }

        @Test
        func `a line that is no address or has no rule is refused, and the item is as it was`()
            async throws
        {
            try await Self.withShop { world, device in
                let before = try await device.run(["show", "Shop", "--json"]).output
                for (line, part) in [
                    ("address: Main Street 5", "Main Street 5 is no address"),
                    ("address: a.example (hots)", "use one of domain, host, start, exact, never"),
                    ("address: a.example ()", "use one of domain, host, start, exact, never"),
                    ("address: forum.shop.example", "the address forum.shop.example stands twice"),
                    ("address: https:// (host)", "https:// is no address"),
                ] {
                    let script = "sed -i 's/^note:.*/note: new/' \"$1\"; echo '\(line)' >>\"$1\""
                    let result = try await Self.edit(script, device, in: world)
                    #expect(result.status == 1 && result.output.isEmpty, "\(line): \(result)")
                    expectOneSentence(result, saying: part)
                    #expect(try await device.run(["show", "Shop", "--json"]).output == before)
                }
            }
        }

        @Test
        func `a tag has no comma, since the editor and lists have them between tags`()
            async throws
        {
            try await Self.withShop { world, device in
                let new = ["new", "note", "--title", "Plan", "--tag", "a,b"]
                for words in [["tag", "Shop", "work,home"], new] {
                    let result = try await device.run(words)
                    #expect(result.status == 1, "\(result)")
                    expectOneSentence(result, saying: "a tag has no comma")
                }
                #expect(try await device.item("Shop").tags == [])
                let result = try await Self.edit(
                    "sed -i 's/^tags:.*/tags: work, \"home\",,x y/' \"$1\"",
                    device,
                    in: world
                )
                #expect(result.status == 0, "\(result)")
                #expect(try await device.item("Shop").tags == ["home", "work", "x y"])
            }
        }
    }
}
