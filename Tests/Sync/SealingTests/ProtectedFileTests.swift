import KSSealing
import KSFiles
import KSDigests
import Foundation
import KSPrimitives
import KSDeviceKeys
import KSTestSupport
import Testing

final class ProtectedFileTests {
    private static let chunk = 64 << 10
    private let random = SeededRandomSource(seed: 41)
    private let folder: URL
    private let keyFile: LocalKeyFile
    private let files: ProtectedFiles
    private let passcode = Array("1234".utf8)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        keyFile = try LocalKeyFile.open(
            storage: MemoryKeyFiles(),
            random: random,
            mayCreate: true,
            passcodeCost: .simulation
        )
        try keyFile.setPasscode(passcode)
        files = ProtectedFiles(keyFile: keyFile, random: random)
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path() }

    @discardableResult
    private func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    private func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(name))))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted() }
    }

    @Test(arguments: [0, 1, 65535, 65536, 65537, 131072, 200_000])
    func `a file of any size is opened unchanged`(count: Int) throws {
        let contents = random.bytes(count)
        let file = try write(contents, to: "file")
        try files.protect(file, as: .complete)
        #expect(try read("file") != contents)
        #expect(try files.level(of: file) == .complete)
        #expect(try files.contents(of: file, bytesMax: 1 << 20) == contents)
        try files.unprotect(file)
        #expect(try read("file") == contents)
        #expect(try names == ["file"])
    }

    @Test
    func `each level is readable when it says, and written when it says`() throws {
        for level in FileClass.allCases {
            try files.protect(write([1, 2, 3], to: "\(level)"), as: level)
        }
        func readable() -> [FileClass] {
            FileClass.allCases.filter { level in
                // The reason may vary; the file must not be readable.
                (try? files.contents(of: path("\(level)"), bytesMax: 9999)) == [1, 2, 3]
            }
        }
        func writable() throws -> [FileClass] {
            try FileClass.allCases.filter { level in
                let file = try write([1, 2, 3], to: "new")
                do {
                    try files.protect(file, as: level)
                    return true
                } catch ProtectedFileError.locked {
                    #expect(try read("new") == [1, 2, 3])
                    return false
                }
            }
        }
        #expect(readable() == FileClass.allCases)
        keyFile.lock()
        #expect(readable() == [.completeUntilFirstUnlock, .none])
        #expect(try writable() == [.completeUnlessOpen, .completeUntilFirstUnlock, .none])
        keyFile.reboot()
        #expect(readable() == [.none])
        #expect(try writable() == [.completeUnlessOpen, .none])
        try files.protect(write([4], to: "while locked"), as: .completeUnlessOpen)
        try keyFile.unlock(passcode: passcode)
        #expect(readable() == FileClass.allCases)
        #expect(try files.contents(of: path("while locked"), bytesMax: 9999) == [4])
    }

    @Test(arguments: [FileClass.complete, .completeUnlessOpen])
    func `every changed byte and every cut is found`(level: FileClass) throws {
        let file = try write([1, 2, 3], to: "file")
        try files.protect(file, as: level)
        let sealed = try read("file")
        for index in sealed.indices {
            try write(sealed.flipping(index), to: "changed")
            #expect(throws: ProtectedFileError.self, "byte \(index)") {
                try files.contents(of: path("changed"), bytesMax: 9999)
            }
        }
        for count in sealed.indices {
            try write(Array(sealed.prefix(count)), to: "cut")
            #expect(throws: ProtectedFileError.self, "\(count) bytes") {
                try files.unprotect(path("cut"), to: path("out"))
            }
        }
        try write(sealed + [0], to: "longer")
        #expect(throws: ProtectedFileError.notAuthentic) { try files.unprotect(path("longer")) }
        #expect(try names == ["changed", "cut", "file", "longer"])
    }

    @Test
    func `chunks cannot be left out, doubled or put in another order`() throws {
        let contents = random.bytes(3 * Self.chunk)
        let file = try write(contents, to: "file")
        try files.protect(file, as: .complete)
        let sealed = try read("file")
        let size = Self.chunk + 16
        let header = Array(sealed.dropLast(3 * size))
        let chunks = (0..<3).map { Array(sealed[(header.count + $0 * size)...].prefix(size)) }
        #expect(header + chunks[0] + chunks[1] + chunks[2] == sealed)
        for order in [[0, 1], [0, 2], [1, 2], [1, 0, 2], [0, 0, 1, 2], [0, 1, 2, 2], [2], []] {
            try write(header + order.flatMap { chunks[$0] }, to: "other")
            #expect(throws: ProtectedFileError.notAuthentic, "\(order)") {
                try files.unprotect(path("other"))
            }
        }
        // Files cut between chunks, or joined from two files.
        try write([9], to: "second")
        try files.protect(path("second"), as: .complete)
        let second = try read("second")
        try write(header + Array(second.suffix(17)), to: "other")
        #expect(throws: ProtectedFileError.notAuthentic) { try files.unprotect(path("other")) }
    }

    @Test
    func `two files with the same contents have nothing in common`() throws {
        for name in ["a", "b"] { try files.protect(write([7, 7, 7], to: name), as: .none) }
        let (first, second) = (try read("a"), try read("b"))
        #expect(first.suffix(19) != second.suffix(19))
    }

    /// Two copies of a machine may get the same random bytes.
    @Test
    func `the same random bytes never seal two texts with one key`() throws {
        for (name, contents) in [("a", [1, 1] as [UInt8]), ("b", [2, 2])] {
            let twin = ProtectedFiles(keyFile: keyFile, random: SeededRandomSource(seed: 5))
            try twin.protect(write(contents, to: name), as: .none)
        }
        let (first, second) = (try read("a").suffix(18), try read("b").suffix(18))
        let sum = zip(first, second).map { $0 ^ $1 }
        #expect(Array(sum.prefix(2)) != [3, 3])
    }

    @Test
    func `a failed call changes nothing`() throws {
        let file = try write([1], to: "file")
        try write([2], to: "there")
        #expect(throws: FileError.exists) {
            try files.protect(file, as: .none, to: path("there"))
        }
        #expect(throws: ProtectedFileError.notProtected) { try files.unprotect(file) }
        #expect(throws: FileError.notRegular) {
            try files.protect(folder.path(), as: .none)
        }
        #expect(throws: FileError.system(errno: 2)) {
            try files.protect(path("nowhere"), as: .none)
        }
        #expect(throws: FileError.system(errno: 2)) {
            try files.protect(file, as: .none, to: path("no folder/file"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: path("link"),
            withDestinationPath: file
        )
        #expect(throws: FileError.notRegular) {
            try files.protect(path("link"), as: .none)
        }
        try FileManager.default.linkItem(atPath: path("there"), toPath: path("second"))
        #expect(throws: ProtectedFileError.hasFurtherNames) {
            try files.protect(path("there"), as: .none)
        }
        #expect(try read("file") == [1])
        #expect(try read("there") == [2])
        try files.protect(file, as: .none, to: path("sealed"))
        #expect(throws: ProtectedFileError.alreadyProtected) {
            try files.protect(path("sealed"), as: .none)
        }
        #expect(try read("file") == [1])
        let names = try names
        #expect(names == ["file", "link", "sealed", "second", "there"])
    }

    @Test
    func `another device cannot read it`() throws {
        let file = try write([1], to: "file")
        try files.protect(file, as: .none)
        let other = try LocalKeyFile.open(
            storage: MemoryKeyFiles(),
            random: random,
            mayCreate: true
        )
        #expect(throws: ProtectedFileError.otherDevice) {
            try ProtectedFiles(keyFile: other, random: random).unprotect(file)
        }
    }

    @Test
    func `the frozen files open`() throws {
        let frozen = try FrozenFormat("protected files")
        let storage = MemoryKeyFiles()
        let home = try FrozenFormat("local files with a passcode")
        storage.replace(.deviceSecret, with: try home.bytes("deviceSecret"))
        storage.replace(.keyBag, with: try home.bytes("keyBag"))
        let keyFile = try LocalKeyFile.open(storage: storage, random: random, mayCreate: false)
        try keyFile.unlock(passcode: home.bytes("passcode"))
        let files = ProtectedFiles(keyFile: keyFile, random: random)
        for name in ["complete", "unlessOpen", "untilFirstUnlock", "none"] {
            let file = try write(frozen.bytes(name), to: name)
            #expect(
                try files.contents(of: file, bytesMax: 1 << 20) == frozen.bytes("contents"),
                "\(name)"
            )
        }
    }
}
