import Foundation
import KSFiles
import KSPrimitives
import KSRecords
import KSDeviceKeys
import KSTestSupport
import Testing

final class BackupFileTests {
    private let random = SeededRandomSource(seed: 42)
    private let folder: URL
    private let passphrase = Array("correct horse".utf8)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path() }

    private func write(_ entries: [[UInt8]], to name: String = "backup") throws -> [UInt8] {
        try BackupFile.write(
            entries,
            to: path(name),
            passphrase: passphrase,
            random: random,
            cost: .simulation
        )
        return [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    private func read(_ name: String = "backup", _ other: [UInt8]? = nil) throws -> [[UInt8]] {
        try BackupFile.read(path(name), passphrase: other ?? passphrase, cost: .simulation)
    }

    private func read(bytes: [UInt8]) throws -> [[UInt8]] {
        try Data(bytes).write(to: URL(filePath: path("changed")))
        return try read("changed")
    }

    @Test
    func `a backup is read back`() throws {
        for (index, entries) in [[], [[]], [[1], [2, 3]], [random.bytes(600_000), [7]]].enumerated()
        {
            _ = try write(entries, to: "\(index)")
            #expect(try read("\(index)") == entries)
        }
    }

    @Test
    func `a wrong passphrase and damage are different errors`() throws {
        _ = try write([[1]])
        for wrong in ["correct horsf", "Correct horse", "c"] {
            #expect(throws: BackupError.wrongPassphrase) { try read("backup", Array(wrong.utf8)) }
        }
        #expect(throws: BackupError.passphraseEmpty) { try read("backup", []) }
        #expect(throws: BackupError.passphraseNotText) { try read("backup", [0xFF]) }
    }

    @Test
    func `every changed byte and every cut is damage`() throws {
        let bytes = try write([[1, 2, 3]])
        for index in bytes.indices {
            let error = #expect(throws: BackupError.self, "byte \(index)") {
                try read(bytes: bytes.flipping(index))
            }
            #expect(error != .wrongPassphrase, "byte \(index)")
        }
        for count in bytes.indices {
            #expect(throws: BackupError.self, "\(count) bytes") {
                try read(bytes: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: BackupError.notAuthentic) { try read(bytes: bytes + [0]) }
    }

    @Test
    func `a part cannot be left out, doubled or moved`() throws {
        let bytes = try write([random.bytes(900_000)])
        // A box has its frame's length, what sealing adds, and a text padded to a power of two.
        let sizes = [256, 256, 256, 128].map { 8 + 81 + ($0 << 10) }
        let header = Array(bytes.prefix(bytes.count - sizes.reduce(0, +)))
        var rest = bytes.dropFirst(header.count)
        let parts = sizes.map { size in
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
        #expect(header + parts.flatMap(\.self) == bytes)
        // Also parts that would give a well-formed text, such as two in the middle, swapped.
        for order in [
            [0, 1, 2], [0, 1, 3], [1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 1, 3], [0, 1, 2, 2, 3], [3],
            [],
        ] {
            #expect(throws: BackupError.notAuthentic, "\(order)") {
                try read(bytes: header + order.flatMap { parts[$0] })
            }
        }
    }

    /// An attacker who provides such a file does not know the passphrase.
    @Test
    func `nothing is read after a wrong header`() throws {
        let bytes = try write([[1]])
        let header = bytes.dropLast(8 + 81 + 256)
        let hostile = header + [UInt8](repeating: 0xFF, count: 64)
        try Data(hostile).write(to: URL(filePath: path("hostile")))
        #expect(throws: BackupError.wrongPassphrase) { try read("hostile", [65]) }
        #expect(throws: BackupError.notAuthentic) { try read("hostile") }
        #expect(throws: BackupError.notBackup) {
            try read(bytes: [UInt8](repeating: 0xFF, count: 4096))
        }
    }

    @Test
    func `a backup is for its user alone`() throws {
        _ = try write([[1]])
        let attributes = try FileManager.default.attributesOfItem(atPath: path("backup"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test
    func `a backup of a newer program says so`() throws {
        var bytes = try write([[1]])
        // The format is the number behind the label.
        bytes[CanonicalEncoder(label: "backup").encoded.count + 7] = 2
        #expect(throws: BackupError.updateThisClient(format: 2)) { try read(bytes: bytes) }
    }

    @Test
    func `a file that is there is not overwritten, and nothing half-written stays`() throws {
        let bytes = try write([[1]])
        #expect(throws: FileError.exists) { try write([[2]]) }
        #expect([UInt8](try Data(contentsOf: URL(filePath: path("backup")))) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["backup"])
        #expect(throws: FileError.system(errno: 2)) { try write([], to: "no/file") }
    }

    @Test
    func `the frozen backup opens, and its cost is the only one`() throws {
        let frozen = try FrozenFormat("backup")
        try Data(frozen.bytes("file")).write(to: URL(filePath: path("frozen")))
        let entries = try BackupFile.read(path("frozen"), passphrase: frozen.bytes("passphrase"))
        #expect(try entries == [frozen.bytes("entry"), []])
        #expect(throws: BackupError.notAuthentic) { try read("frozen") }
    }
}
