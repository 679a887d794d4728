import Foundation
import KSMoving
import KSPassFolders
import KSRunning
import Testing

/// A folder of `pass` with files that gpg has encrypted for a key of the test.
@Suite(.enabled(if: hasGPG, "gpg is not installed"))
struct PassFolderTests {
    /// A folder with a key of its own, which is gone after the test.
    private final class Store {
        let root: String
        let folder: String
        let environment: [[UInt8]]

        init() throws {
            // A path of a socket has a limit.
            root = "/tmp/ks-pass-\(UInt32.random(in: 0...UInt32.max))"
            folder = root + "/store"
            for path in [folder, root + "/keys"] {
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            let home = Array("GNUPGHOME=\(root)/keys".utf8)
            environment =
                Program.ownEnvironment.filter { !$0.starts(with: Array("GNUPGHOME=".utf8)) } + [
                    home
                ]
            try run([
                "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key",
                "test@x.example", "future-default", "default", "never",
            ])
            try write(Array("test@x.example\n".utf8), ".gpg-id")
        }

        deinit {
            // The agent ends by itself once its folder is gone.
            try? run(["gpgconf", "--kill", "gpg-agent"])
            // A folder that stays is only in the way.
            try? FileManager.default.removeItem(atPath: root)
        }

        func run(_ words: [String]) throws {
            let program = try Program(
                arguments: words.map { Array($0.utf8) },
                environment: environment
            )
            let captured = try program.capture(bytesMax: 1 << 20)
            #expect(captured.end == .exited(code: 0), "\(words[0])")
        }

        func write(_ bytes: [UInt8], _ name: String) throws {
            let path = folder + "/" + name
            try FileManager.default.createDirectory(
                atPath: String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]),
                withIntermediateDirectories: true
            )
            try Data(bytes).write(to: URL(filePath: path))
        }

        func encrypt(_ bytes: [UInt8], _ name: String) throws {
            try write(bytes, name)
            try run([
                "gpg", "--batch", "--quiet", "--trust-model", "always", "-r", "test@x.example",
                "-o", "\(folder)/\(name).gpg", "-e", "\(folder)/\(name)",
            ])
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    @Test
    func `gpg's files become entries, and the others are named`() throws {
        let store = try Store()
        try store.encrypt(Array("pw\nlogin: ann\n".utf8), "web/mail.example")
        try store.encrypt([UInt8](repeating: 0, count: 3 << 20), "large")
        try store.write(Array("no message".utf8), "broken.gpg")
        try store.write(Array("x".utf8), ".git/config.gpg")
        try store.write(Array("x".utf8), "../outside.gpg")
        for (name, target) in [
            ("inside.gpg", "web/mail.example.gpg"), ("out.gpg", "../outside.gpg"),
            ("folder", "web"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: store.folder + "/" + name,
                withDestinationPath: target
            )
        }
        let folder = PassFolder(store.folder + "/", environment: store.environment)
        #expect(folder.isPass)
        var reports: [Int] = []
        let read = try folder.read { done, total in
            reports.append(done)
            #expect(total == 6)
        }
        #expect(reports == Array(0..<6))
        #expect(read.count == 6 && read.entries.map(\.title) == ["inside", "mail.example"])
        #expect(read.entries.allSatisfy { $0.secretText == "pw" && $0.userName == "ann" })
        #expect(read.notes.map(\.title) == ["broken", "folder", "large", "out"])
        #expect(read.notes.map(\.reason) == [.row, .row, .tooLarge, .row])
        #expect(read.notes[0].sentence.hasSuffix("left out: gpg cannot decrypt it."))
    }

    /// gpg ends with 0 for it, and says nothing.
    @Test
    func `a file that was never encrypted is taken and named`() throws {
        let store = try Store()
        try store.write(Array("pw\n".utf8), "plain")
        try store.run(["gpg", "--batch", "--quiet", "--store", "\(store.folder)/plain"])
        let read = try PassFolder(store.folder, environment: store.environment).read()
        #expect(read.entries.map(\.secretText) == ["pw"])
        #expect(
            read.notes.map(\.sentence)
                == ["Entry 1 (plain): its file is not encrypted: change this password."]
        )
    }

    @Test
    func `a file for a key that is not here is named so`() throws {
        let (one, other) = (try Store(), try Store())
        try one.encrypt(Array("pw\n".utf8), "a.example")
        let read = try PassFolder(one.folder, environment: other.environment).read()
        #expect(read.entries.isEmpty)
        #expect(read.notes.first?.sentence.hasSuffix("gpg has no key that decrypts it.") == true)
    }

    @Test
    func `a folder without gpg-id is no store, and without gpg nothing is read`() throws {
        #expect(PassFolder.isFolder("/") && !PassFolder.isFolder("/etc/passwd"))
        #expect(!PassFolder("/etc").isPass)
        let store = try Store()
        try store.write([], "a.gpg")
        let folder = PassFolder(store.folder, environment: [Array("PATH=/nowhere".utf8)])
        #expect(throws: RunError.notFound(program: "gpg")) { try folder.read() }
    }
}

private let hasGPG = FileManager.default.isExecutableFile(atPath: "/usr/bin/gpg")
