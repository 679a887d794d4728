import Foundation
import Testing

import KSFiles

/// The files of a process that was killed while it wrote a file.
final class LeftoverTests {
    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        folder = url.path()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func path(_ name: String) -> String { folder + "/" + name }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
    }

    private func put(_ name: String) throws {
        try Data([1]).write(to: URL(filePath: path(name)))
    }

    private func write(_ name: String, isUnnamed: Bool = true) throws {
        var file = try ReplacementFile(
            for: path(name),
            replaces: true,
            isUnnamed: isUnnamed
        )
        try file.write([2])
        try file.finish(permissions: 0o600)
    }

    @Test
    func `a killed process leaves nothing, or a file that the next write removes`() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
            let unnamed = try ReplacementFile(for: folder + "/1", replaces: true)
            let named = try ReplacementFile(
                for: folder + "/2",
                replaces: true,
                isUnnamed: false
            )
            try unnamed.write([1])
            try named.write([1])
            kill(getpid(), SIGKILL)
        }
        let left = try names
        #expect(left.count == 1)
        #expect(left.allSatisfy(LeftoverName.matches))
        try write("next")
        #expect(try names == ["next"])
    }

    @Test
    func `a file in the making has no name`() throws {
        var file = try ReplacementFile(for: path("file"), replaces: false)
        try file.write([1])
        #expect(try names.isEmpty)
        try file.finish(permissions: 0o640)
        #expect(try names == ["file"])
        let mode = try FileManager.default.attributesOfItem(atPath: path("file"))[.posixPermissions]
        #expect(mode as? Int == 0o640)
        #expect(throws: FileError.exists) {
            var other = try ReplacementFile(for: self.path("file"), replaces: false)
            try other.finish(permissions: 0o600)
        }
        #expect(try names == ["file"])
        #expect(try Data(contentsOf: URL(filePath: path("file"))) == Data([1]))
    }

    @Test(arguments: [true, false])
    func `nothing else is removed`(isUnnamed: Bool) throws {
        let others = [
            ".keychain-sync-0123456789abcde.new", ".keychain-sync-0123456789ABCDEF.new",
            ".keychain-sync-0123456789abcdef.old", "keychain-sync-0123456789abcdef.new",
        ]
        for name in others { try put(name) }
        let isInTheMaking = try ReplacementFile(
            for: path("other"),
            replaces: true,
            isUnnamed: false
        )
        try put(".keychain-sync-0123456789abcdef.new")
        let names = try Set(names)
        try write("file", isUnnamed: isUnnamed)
        try #expect(
            Set(self.names).subtracting(names) == ["file"]
                && names.subtracting(self.names) == [".keychain-sync-0123456789abcdef.new"]
        )
        try isInTheMaking.write([1])
        #expect(try self.names.filter(LeftoverName.matches).count == 1)
    }
}
