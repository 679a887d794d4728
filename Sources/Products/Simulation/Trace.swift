internal import KSBytes
internal import KSDigests

/// The events of a world as lines, and their hash.
struct Trace {
    private(set) var lines: [String] = []
    private let keepsLines: Bool
    private var chain = [UInt8](repeating: 0, count: SHA256.byteCount)

    init(keepsLines: Bool) {
        self.keepsLines = keepsLines
    }

    /// The same for the same world, in every process.
    var hash: String { String(hexadecimal: chain.prefix(8)) }

    /// Adds bytes to the hash without a line.
    mutating func add(_ bytes: [UInt8]) {
        chain = SHA256.hash(chain + SHA256.hash(bytes))
    }

    /// Adds a line that is not a part of the hash.
    mutating func note(_ line: String, atMilliseconds milliseconds: UInt64) {
        if keepsLines { lines.append("\(milliseconds) \(line)") }
    }

    mutating func add(_ line: String, atMilliseconds milliseconds: UInt64) {
        chain = SHA256.hash(chain + Array("\(milliseconds) \(line)".utf8))
        if keepsLines { lines.append("\(milliseconds) \(line)") }
    }
}
