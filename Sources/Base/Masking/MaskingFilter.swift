/// Replaces secrets in a stream by ``replacement``.
///
/// It holds bytes back only while they may be the beginning of a secret, for at most
/// ``heldMillisecondsMax``: the caller calls ``flush()`` at ``deadlineMilliseconds``. The output
/// does not depend on how the stream is cut into pieces unless a flush comes between two parts of
/// a secret. Then the parts before the flush are already written, and the rest is replaced as soon
/// as it completes the secret, so that the output never contains all of it.
///
/// Secrets that overlap are replaced together, once. A secret that is part of the replacement's own
/// words is masked too, but cannot vanish from it.
package struct MaskingFilter: Sendable {
    package static let replacement = Array("<concealed by keychain>".utf8)
    /// Shorter than what people notice as a delay, longer than a pause between two writes.
    package static let heldMillisecondsMax = 100

    private let patterns: MaskingPatterns
    private var state: Int32 = 0
    private var base64State: Int32 = 0
    /// The line ends among the bytes that may be the beginning of base64.
    private var lineEnds: [Int] = []
    /// The bytes that are not written yet.
    private var held: [UInt8] = []
    /// The position in the stream of the first byte that is not written yet.
    private var start = 0
    /// Complete secrets that are not replaced yet, in order; none touches another.
    private var found: [Range<Int>] = []
    /// The end of the last secret whose replacement is written.
    private var maskedEnd = 0
    /// When the held bytes before a position must be written.
    private var deadline: (milliseconds: Int, position: Int)?

    package init(_ patterns: MaskingPatterns) {
        self.patterns = patterns
    }

    /// The time at which the caller must flush, or nil if nothing is held back.
    package var deadlineMilliseconds: Int? { deadline?.milliseconds }

    /// Takes bytes of the stream, and returns what can be written now.
    ///
    /// `now` is in milliseconds of a clock that never goes back.
    package mutating func take(_ bytes: [UInt8], now: Int) -> [UInt8] {
        let before = start + held.count
        held += bytes
        for (offset, byte) in bytes.enumerated() {
            let end = before + offset + 1
            state = patterns.forms.next(state, byte)
            let length = patterns.forms.length(state)
            if length > 0 { add(end - length..<end) }
            takeBase64(byte, end)
        }
        let end = start + held.count
        let base64 = start(of: patterns.base64.depth(base64State), endingAt: end)
        lineEnds.removeAll { $0 < base64 }
        let first = min(end - patterns.forms.depth(state), base64)
        let output = release(upTo: max(start, first))
        if start == end {
            deadline = nil
        } else if deadline.map({ $0.position <= start }) ?? true {
            deadline = (now + Self.heldMillisecondsMax, end)
        }
        return output
    }

    /// Passes over line ends, since base64 means the same without them.
    private mutating func takeBase64(_ byte: UInt8, _ end: Int) {
        guard !"\r\n".utf8.contains(byte) else {
            // Base64 has no empty lines, so these need no memory.
            let isAfterTwo = lineEnds.suffix(2) == [end - 3, end - 2]
            if isAfterTwo { base64State = 0 }
            if patterns.base64.depth(base64State) > 0 { lineEnds.append(end - 1) }
            return
        }
        base64State = patterns.base64.next(base64State, byte)
        let length = patterns.base64.length(base64State)
        if length > 0 { add(start(of: length, endingAt: end)..<end) }
    }

    /// Where so many bytes begin that are no line ends.
    private func start(of count: Int, endingAt end: Int) -> Int {
        var start = end - count
        for lineEnd in lineEnds.reversed() {
            guard count > 0, lineEnd >= start else { break }
            start -= 1
        }
        return start
    }

    /// Gives up all that is held back, at the deadline or at the end of the stream.
    package mutating func flush() -> [UInt8] {
        deadline = nil
        return release(upTo: start + held.count)
    }

    private mutating func add(_ secret: Range<Int>) {
        var secret = secret
        while let last = found.last, last.upperBound > secret.lowerBound {
            secret = min(last.lowerBound, secret.lowerBound)..<secret.upperBound
            found.removeLast()
        }
        if secret.lowerBound < maskedEnd {
            // Its replacement is written already.
            maskedEnd = secret.upperBound
        } else {
            found.append(max(secret.lowerBound, start)..<secret.upperBound)
        }
    }

    /// Writes what is known up to `end`, from which on every secret still to be found begins.
    ///
    /// The start of a secret before it is known too, so its replacement need not wait for the end.
    private mutating func release(upTo end: Int) -> [UInt8] {
        var output: [UInt8] = []
        var position = max(start, min(maskedEnd, start + held.count))
        let pending = found.prefix { $0.lowerBound <= end }
        for secret in pending {
            if position < secret.lowerBound {
                output += held[(position - start)..<(secret.lowerBound - start)]
            }
            output += Self.replacement
            maskedEnd = secret.upperBound
            position = maskedEnd
        }
        found.removeFirst(pending.count)
        if position < end {
            output += held[(position - start)..<(end - start)]
            position = end
        }
        held.removeFirst(position - start)
        start = position
        return output
    }
}
