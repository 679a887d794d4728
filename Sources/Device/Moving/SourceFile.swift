package import KSDigests
internal import KSRedaction

/// A file that another program has written, with what opens it.
package struct SourceFile: Sendable {
    package let bytes: [UInt8]
    /// The file's name without its folder; empty for standard input.
    package let name: String
    /// The password, in UTF-8; nil without one, which an empty one is not.
    package var password: [UInt8]?
    /// The contents of a key file.
    package var keyFile: [UInt8]?
    /// What the columns of a table hold; nil to know it from their names.
    package var map: ColumnMap?
    /// The members of the object that a JSON file is; nil for any other file.
    ///
    /// ``EntryFormat/readFile(_:format:)`` sets it before it asks a format.
    private(set) var outline: JSONOutline?

    package init(
        _ bytes: [UInt8],
        name: String = "",
        password: [UInt8]? = nil,
        keyFile: [UInt8]? = nil
    ) {
        (self.bytes, self.name) = (bytes, name)
        (self.password, self.keyFile) = (password, keyFile)
    }

    /// Whether it begins as JSON's objects do.
    var isJSON: Bool { JSONScanner.isObject(bytes) }

    /// Reads the outline of a JSON file; does nothing for any other.
    ///
    /// - Throws: ``MovingError`` if the JSON is broken.
    mutating func scan() throws(MovingError) {
        if isJSON, outline == nil { outline = try JSONOutline(bytes) }
    }
}

/// What a writer needs beside the entries.
package struct TargetFile: Sendable {
    /// Now, in milliseconds since 1970, for what has no time.
    package let time: Int64
    /// The password of a file that is encrypted, in UTF-8.
    package var password: [UInt8]?
    /// The contents of a key file.
    package var keyFile: [UInt8]?
    /// Salts and keys of a file that is encrypted.
    package var random: any RandomSource
    /// Whether guessing the password of a database costs nothing: for tests alone.
    package var isCheap = false

    package init(
        time: Int64,
        password: [UInt8]? = nil,
        keyFile: [UInt8]? = nil,
        random: any RandomSource = SystemRandomSource()
    ) {
        (self.time, self.password) = (time, password)
        (self.keyFile, self.random) = (keyFile, random)
    }
}

extension SourceFile: Redacted {}
extension TargetFile: Redacted {}
