// Programs with the static standard library, as they are installed, have no testing library.
#if canImport(Testing)

internal import Foundation
internal import Testing

/// A small file of a home that each write replaces.
package struct StateFile {
    package let path: String

    package init(path: String) { self.path = path }

    private var others: [String] {
        get throws {
            let url = URL(filePath: path)
            return try FileManager.default.contentsOfDirectory(
                atPath: url.deletingLastPathComponent().path
            ).filter { $0 != url.lastPathComponent }.sorted()
        }
    }

    private func attribute<Value>(_ key: FileAttributeKey) throws -> Value? {
        try FileManager.default.attributesOfItem(atPath: path)[key] as? Value
    }

    /// Another file replaces it, for its user alone, and a write that fails leaves nothing
    /// beside it: here it fails because of a folder of that name, which no file replaces.
    package func expectReplacedWholeOrNot<Failure: Error & Equatable>(
        throwing failure: Failure,
        _ write: () throws -> Void
    ) throws {
        let others = try others
        try Data("old".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let reader = try FileHandle(forReadingFrom: URL(filePath: path))
        try write()
        #expect(try reader.readToEnd() == Data("old".utf8))
        #expect(try Data(contentsOf: URL(filePath: path)) != Data("old".utf8))
        #expect(try attribute(.posixPermissions) == 0o600)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path + "/inside",
            withIntermediateDirectories: true
        )
        #expect(throws: failure) { try write() }
        #expect(FileManager.default.fileExists(atPath: path + "/inside"))
        try FileManager.default.removeItem(atPath: path)
        #expect(try self.others == others)
    }
}

#endif
