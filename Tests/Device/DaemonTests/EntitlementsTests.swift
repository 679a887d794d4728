import Foundation
import KSSecItem
import KSAgent
import KSDaemon
import KSKeychain
import Testing

import KSSyncClient

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

    private static let storeField = "com.apple.developer.ubiquity-kvstore-identifier"

    private func parse(_ text: String) throws(EntitlementsError) -> Entitlements {
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
    func `sync-client and the keychain beside it see all groups, other programs their own`() throws
    {
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
    func `a program whose path cannot be read has no groups`() throws {
        for entitlements in [Entitlements(), try parse(Self.whole)] {
            #expect(access(entitlements, nil) == ProgramAccess(accessGroups: []))
            // A daemon that cannot read its own path gives no program more.
            for executable in [nil, "/opt/bin/sync-client"] {
                #expect(!entitlements.access(of: executable, daemon: nil).seesAllGroups)
            }
        }
    }

    @Test
    func `two files whose names have different bytes are two programs`() throws {
        let (composed, decomposed) = ("/opt/caf\u{E9}", "/opt/cafe\u{301}")
        let groups = "{\"application-identifier\": \"x\"}"
        let one = try parse("{\"programs\": {\"\(composed)\": \(groups)}}")
        #expect(access(one, composed).accessGroups == ["x"])
        #expect(access(one, decomposed).accessGroups == ["exe:" + decomposed])
        #expect(one.hasEntry(composed) && !one.hasEntry(decomposed))
        let own = one.access(of: decomposed + "/keychain", daemon: composed + "/sync-client")
        #expect(!own.seesAllGroups)
        #expect(!one.access(of: decomposed, daemon: composed).seesAllGroups)
        let both = try parse(
            "{\"programs\": {\"\(composed)\": \(groups), \"\(decomposed)\": {}}}"
        )
        #expect(access(both, composed).accessGroups == ["x"])
        #expect(access(both, decomposed).accessGroups == [])
    }

    /// The order of facts §2.8 decides which group new items get.
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
    func `a key-value store that an entry names is no access group`() throws {
        let entry = "{\"\(Self.storeField)\": \"TEAM.store\"}"
        let entitlements = try parse("{\"programs\": {\"/opt/app\": \(entry), \"/opt/none\": {}}}")
        let app = access(entitlements, "/opt/app")
        #expect(app == ProgramAccess(accessGroups: [], keyValueStore: "TEAM.store"))
        #expect(access(entitlements, "/opt/none").keyValueStore == nil)
        #expect(access(entitlements, "/opt/bin/sync-client").keyValueStore == nil)
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
            ("{\n  \"program\": {}\n}", "", "unknown field \"program\""),
            ("{\"program\": 1}", "", "unknown field \"program\""),
            (
                "{\"programs\": {\n\"/a\": {\n\"groups\": []}}}", "",
                "programs: /a: unknown field \"groups\""
            ),
            ("{\"programs\": []}", "programs: ", "should be an object"),
            ("[]", "", "should be an object"),
            ("{\"programs\": {\"a\": {}}}", "\"a\" ", "should be an absolute path"),
            ("{\"programs\": {\"/a\": {},\n\n\"/a\": {}}}", "", "twice"),
            ("{\"programs\": {\"/a\": {\"entitlements\": [], \"entitlements\": []}}}", "", "twice"),
            ("{\"programs\": {\"/a\": 1}}", "programs: /a: ", "should be an object"),
            ("{\"programs\": {\"/a\": null}}", "programs: /a: ", "should be an object"),
            (
                "{\"programs\": {\"/a\": {\"keychain-access-groups\": \"x\"}}}",
                "programs: /a: keychain-access-groups: ", "should be a list"
            ),
            (
                "{\"programs\": {\"/a\": {\"keychain-access-groups\": [\"x\",\n 1]}}}",
                "programs: /a: keychain-access-groups: 1: ", "text in quotes"
            ),
            (
                "{\"programs\": {\"/a\": {\"keychain-access-groups\": [\"x\", \"x\"]}}}",
                "", "twice"
            ),
            (
                "{\"programs\": {\"/a\": {\"application-identifier\": []}}}",
                "programs: /a: application-identifier: ", "a text in quotes"
            ),
            (
                "{\"programs\": {\"/a\": {\"\(storeField)\": []}}}",
                "programs: /a: \(storeField): ", "a text in quotes"
            ),
            ("{\"programs\": {\"/a\": {\"\(storeField)\": \"\"}}}", "", "1 to 255 characters"),
            (
                "{\"programs\": {\"/a\": {\"\(storeField)\": \"exe:/b\"}}}",
                "programs: /a: \"exe:/b\" is no name for a key-value store: ",
                "no \"exe:\" at its beginning"
            ),
            (
                "{\"programs\": {\"/a\": {\"entitlements\": [\"\"]}}}",
                "", "1 to 255 characters"
            ),
        ]
    )
    func `a mistake is reported with its place`(text: String, place: String, words: String) throws {
        let error = #expect(throws: EntitlementsError.self) { try parse(text) }
        let sentence = error?.sentence ?? ""
        #expect(sentence.hasPrefix(place) && sentence.contains(words), "\(sentence)")
    }

    @Test(
        arguments: [
            "", "{\"programs\": {}\n\n\"x\": 1}", "{\"programs\": {}}\nx", "{\"programs\": {\"/a",
            "{\"programs\": {\"/a\\x\": {}}}", "{\"programs\": {\"\\ud800\": {}}}",
            String(repeating: "[", count: 100_000), "{\"programs\": nul}",
        ]
    )
    func `invalid JSON is refused in words`(text: String) throws {
        let error = #expect(throws: EntitlementsError.self) { try parse(text) }
        #expect(error?.sentence.contains("JSON") == true, "\(error?.sentence ?? "")")
    }

    @Test
    func `a colon inside of quotes is part of the text`() throws {
        let path = "/a:b\\\":"
        let entitlements = try parse("{\"programs\": {\"\(path)\": {\"entitlements\": [\"x:y\"]}}}")
        #expect(entitlements.paths == ["/a:b\":"])
    }

    // MARK: The file

    private func withHome(_ body: (String, EntitlementsFile) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "kst-" + UUID().uuidString.prefix(8)).path
        let home = try AgentHome(argument: path) { _ in nil }
        // A leftover temporary folder does no harm.
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
    func `a file that others may write to is refused, and so is one with a mistake`() throws {
        try withHome { path, file in
            try write(Self.whole, to: path, mode: 0o620)
            var error = try #require(throws: EntitlementsError.self) {
                try file.access(of: "/opt/app")
            }
            #expect(error.sentence.contains("others may write"))
            try write("{\n\"x\": 1}", to: path)
            error = try #require(throws: EntitlementsError.self) { try file.access(of: "/opt/app") }
            #expect(error.sentence == "\(path): unknown field \"x\".")
            // A program that sees all groups keeps its access.
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
    func `an app clip has none of its family's groups`() throws {
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

/// The ways to name a program for `sync-client entitlements`.
struct ProgramPathTests {
    @Test
    func `a name without a folder is a program on the path`() throws {
        let found = try NamedProgram.path(of: "sh", search: "relative:/nowhere:/bin")
        #expect(found == EntitlementsFile.resolve("/bin/sh"))
        #expect(try NamedProgram.path(of: "/opt/x", search: "") == "/opt/x")
        let error = #expect(throws: CommandFailure.self) {
            try NamedProgram.path(of: "sh", search: "/nowhere")
        }
        #expect(error?.exit == .usage)
    }

    /// `PATH` is searched for the daemon's program in the same way.
    @Test
    func `a folder on the path is not a program`() throws {
        let files = FileManager.default
        let parent = files.temporaryDirectory.appending(path: UUID().uuidString).path()
        // A leftover temporary folder does no harm.
        defer { try? files.removeItem(atPath: parent) }
        try files.createDirectory(
            atPath: parent + "/first/tool",
            withIntermediateDirectories: true
        )
        #expect(ProgramSearch.onPath("tool", path: parent + "/first") == nil)
        #expect(throws: CommandFailure.self) {
            try NamedProgram.path(of: "tool", search: parent + "/first")
        }
        try files.createDirectory(atPath: parent + "/second", withIntermediateDirectories: false)
        let program = parent + "/second/tool"
        try #require(
            files.createFile(
                atPath: program,
                contents: nil,
                attributes: [.posixPermissions: 0o700]
            )
        )
        let search = parent + "/first:" + parent + "/second"
        #expect(ProgramSearch.onPath("tool", path: search) == program)
        #expect(
            try NamedProgram.path(of: "tool", search: search)
                == EntitlementsFile.resolve(program)
        )
    }
}
