import Foundation
import KSAgent
import KSDaemon
import KSKeychain
import Testing

@testable import KSSyncClient

struct EntitlementsTests {
    private static let whole = """
        {
          "programs": {
            "/opt/app": {
              "com.apple.security.application-groups": ["group.shared", "TEAM.app"],
              "application-identifier": "TEAM.id",
              "keychain-access-groups": ["TEAM.app.keys", "TEAM.app"],
              "com.apple.developer.associated-application-identifier": ["TEAM.mac"],
              "entitlements": ["com.apple.private.keychain.sysbound"]
            },
            "/opt/none": {},
            "/opt/all": { "keychain-access-groups": ["mine", "*"] }
          }
        }
        """

    private func parse(_ text: String) throws(LocatedJSON.Fault) -> Entitlements {
        try Entitlements(json: Array(text.utf8)) { $0 }
    }

    private func access(_ entitlements: Entitlements, _ program: String?) -> ProgramAccess {
        entitlements.access(of: program, daemon: "/opt/bin/sync-client")
    }

    private func text(_ access: CallerAccess) -> String {
        switch access {
        case .all(let group): "all, new ones in " + group
        case .groups(let groups): groups.joined(separator: " ")
        }
    }

    @Test
    func `the daemon's program and the keychain beside it see all, others their own`() throws {
        for entitlements in [Entitlements(), try parse(Self.whole)] {
            for executable in ["/opt/bin/sync-client", "/opt/bin/keychain"] {
                let access = access(entitlements, executable)
                #expect(access.seesAllGroups && access.accessGroups == ["keychain"])
                #expect(text(access.callerAccess) == "all, new ones in keychain")
            }
            for executable in ["/opt/bin/other", "/tmp/keychain", "/opt/bin/x/keychain"] {
                let access = access(entitlements, executable)
                #expect(access == ProgramAccess(accessGroups: ["exe:" + executable]))
                #expect(text(access.callerAccess) == "exe:" + executable)
            }
        }
    }

    @Test
    func `a program that nobody may look at has no groups`() throws {
        for entitlements in [Entitlements(), try parse(Self.whole)] {
            #expect(access(entitlements, nil) == ProgramAccess(accessGroups: []))
            // Nor does one get more where the daemon does not know itself.
            for executable in [nil, "/opt/bin/sync-client"] {
                #expect(!entitlements.access(of: executable, daemon: nil).seesAllGroups)
            }
        }
    }

    @Test
    func `two files whose names only look alike are two programs`() throws {
        let (composed, decomposed) = ("/opt/caf\u{E9}", "/opt/cafe\u{301}")
        let groups = "{\"application-identifier\": \"x\"}"
        let one = try parse("{\"programs\": {\"\(composed)\": \(groups)}}")
        #expect(access(one, composed).accessGroups == ["x"])
        #expect(access(one, decomposed).accessGroups == ["exe:" + decomposed])
        #expect(one.hasEntry(composed) && !one.hasEntry(decomposed))
        let both = try parse(
            "{\"programs\": {\"\(composed)\": \(groups), \"\(decomposed)\": {}}}"
        )
        #expect(both.paths.count == 2)
        #expect(access(both, decomposed).accessGroups == [])
        let own = both.access(of: decomposed + "/keychain", daemon: composed + "/sync-client")
        #expect(!own.seesAllGroups)
        #expect(!both.access(of: decomposed, daemon: composed).seesAllGroups)
    }

