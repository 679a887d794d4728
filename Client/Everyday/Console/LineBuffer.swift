/// Splits input into lines.
///
/// A line that is too long is dropped as a whole: its rest is not a command, and its beginning is
/// not the secret that the user typed.
package struct LineBuffer {
    /// The longest line, without its line break.
    package static let lineBytesMax = 1 << 20
    private static let lineBreak = UInt8(ascii: "\n")

    private var pending: [UInt8] = []
    /// How many bytes of `pending` are known to have no line break.
    private var searched = 0
    private var isLeftOut = false

    package init() {}

    package mutating func append(_ bytes: some Collection<UInt8>) {
        pending += bytes
    }

    /// The next whole line without its line break; nil while there is none.
    ///
    /// `isAtEnd`: whether the input has ended, so that the remaining bytes are a line.
    package mutating func next(isAtEnd: Bool) throws(Failure) -> [UInt8]? {
        if let end = pending[searched...].firstIndex(of: Self.lineBreak) {
            let line = Array(pending[..<end])
            pending.removeSubrange(...end)
            return try finish(line)
        }
        if pending.count > Self.lineBytesMax {
            pending = []
            isLeftOut = true
        }
        searched = pending.count
        guard isAtEnd, isLeftOut || !pending.isEmpty else { return nil }
        let line = pending
        pending = []
        return try finish(line)
    }

    private mutating func finish(_ line: [UInt8]) throws(Failure) -> [UInt8] {
        searched = 0
        guard !isLeftOut, line.count <= Self.lineBytesMax else {
            isLeftOut = false
            throw .lineTooLong
        }
        return line
    }
}
