import Foundation
import KSFiles
import KSAgent
import KSSealing
import Testing

import KSDaemon

/// Programs cannot name the daemon's own files, by any path.
struct OwnFolderTests {
    /// A folder with a home in it, links to that, and a folder beside it.
    private func withFolder(_ body: (String, OwnFolder) throws -> Void) throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "kst-" + UUID().uuidString.prefix(8)).path
        // A leftover temporary folder does no harm.
        defer { try? files.removeItem(atPath: folder) }
        for name in ["home/run", "beside"] {
            try files.createDirectory(
                atPath: folder + "/" + name,
                withIntermediateDirectories: true
            )
        }
        try #require(unsafe mkdir(folder + "/" + "home/\u{301}x", 0o700) == 0)
        for (link, target) in [("link", "home"), ("deep", "home/run"), ("beside/up", "../home")] {
            try files.createSymbolicLink(
                atPath: folder + "/" + link,
                withDestinationPath: target.hasPrefix("..") ? target : folder + "/" + target
            )
        }
        try body(folder, OwnFolder(path: folder + "/home"))
    }

    @Test(arguments: [
        "home", "home/device-secret", "home/./device-secret", "home//device-secret",
        "link/device-secret", "link//run/x",
        "deep/x", "beside/up/device-secret", "home/\u{301}x", "home/\u{301}x/y", "./home/run/x",
    ])
    func `no spelling of a path leads into the home`(name: String) throws {
        try withFolder { folder, home in
            let error = #expect(throws: CommandFailure.self) {
                try home.outside(folder + "/" + name)
            }
            #expect(error?.exit == .usage)
        }
    }

    @Test
    func `the path of any other file is resolved as the system does it`() throws {
        try withFolder { folder, home throws in
            for (name, resolved) in [
                ("letter", "letter"), ("beside/./letter", "beside/letter"),
                ("home2", "home2"), ("beside/home", "beside/home"),
                ("link", "link"),
            ] {
                #expect(try home.outside(folder + "/" + name) == folder + "/" + resolved)
            }
            #expect(try home.outside("/letter") == "/letter")
        }
    }

    @Test(arguments: [
        "", "letter", "a/b", "/tmp/../x", "/tmp/x\0y", "/\0/x",
    ])
    func `a path that is not absolute is refused`(path: String) throws {
        try withFolder { _, home in
            #expect(throws: CommandFailure.malformedCall) { try home.outside(path) }
        }
    }

    @Test(arguments: ["/", "/tmp/", "/tmp/.", "/tmp/..", "/tmp/../.."])
    func `a path that can only be a folder is reported as not a file`(path: String) throws {
        try withFolder { _, home in
            #expect(throws: FileError.notRegular) { try home.outside(path) }
        }
    }

    @Test
    func `a missing folder is reported as missing`() throws {
        try withFolder { folder, home in
            #expect(throws: FileError.system(errno: ENOENT)) {
                try home.outside(folder + "/none/x")
            }
        }
    }

    @Test
    func `a home is recognized under another path`() throws {
        try withFolder { folder, _ in
            // Like a folder that is mounted twice: another path to the same folder.
            let home = OwnFolder(path: folder + "/link")
            #expect(throws: CommandFailure.self) { try home.outside(folder + "/" + "home/run/x") }
        }
    }

    @Test(arguments: ["file.protect", "file.unprotect", "file.contents", "backup"])
    func `a call that names a file of the home is refused`(call: String) async throws {
        let world = try HandlerWorld()
        let secret = world.home.path + "/./device-secret"
        try Data([1, 2, 3]).write(to: URL(filePath: secret))
        let arguments: AgentDictionary = [
            "path": .string(secret), "class": "none", "passphrase": .data([65]),
        ]
        #expect(await world.failure(call, arguments)?.code == CommandFailure.Exit.usage.rawValue)
        #expect(try Data(contentsOf: URL(filePath: secret)) == Data([1, 2, 3]))
    }

    @Test(arguments: ["file.protect", "file.unprotect"])
    func `an output in the home is refused`(call: String) async throws {
        let world = try HandlerWorld()
        let letter = world.home.path + "-letter"
        try Data([1, 2, 3]).write(to: URL(filePath: letter))
        // A leftover temporary file does no harm.
        defer { try? FileManager.default.removeItem(atPath: letter) }
        let output = world.home.path + "//entitlements.json"
        let failure = await world.failure(
            call,
            ["path": .string(letter), "class": "none", "output": .string(output)]
        )
        #expect(failure?.code == CommandFailure.Exit.usage.rawValue)
        #expect(!FileManager.default.fileExists(atPath: output))
    }
}
