import Foundation
import KSFiles
import Testing

/// Reading files up to a limit, and the errors of unreadable ones.
final class OpenFileTests {
    private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: UUID().uuidString).path

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func file(of count: Int) throws -> String {
        let path = folder + "/file"
        try Data(repeating: 7, count: count).write(to: URL(filePath: path))
        return path
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func `a file is read whole, and not when it is larger than it may be`(count: Int) throws {
        let path = try file(of: count)
        let bytes = try OpenFile(reading: path).contents(bytesMax: count)
        #expect(bytes == [UInt8](repeating: 7, count: count))
        guard count > 0 else { return }
        #expect(throws: FileError.system(errno: EFBIG)) {
            try OpenFile(reading: path).contents(bytesMax: count - 1)
        }
    }

    @Test
    func `a link is followed only where that is wanted, a folder is no file`() throws {
        let path = try file(of: 3)
        let link = folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: FileError.notRegular) { _ = try OpenFile.reading(regular: link) }
        let read = try OpenFile.reading(regular: link, followsLinks: true).read(10)
        #expect(read.count == 3)
        #expect(try Paths.resolved(link) == path)
        #expect(throws: FileError.notRegular) {
            _ = try OpenFile.reading(regular: self.folder, followsLinks: true)
        }
        #expect(throws: FileError.system(errno: ENOENT)) {
            _ = try OpenFile.reading(regular: link + "s")
        }
        #expect(throws: FileError.exists) { _ = try OpenFile.creating(path) }
    }

    @Test(arguments: [("a", "."), ("/a", "/"), ("a/b", "a"), ("/a/b", "/a"), ("a/", "a")])
    func `the folder of a path is the part before its last name`(path: String, folder: String) {
        #expect(Paths.folder(of: path) == folder)
    }
}
