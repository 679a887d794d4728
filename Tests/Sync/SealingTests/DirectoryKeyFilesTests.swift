import Foundation
import KSDeviceKeys
import KSSealing
import KSTestSupport
import Testing

final class DirectoryKeyFilesTests {
    private let folder: URL
    private let files: DirectoryKeyFiles

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        files = DirectoryKeyFiles(path: folder.path())
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    private var secretPath: String { folder.appending(path: "device-secret").path() }

    private func setPermissions(_ permissions: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }

    @Test
    func `a file that was never written is absent`() throws {
        #expect(try files.read(.deviceSecret) == nil)
    }

    @Test
    func `a file is replaced whole, private, and leaves nothing beside it`() throws {
        try files.replace(.deviceSecret, with: [1, 2, 3])
        try files.replace(.deviceSecret, with: [4, 5])
        #expect(try files.read(.deviceSecret) == [4, 5])
        let attributes = try FileManager.default.attributesOfItem(atPath: secretPath)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).count == 1)
    }

    @Test
    func `a file that a crash left incomplete does no harm`() throws {
        let left = folder.appending(path: ".device-secret.new")
        try Data([9, 9, 9, 9, 9, 9]).write(to: left)
        try setPermissions(0o644, of: left.path())
        try files.replace(.deviceSecret, with: [1])
        #expect(try files.read(.deviceSecret) == [1])
    }

    @Test
    func `a file that could not be replaced leaves no other beside it`() throws {
        // A folder with this name cannot be replaced by a file.
        try FileManager.default.createDirectory(
            atPath: secretPath,
            withIntermediateDirectories: false
        )
        #expect(throws: SealingError.self) { try files.replace(.deviceSecret, with: [1]) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        #expect(names == ["device-secret"])
    }

    @Test
    func `a file that others can read or write is refused`() throws {
        try files.replace(.deviceSecret, with: [1])
        for permissions in [0o640, 0o604, 0o620, 0o602, 0o644] {
            try setPermissions(permissions, of: secretPath)
            #expect(throws: SealingError.keyFileOpenToOthers(.deviceSecret)) {
                try files.read(.deviceSecret)
            }
        }
        try setPermissions(0o600, of: secretPath)
        #expect(try files.read(.deviceSecret) == [1])
    }

    @Test
    func `a symbolic link, a folder or an enormous file is refused`() throws {
        try files.replace(.keyBag, with: [1])
        try FileManager.default.createSymbolicLink(
            atPath: secretPath,
            withDestinationPath: folder.appending(path: "key-bag").path()
        )
        #expect(throws: SealingError.self) { try files.read(.deviceSecret) }
        try FileManager.default.removeItem(atPath: secretPath)
        try FileManager.default.createDirectory(
            atPath: secretPath,
            withIntermediateDirectories: false
        )
        #expect(throws: SealingError.keyFileDamaged(.deviceSecret)) {
            try files.read(.deviceSecret)
        }
        try files.replace(.keyBag, with: [UInt8](repeating: 0, count: 65 << 10))
        #expect(throws: SealingError.keyFileDamaged(.keyBag)) { try files.read(.keyBag) }
    }

    @Test
    func `a folder that is not there is said, with the system's number`() {
        let nowhere = DirectoryKeyFiles(path: folder.path() + "/nowhere")
        #expect(throws: SealingError.keyFileUnavailable(.deviceSecret, systemError: 2)) {
            try nowhere.replace(.deviceSecret, with: [1])
        }
    }

    @Test
    func `a device home is made and opened in a folder`() throws {
        let random = SeededRandomSource(seed: 1)
        let first = try LocalKeyFile.open(storage: files, random: random, mayCreate: true)
        let second = try LocalKeyFile.open(storage: files, random: random, mayCreate: false)
        #expect(first.deviceID == second.deviceID)
    }
}
