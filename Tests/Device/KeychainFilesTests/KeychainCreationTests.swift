import Foundation
import GRDB
import KSAgent
import KSDigests
import KSKeychain
import KSKeychainFiles
import KSTestSupport
import Testing

/// How files of further keychains are made and deleted.
final class KeychainCreationTests {
    private static let random = SeededRandomSource(seed: 5)
    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        folder = url.path
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    private var path: String { folder + "/k" }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder) }
    }

    private func create() throws {
        try KeychainFile.create(path: path, password: [], random: Self.random).close()
    }

    @Test
    func `a new keychain takes no other file's place, and nothing of an older one`() throws {
        try Data("theirs".utf8).write(to: URL(filePath: path))
        #expect(throws: KeychainFileError.duplicateKeychain) { try create() }
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("theirs".utf8))
        try FileManager.default.removeItem(atPath: path)

        for ending in ["-journal", "-wal", "-shm"] {
            try Data("stale".utf8).write(to: URL(filePath: path + ending))
        }
        try create()
        #expect(try names == ["k"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try KeychainFile.open(path: path, random: Self.random).close()
    }

    @Test
    func `a keychain that cannot be made leaves no file and reports the system's error`() throws {
        let path = folder + "/nowhere/k"
        #expect(throws: KeychainFileError.unavailable(errno: ENOENT)) {
            try KeychainFile.create(path: path, password: [], random: Self.random)
        }
        let full = KeychainFileError.unavailable(errno: ENOSPC).agentFailure
        #expect(full.code == ItemStoreError.diskFull.status)
        #expect(full.hint.contains("disk is full"))
        let other = KeychainFileError.unavailable(errno: EACCES).agentFailure
        #expect(other.code == -36)
        #expect(other.hint == "Permission denied.")
    }

    @Test
    func `opening a keychain writes nothing`() throws {
        try create()
        let before = try Data(contentsOf: URL(filePath: path))
        let file = try FileManager.default.attributesOfItem(atPath: path)
        for _ in 0..<3 { try KeychainFile.open(path: path, random: Self.random).close() }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        let now = try FileManager.default.attributesOfItem(atPath: path)
        #expect(now[.modificationDate] as? Date == file[.modificationDate] as? Date)
    }

    @Test
    func `another process's lock on the file is not reported as damage`() throws {
        try create()
        let other = try DatabaseQueue(path: path)
        try other.inDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        try other.write { try $0.execute(sql: "PRAGMA user_version = 0") }
        let error = try #require(throws: ItemStoreError.self) {
            try KeychainFile.open(path: self.path, random: Self.random)
        }
        #expect(error == .unavailable(code: ResultCode.SQLITE_BUSY.rawValue))
    }

    @Test
    func `an incomplete keychain file can be deleted, and no other file`() async throws {
        let shelf = KeychainShelf(home: try AgentHome(argument: folder), random: Self.random)
        // As a copy onto a full disk leaves it.
        try Data().write(to: URL(filePath: path))
        try await shelf.delete(path: path)
        #expect(!FileManager.default.fileExists(atPath: path))

        // And one that was cut short.
        try create()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.truncate(atOffset: 4096)
        try file.close()
        #expect(throws: (any Error).self) {
            try KeychainFile.open(path: self.path, random: Self.random)
        }
        try await shelf.delete(path: path)
        #expect(!FileManager.default.fileExists(atPath: path))

        try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a)") }
        await #expect(throws: KeychainFileError.invalidKeychain) {
            try await shelf.delete(path: self.path)
        }
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
