internal import KSBytes
internal import KSFileCiphers

/// What opens a database: a password, a key file, or both.
package struct KeePassKey: Sendable {
    /// In UTF-8; nil for none, which an empty one is not.
    package var password: [UInt8]?
    /// The contents of a key file.
    package var keyFile: [UInt8]?

    package init(password: [UInt8]?, keyFile: [UInt8]? = nil) {
        (self.password, self.keyFile) = (password, keyFile)
    }

    /// The keys before their derivation that programs make of it, the usual one first.
    ///
    /// Beside a key file an empty password may be none.
    var composites: [[UInt8]] {
        let file = keyFile.map(KeyFile.key)
        let hashed = password.map { FileDigest.sha256($0[...]) }
        func joined(_ parts: [UInt8]?...) -> [UInt8] {
            FileDigest.sha256(parts.compactMap(\.self).flatMap(\.self)[...])
        }
        guard file != nil, password?.isEmpty == true else { return [joined(hashed, file)] }
        return [joined(file), joined(hashed, file)]
    }
}

/// A key file of any kind.
///
/// Source: keepass.info, "Composite Master Key", Key File.
enum KeyFile {
    private static let keyByteCount = 32

    static func key(_ bytes: [UInt8]) -> [UInt8] {
        if let key = xmlKey(bytes) { return key }
        if bytes.count == keyByteCount { return bytes }
        if bytes.count == 2 * keyByteCount, let key = [UInt8](hexadecimal: bytes) { return key }
        return FileDigest.sha256(bytes[...])
    }

    /// The key of an XML file of version 1 (Base64) or 2 (hexadecimal, with a hash).
    private static func xmlKey(_ bytes: [UInt8]) -> [UInt8]? {
        let reader = KeyFileReader()
        guard bytes.count < KeyFileReader.bytesMax, bytes.contains(UInt8(ascii: "<")),
            // A file that is no XML is a key as it is.
            (try? XMLScanner.read(bytes, reader)) != nil, let data = reader.data
        else { return nil }
        guard reader.version.hasPrefix("2") else { return Base64Text.decode(withBlanks: data) }
        let digits = data.filter { !" \t\r\n".utf8.contains($0) }
        guard let key = [UInt8](hexadecimal: digits) else { return nil }
        let hash = reader.hash.flatMap { [UInt8](hexadecimal: $0.utf8) }
        guard hash == nil || FileDigest.sha256(key[...]).starts(with: hash ?? []) else {
            return nil
        }
        return key
    }
}

/// The few elements of a key file.
private final class KeyFileReader: XMLHandler {
    static let bytesMax = 1 << 16
    private var path: [String] = []
    private var text: [UInt8] = []
    private(set) var version = ""
    private(set) var hash: String?
    private(set) var data: [UInt8]?

    func start(_ name: String, _ attributes: [String: String]) {
        path.append(name)
        text = []
        if path == ["KeyFile", "Key", "Data"] { hash = attributes["Hash"] }
    }

    func text(_ bytes: [UInt8]) { text += bytes }

    func end() {
        if path == ["KeyFile", "Meta", "Version"] {
            version = String(decoding: text, as: UTF8.self)
        }
        if path == ["KeyFile", "Key", "Data"] { data = text }
        path.removeLast()
    }
}
