import KSFiles
import KSDigests
import Foundation
import KSPrimitives
import KSRecords
import KSDeviceKeys
import KSTestSupport
import Testing

/// What happens to a protected file's permissions, and to one that another process is writing.
final class FileMetadataTests {
    private let random = SeededRandomSource(seed: 43)
    private let folder: URL
    private let keyFile: LocalKeyFile

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        keyFile = try LocalKeyFile.open(
            storage: MemoryKeyFiles(),
            random: random,
            mayCreate: true,
            passcodeCost: .simulation
        )
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    private var file: String { folder.appending(path: "file").path() }

    private var files: ProtectedFiles { ProtectedFiles(keyFile: keyFile, random: random) }

    private func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: file))
    }

    private func read() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file))) }

    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func setPermissions(_ permissions: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file)
    }

    @Test
    func `a sealed file keeps its permissions, an opened one is its user's alone`() throws {
        for (given, opened) in [(0o600, 0o600), (0o640, 0o600), (0o755, 0o700), (0o400, 0o400)] {
            try write([1, 2, 3])
            try setPermissions(given)
            try files.protect(file, as: .none)
            #expect(try permissions(file) == given)
            let output = folder.appending(path: "opened \(given)").path()
            try files.unprotect(file, to: output)
            #expect(try permissions(output) == opened)
            try files.unprotect(file)
            #expect(try permissions(file) == opened)
            try setPermissions(0o600)
        }
    }

    @Test
    func `a file that is written to meanwhile is not changed`() throws {
        try write([1, 2, 3])
        let writing = ProtectedFiles(
            keyFile: keyFile,
            random: InterruptedRandomSource(random) { [file] in
                let handle = FileHandle(forWritingAtPath: file)
                handle?.write(Data([9, 9, 9, 9]))
            }
        )
        #expect(throws: ProtectedFileError.changedMeanwhile) {
            try writing.protect(file, as: .none)
        }
        #expect(try read() == [9, 9, 9, 9])

        try files.protect(file, as: .none)
        let touching = ProtectedFiles(keyFile: keyFile, random: random) { [file] in
            // The checks below show whether it was set.
            try? FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
                ofItemAtPath: file
            )
        }
        let sealed = try read()
        #expect(throws: ProtectedFileError.changedMeanwhile) { try touching.unprotect(file) }
        #expect(try read() == sealed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["file"])
    }

    @Test
    func `contents that changed are found, whatever the file's date says`() throws {
        try write([1, 2, 3])
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        let attributes: [FileAttributeKey: Any] = [.modificationDate: date]
        try FileManager.default.setAttributes(attributes, ofItemAtPath: file)
        let writing = ProtectedFiles(
            keyFile: keyFile,
            random: InterruptedRandomSource(random) { [file] in
                FileHandle(forWritingAtPath: file)?.write(Data([9, 9, 9]))
                // The checks below show whether it was set.
                try? FileManager.default.setAttributes(
                    [.modificationDate: date],
                    ofItemAtPath: file
                )
            }
        )
        #expect(throws: ProtectedFileError.changedMeanwhile) {
            try writing.protect(file, as: .none)
        }
        #expect(try read() == [9, 9, 9])
    }

    @Test
    func `a file of a newer program says so, and one that is too large is not read`() throws {
        try write([1, 2, 3])
        try files.protect(file, as: .none)
        #expect(throws: FileError.system(errno: 27)) {
            try files.contents(of: file, bytesMax: 100)
        }
        var bytes = try read()
        // The format is the number behind the label.
        bytes[CanonicalEncoder(label: "protected file").encoded.count + 7] = 2
        try write(bytes)
        #expect(throws: ProtectedFileError.updateThisClient(format: 2)) {
            try files.contents(of: file, bytesMax: 9999)
        }
    }
}

/// Runs a step at each request: after a file was examined, before it is copied.
private struct InterruptedRandomSource: RandomSource {
    private let source: any RandomSource
    private let interruption: @Sendable () -> Void

    init(_ source: any RandomSource, interruption: @escaping @Sendable () -> Void) {
        self.source = source
        self.interruption = interruption
    }

    func bytes(_ count: Int) -> [UInt8] {
        interruption()
        return source.bytes(count)
    }
}