    /// The order of facts §2.8: it decides which group new items get.
    @Test
    func `groups come in Apple's order, each once`() throws {
        let app = access(try parse(Self.whole), "/opt/app")
        #expect(
            app.accessGroups == [
                "TEAM.app.keys", "TEAM.app", "TEAM.mac", "TEAM.id", "group.shared",
            ]
        )
        #expect(app.entitlements == ["com.apple.private.keychain.sysbound"])
        #expect(!app.seesAllGroups)
    }

    @Test
    func `an entry without groups gives none, and the star gives all`() throws {
        let entitlements = try parse(Self.whole)
        #expect(access(entitlements, "/opt/none").accessGroups == [])
        #expect(text(access(entitlements, "/opt/none").callerAccess).isEmpty)
        #expect(text(access(entitlements, "/opt/all").callerAccess) == "all, new ones in mine")
    }

    @Test(
        arguments: [
            ("{\n  \"program\": {}\n}", 2, "unknown field \"program\""),
            ("{\"programs\": {\n\"/a\": {\n\"groups\": []}}}", 3, "unknown field \"groups\""),
            ("{\"programs\": []}", 1, "should be an object"),
            ("[]", 1, "should be an object"),
            ("", 1, "the text ends"),
            ("{\"programs\": {\"a\": {}}}", 1, "\"a\" should be an absolute path"),
            ("{\"programs\": {\"/a\": {},\n\n\"/a\": {}}}", 3, "twice"),
            ("{\"programs\": {\"/a\": 1}}", 1, "should be an object"),
            (
                "{\"programs\": {\"/a\": {\"keychain-access-groups\": \"x\"}}}", 1,
                "should be a list"
            ),
            (
                "{\"programs\": {\"/a\": {\"keychain-access-groups\": [\"x\",\n 1]}}}", 2,
                "texts in quotes"
            ),
            (
                "{\"programs\": {\"/a\": {\"keychain-access-groups\": [\"x\", \"x\"]}}}", 1,
                "twice"
            ),
            ("{\"programs\": {\"/a\": {\"application-identifier\": []}}}", 1, "a text in quotes"),
            (
                "{\"programs\": {\"/a\": {\"entitlements\": [\"\"]}}}", 1, "1 to 255 characters"
            ),
            ("{\"programs\": {},\n}", 2, "a name in quotes"),
            ("{\"programs\": {}\n\n\"x\": 1}", 3, "a comma or }"),
            ("{\"programs\": {}}\nx", 2, "something follows"),
            ("{\"programs\": {\"/a", 1, "quotes are opened"),
            ("{\"programs\": {\"/a\\x\": {}}}", 1, "after \\"),
            ("{\"programs\": {\"\\ud800\": {}}}", 1, "half a character"),
            (String(repeating: "[", count: 100_000), 1, "too deeply"),
            ("{\"programs\": nul}", 1, "a value should be here"),
        ]
    )
    func `a slip is named with its line`(text: String, line: Int, words: String) throws {
        do throws(LocatedJSON.Fault) {
            _ = try parse(text)
            Issue.record("taken: \(text)")
        } catch {
            #expect(error.line == line)
            #expect(error.sentence.contains(words), "\(error.sentence)")
        }
    }

    @Test
    func `JSON is read as it is meant`() throws {
        let value = try LocatedJSON(
            Array("[\"\\u00e9\\ud83d\\ude00\\n\", -1.5e3, true, null]".utf8)
        )
        guard case .array(let elements) = value.value else {
            Issue.record("no array")
            return
        }
        #expect(elements.map(\.value) == [.string("é😀\n"), .number("-1.5e3"), .bool(true), .null])
    }

    // MARK: The file

    private func withHome(_ body: (String, EntitlementsFile) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "kst-" + UUID().uuidString.prefix(8)).path
        let home = try AgentHome(argument: path) { _ in nil }
        // It lies where temporary files do.
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(home.path + "/entitlements.json", EntitlementsFile(home: home))
    }

    private func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test
    func `changes are picked up at the next call`() throws {
        try withHome { path, file in
            #expect(try file.access(of: "/opt/none").accessGroups == ["exe:/opt/none"])
            try write(Self.whole, to: path)
            #expect(try file.access(of: "/opt/none").accessGroups == [])
            try write(
                "{\"programs\": {\"/opt/none\": {\"application-identifier\": \"x\"}}}",
                to: path
            )
            #expect(try file.access(of: "/opt/none").accessGroups == ["x"])
            try FileManager.default.removeItem(atPath: path)
            #expect(try file.access(of: "/opt/none").accessGroups == ["exe:/opt/none"])
        }
    }

    @Test
    func `a file that others may write to is refused, and one with a slip`() throws {
        try withHome { path, file in
            try write(Self.whole, to: path, mode: 0o620)
            var error = try #require(throws: EntitlementsError.self) {
                try file.access(of: "/opt/app")
            }
            #expect(error.sentence.contains("others may write"))
            try write("{\n\"x\": 1}", to: path)
            error = try #require(throws: EntitlementsError.self) { try file.access(of: "/opt/app") }
            #expect(error.sentence == "\(path), line 2: unknown field \"x\".")
            // Who sees all anyway is not kept out.
            #expect(try file.access(of: AgentPeer.ownExecutable).seesAllGroups)
            try write(Self.whole, to: path)
            #expect(try file.access(of: "/opt/app").accessGroups.count == 5)
        }
    }

    @Test
    func `an executable is known by every link to it`() throws {
        try withHome { path, file in
            let folder = URL(filePath: path).deletingLastPathComponent().path
            try write("x", to: folder + "/real")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link",
                withDestinationPath: folder + "/real"
            )
            let name = "\"\(folder)/link\""
            let groups = "{\"application-identifier\": \"x\"}"
            try write("{\"programs\": {\(name): \(groups)}}", to: path)
            #expect(try file.access(of: folder + "/real").accessGroups == ["x"])
        }
    }

    @Test
    func `an app clip has no part in its family's groups`() throws {
        let fields = """
            "application-identifier": "T.app", "com.apple.security.application-groups": ["g.x"]
            """
        let clip = "\"entitlements\": [\"com.apple.developer.on-demand-install-capable\"]"
        let entitlements = try parse(
            "{\"programs\": {\"/app\": {\(fields)}, \"/clip\": {\(fields), \(clip)}}}"
        )
        #expect(access(entitlements, "/app").accessGroups == ["T.app", "g.x"])
        #expect(access(entitlements, "/clip").accessGroups == ["T.app"])
    }
}

/// How the programs are named of which `sync-client entitlements` tells.
struct ProgramPathTests {
    @Test
    func `a mere name is a program on the path`() throws {
        let found = try EntitlementsCommand.path(of: "sh", search: "relative:/nowhere:/bin")
        #expect(found == EntitlementsFile.resolve("/bin/sh"))
        #expect(try EntitlementsCommand.path(of: "/opt/x", search: "") == "/opt/x")
        let error = #expect(throws: CommandFailure.self) {
            try EntitlementsCommand.path(of: "sh", search: "/nowhere")
        }
        #expect(error?.exit == .usage)
    }
}
