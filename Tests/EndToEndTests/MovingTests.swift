import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Files of entries, in and out of the keychain.
    struct MovingTests {
        private static func vault(
            password: String = "pw-1",
            revised: String = "2025-01-01T00:00:00.000Z"
        ) -> String {
            #"""
            {"encrypted":false,"folders":[{"id":"f","name":"Work"}],"items":[
             {"type":1,"name":"Mail","folderId":"f","favorite":true,"notes":"first",
              "fields":[{"name":"pin","value":"hidden-4711","type":1}],
              "login":{"username":"ann","password":"\#(password)","totp":"JBSWY3DPEHPK3PXP",
               "uris":[{"match":null,"uri":"https://mail.example"},
                {"match":3,"uri":"https://two.example/x"}]},
              "passwordHistory":[{"lastUsedDate":"2024-01-01T00:00:00Z","password":"pw-0"}],
              "creationDate":"2023-01-01T00:00:00.000Z","revisionDate":"\#(revised)"},
             {"type":2,"name":"House","notes":"the boiler","secureNote":{"type":0}},
             {"type":3,"name":"Bank card","card":{"number":"4111","expMonth":"5","expYear":"2027"}}
            ]}
            """#
        }

        @Test
        func `a vault comes in whole on two devices, and the second time changes nothing`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let file = try world.write(Self.vault(), to: "vault.json")
                let dry = try await laptop.client("import", file, "--dry-run")
                #expect(dry.status == 0, "\(dry)")
                #expect(dry.output.contains("3 entries: 3 would be added"), "\(dry)")
                #expect(try await laptop.run(["list"]).output.isEmpty)
                let first = try await laptop.client("import", file)
                #expect(first.status == 0 && first.errors.isEmpty, "\(first)")
                #expect(first.output.contains("3 entries: 3 added, 0 changed, 0 were"), "\(first)")
                let again = try await laptop.client("import", file)
                #expect(again.status == 0, "\(again)")
                #expect(again.output.contains("0 added, 0 changed, 3 were there"), "\(again)")
                for device in [laptop, phone] {
                    #expect(try await device.client("sync").status == 0)
                    let mail = try await device.item("Mail")
                    #expect(mail.password == "pw-1" && mail.note == "first")
                    #expect(mail.tags == ["Work"] && mail.favorite)
                    #expect(mail.addresses.map(\.match) == ["exact"])
                    #expect(mail.fields.map(\.name) == ["one-time code", "pin"])
                    let history = try await device.keychain("history", "Mail", "--secrets")
                    #expect(history.output.contains("pw-0"), "\(history)")
                    // The mark with the file's time is nothing for people.
                    #expect(!history.output.contains("source"), "\(history)")
                    #expect(try await device.item("House").password == "the boiler")
                }
            }
        }

        /// The first command of docs/Moving.md, of somebody who has no keychain yet.
        @Test
        func `a dry run where no device has begun reports the file and makes nothing`()
            async throws
        {
            try await World.with { world in
                let device = world.device("none")
                let files = FileManager.default
                let empty = world.device("empty")
                try files.createDirectory(
                    atPath: empty.home,
                    withIntermediateDirectories: false
                )
                // More than one part of a long file, of which the last row repeats the first.
                let rows = (0..<600).map { "n,https://h\($0 % 599).example/,ann,pw\($0 % 599),\n" }
                let sources = [
                    (try world.write(Self.vault(), to: "vault.json"), 3, "1 earlier value", 1),
                    (
                        try world.write(
                            "name,url,username,password,note\n" + rows.joined(),
                            to: "rows.csv"
                        ), 599, "1 row repeats", 0
                    ),
                    (
                        try world.write("machine m.example login a password b\n", to: "netrc"), 1,
                        "netrc", 0
                    ),
                ]
                for (file, count, words, status) in sources {
                    let line = ["import", file, "--dry-run"]
                    // The usual place, a directory that is named, and an empty one.
                    let runs = [
                        try await device.start("sync-client", line, namesHome: false).result(),
                        try await device.start("sync-client", line).result(),
                        try await empty.start("sync-client", line).result(),
                    ]
                    for run in runs {
                        let text = run.output + run.errors
                        #expect(run.status == Int32(status), "\(text)")
                        #expect(text.contains(" \(count) would be added, 0 would be"), "\(text)")
                        #expect(text.contains(words), "\(text)")
                        #expect(text.contains("There is no device at /"), "\(text)")
                    }
                    let json = try await device.start("sync-client", line + ["--json"]).result()
                    #expect(json.output.contains("\"added\":\(count)"), "\(json)")
                    #expect(!files.fileExists(atPath: device.home))
                    #expect(!files.fileExists(atPath: world.path(".local")))
                    #expect(try files.contentsOfDirectory(atPath: empty.home).isEmpty)
                }
                // The import itself then makes a device, and does what was reported.
                let made = try await device.client("import", sources[1].0)
                #expect(made.output.contains("599 added, 0 changed"), "\(made)")
                let again = try await device.client("import", sources[1].0, "--dry-run")
                #expect(again.output.contains("599 were there already"), "\(again)")
                #expect(!again.errors.contains("no device"), "\(again)")
            }
        }

        @Test
        func `without a history no value that is present is lost`() async throws {
            try await World.withDevice { world, device in
                let file = try world.write(Self.vault(), to: "vault.json")
                let first = try await device.client("import", file)
                #expect(first.status == 1 && first.errors.contains("1 earlier value"), "\(first)")
                try await device.expect([
                    "edit", "Mail", "--set", "note=my own", "--set", "pin=mine", "--yes",
                ])
                let later = Self.vault(password: "pw-2", revised: "2035-01-01T00:00:00.000Z")
                let newer = try world.write(later, to: "newer.json")
                for options in [[], ["--prefer", "file"]] as [[String]] {
                    let line = ["import", newer] + options
                    let result = try await device.start("sync-client", line).result()
                    #expect(result.status == 1, "\(result)")
                    #expect(result.errors.contains("the note"), "\(result)")
                    let mail = try await device.item("Mail")
                    #expect(mail.note == "my own" && mail.password == "pw-2", "\(mail)")
                    let shown = try await device.run(["show", "Mail", "--secrets"]).output
                    #expect(shown.contains("mine") && shown.contains("pw-1"), "\(shown)")
                }
            }
        }

        /// The file's own time decides, and `--prefer` decides otherwise.
        @Test
        func `of two values the newer one is current, and the other is in the history`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let device = devices[0]
                func take(_ password: String, _ revised: String, _ more: String...) async throws {
                    let text = Self.vault(password: password, revised: revised)
                    let file = try world.write(text, to: "vault.json")
                    let result = try await device.start("sync-client", ["import", file] + more)
                        .result()
                    #expect(result.status == 0, "\(result)")
                }
                func password() async throws -> String? { try await device.item("Mail").password }
                try await take("pw-1", "2025-01-01T00:00:00Z")
                try await take("pw-2", "2025-02-01T00:00:00Z")
                #expect(try await password() == "pw-2")
                try await take("pw-old", "2024-02-01T00:00:00Z")
                #expect(try await password() == "pw-2")
                try await take("pw-file", "2024-02-01T00:00:00Z", "--prefer", "file")
                #expect(try await password() == "pw-file")
                try await take("pw-new", "2026-02-01T00:00:00Z", "--prefer", "present")
                #expect(try await password() == "pw-file")
                let history = try await device.keychain("history", "Mail", "--secrets").output
                for value in ["pw-0", "pw-1", "pw-2", "pw-old", "pw-new"] {
                    #expect(history.contains(value), "\(value): \(history)")
                }
                // What a person changes here is newer than the file.
                let typed = try world.write("typed\n", to: "typed")
                try await device.expect(["edit", "Mail", "--password-file", typed])
                try await take("pw-3", "2026-03-01T00:00:00Z")
                #expect(try await password() == "typed")
            }
        }

        @Test
        func `our own file moves everything into another keychain`() async throws {
            try await World.with { world in
                let (one, two) = (world.device("one"), world.device("two"))
                try await one.startDaemon()
                try await two.startDaemon()
                let vault = try world.write(Self.vault(), to: "vault.json")
                #expect(try await one.client("import", vault).status == 1)
                let attached = try world.write("bytes\n", to: "contract.txt")
                try await one.expect(["attach", "Mail", attached])
                let (first, second) = (world.path("first.json"), world.path("second.json"))
                let out = try await one.client("export", first, "--format", "keychain-sync")
                #expect(out.status == 0, "\(out)")
                #expect(out.output.contains("Exported 3 of 3 items"), "\(out)")
                let mode = try FileManager.default.attributesOfItem(atPath: first)
                #expect(mode[.posixPermissions] as? Int == 0o600)
                #expect(try await two.client("import", first).status == 0)
                #expect(
                    try await two.client("export", second, "--format", "keychain-sync").status == 0
                )
                // The lines of the items, in any order.
                func items(_ path: String) throws -> Set<String> {
                    let text = try String(contentsOfFile: path, encoding: .utf8)
                    let lines = text.split(separator: "\n").filter { $0.hasPrefix("  {") }
                    return Set(lines.map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) })
                }
                #expect(try items(first) == items(second))
                // Back into the first one it changes nothing.
                let back = try await one.client("import", second)
                #expect(back.output.contains("0 added, 0 changed, 3 were there"), "\(back)")
            }
        }

        @Test
        func `an export replaces nothing, leaves nothing behind, and needs the passcode`()
            async throws
        {
            try await World.withDevice { world, device in
                let vault = try world.write(Self.vault(), to: "vault.json")
                _ = try await device.client("import", vault)
                let there = try world.write("mine", to: "there.csv")
                let refused = try await device.client("export", there, "--format", "chrome")
                #expect(refused.status == 64, "\(refused)")
                #expect(try String(contentsOfFile: there, encoding: .utf8) == "mine")
                let file = world.path("out.csv")
                let chrome = try await device.client("export", file, "--format", "chrome")
                #expect(chrome.status == 1, "\(chrome)")
                #expect(chrome.errors.contains("(Bank card): left out"), "\(chrome)")
                #expect(chrome.errors.contains("not held: the field pin"), "\(chrome)")
                #expect(!chrome.errors.contains("hidden-4711"), "\(chrome)")
                let passcode = try world.write("2580\n", to: "passcode")
                let wrong = try world.write("1111\n", to: "wrong")
                let set = try await device.client("passcode", "--passcode-file", passcode)
                #expect(set.status == 0, "\(set)")
                let next = world.path("next.json")
                let export = ["export", next, "--format", "keychain-sync", "--passcode-file"]
                for (answer, status) in [(wrong, false), (passcode, true)] {
                    let run = try await device.start("sync-client", export + [answer]).result()
                    #expect((run.status == 0) == status, "\(run)")
                    #expect(FileManager.default.fileExists(atPath: next) == status)
                }
                try FileManager.default.removeItem(atPath: next)
                #expect(try await device.client("lock").status == 0)
                let locked = try await device.start("sync-client", export + [passcode]).result()
                #expect(locked.status != 0, "\(locked)")
                #expect(!FileManager.default.fileExists(atPath: next))
            }
        }

        /// By all three commands, for people and in JSON.
        @Test
        func `what is not held is named by entry and part, counted, and in JSON`() async throws {
            try await World.withDevice { world, device in
                let vault = try world.write(Self.vault(), to: "vault.json")
                let table = try world.write(
                    "name,url,username,password,note\nn,https://a.example,u,p,\nm,\n",
                    to: "t.csv"
                )
                func run(_ program: String, _ line: [String], _ count: Int) async throws -> String {
                    let words = line.map { $0 == "OUT" ? world.path("out \(count)") : $0 }
                    let people = try await device.start(program, words).result()
                    #expect(people.status == 1, "\(people)")
                    let again = line.map { $0 == "OUT" ? world.path("json \(count)") : $0 }
                    let json = try await device.start(program, again + ["--json"]).result()
                    #expect(json.status == 1, "\(json)")
                    return people.errors + people.output + json.output
                }
                let taken = try await run("sync-client", ["import", vault], 1)
                let rows = try await run("sync-client", ["import", table], 2)
                let format = ["OUT", "--format", "apple"]
                let made = try await run("keychain", ["convert", vault] + format, 3)
                let written = try await run("sync-client", ["export"] + format, 4)
                for (text, words) in [
                    (
                        taken,
                        [
                            "Entry 1 (Mail): not taken: 1 earlier value", "1 entry lacks a part.",
                            #""reason":"no_history""#, #""leftOut":0"#,
                        ]
                    ),
                    (
                        rows,
                        [
                            "Row 3: left out: it does not have", "1 row was left out: 3.",
                            #""reason":"row""#, #""leftOut":1"#, #""sentence":"Row 3: "#,
                        ]
                    ),
                    (
                        made,
                        [
                            "Entry 1 (Mail): not held: the field pin",
                            "2 entries were left out: 2-3.",
                            "1 entry lacks a part.", #""part":"the field pin""#,
                            #""reason":"type_not_held""#, #""leftOut":2"#,
                        ]
                    ),
                    (
                        written,
                        [
                            "(Mail): not held: the field pin", "entries were left out: ",
                            #""part":"the field pin""#, #""reason":"type_not_held""#,
                        ]
                    ),
                ] {
                    for word in words { #expect(text.contains(word), "\(word): \(text)") }
                    #expect(!text.contains("hidden-4711"), "\(text)")
                }
            }
        }

        @Test
        func `an export takes what a search finds, and no more`() async throws {
            try await World.withDevice { world, device in
                let vault = try world.write(Self.vault(), to: "vault.json")
                _ = try await device.client("import", vault)
                let file = world.path("some.json")
                let line = ["export", file, "--format", "keychain-sync", "--only", "boiler house"]
                let none = try await device.start("sync-client", line).result()
                #expect(none.status == 44, "\(none)")
                let words = Array(line.dropLast()) + ["house"]
                let found = try await device.start("sync-client", words).result()
                #expect(found.output.contains("Exported 1 of 1 item:"), "\(found)")
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("the boiler") && !text.contains("Mail"), "\(text)")
            }
        }

        @Test
        func `a file becomes another program's without a keychain`() async throws {
            try await World.withDevice { world, device in
                let vault = try world.write(Self.vault(), to: "vault.json")
                let file = world.path("out.csv")
                let result = try await device.keychain(
                    "convert",
                    vault,
                    file,
                    "--format",
                    "keepassxc"
                )
                #expect(result.status == 1, "\(result)")
                #expect(result.output.contains("3 of 3 from bitwarden to keepassxc"), "\(result)")
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("\"Root/Work\",\"Mail\",\"ann\",\"pw-1\""), "\(text)")
                #expect(try await device.run(["list"]).output.isEmpty)
                let again = try await device.keychain("convert", vault, file, "--format", "apple")
                #expect(again.status == 1 && again.errors.contains("there already"), "\(again)")
                // A login at a site, and a passkey that the target does not hold.
                let url = #""scope":{"urls":["https://c.example"],"androidApps":[]},"#
                let basic =
                    #"{"type":"basic-auth","username":{"fieldType":"string","value":"ann"},"#
                    + #""password":{"fieldType":"concealed-string","value":"pw"}}"#
                let key =
                    #"{"type":"passkey","credentialId":"Y3I","rpId":"c.example","username":"ann","#
                    + #""userDisplayName":"Ann","userHandle":"dWg","key":"a2V5"}"#
                let cxf = try world.write(
                    #"{"version":{"major":1,"minor":0},"exporterRpId":"x","#
                        + #""exporterDisplayName":"X","timestamp":1,"#
                        + #""accounts":[{"id":"YQ","username":"","email":"","#
                        + #""collections":[],"items":[{"id":"AA","title":"C",\#(url)"#
                        + #""credentials":[\#(basic),\#(key)]}]}]}"#,
                    to: "cxf.json"
                )
                let part = try await device.keychain(
                    "convert",
                    cxf,
                    world.path("part.csv"),
                    "--format",
                    "chrome"
                )
                #expect(part.status == 1 && part.output.contains("1 of 1 from cxf"), "\(part)")
                #expect(part.errors.contains("not held: the passkey"), "\(part)")
                #expect(!part.output.contains("left out"), "\(part)")
                // Of two files that would be written the second one is there.
                let two = try world.write(
                    "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,"
                        + "timeLastUsed,timePasswordChanged\n"
                        + "https://s.example,kim,a,,https://s.example,{a},1,1,1\n"
                        + "https://s.example,kim,b,Staff,,{b},1,1,1\n",
                    to: "two.csv"
                )
                let second = try world.write("", to: "new-2.csv")
                let new = world.path("new.csv")
                let taken = try await device.keychain("convert", two, new, "--format", "firefox")
                #expect(taken.errors.contains("\(second) is there already"), "\(taken)")
                #expect(!FileManager.default.fileExists(atPath: new))
                let none = world.path("none.csv")
                let line = ["export", none, "--format", "chrome", "--only", "nothing like this"]
                let empty = try await device.start("sync-client", line).result()
                expectOneSentence(empty, saying: "No item has these words")
                #expect(empty.status == 44 && !FileManager.default.fileExists(atPath: none))
            }
        }
    }
}
