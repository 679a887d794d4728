/// One call to the daemon.
package struct AgentRequest: Sendable, Equatable {
    /// Repeated in every answer.
    package let id: UInt64
    /// Such as `item.find`.
    package let call: String
    package let arguments: AgentDictionary

    package init(id: UInt64, call: String, arguments: AgentDictionary) {
        (self.id, self.call, self.arguments) = (id, call, arguments)
    }
}

/// How far a long call has come.
package struct AgentProgress: Sendable, Equatable {
    package let done: UInt64
    /// 0 while it is unknown.
    package let total: UInt64
    /// What happens, and after a blank to what, such as `Importing items`.
    package let text: String
    /// What a program needs beside these; null for a call whose progress a person watches.
    package let details: AgentValue

    package init(done: UInt64, total: UInt64, text: String, details: AgentValue = .null) {
        (self.done, self.total, self.text, self.details) = (done, total, text, details)
    }
}

/// An error reply.
package struct AgentFailure: Error, Sendable, Equatable {
    /// An OSStatus for calls about items, otherwise an exit code of the `sync-*` commands.
    package let code: Int32
    /// One sentence about what is wrong.
    package let status: String
    /// One sentence about what to do; may be empty.
    package let hint: String
    /// The code of its message in docs/Messages.md; may be empty.
    package let messageCode: String

    package init(code: Int32, status: String, hint: String = "", messageCode: String = "") {
        (self.code, self.status, self.hint) = (code, status, hint)
        self.messageCode = messageCode
    }

    /// Whether the same call would be refused again: the exit code is `EX_USAGE` or `EX_NOPERM` of
    /// `sysexits.h`.
    package var isRefusal: Bool { code == 64 || code == 77 }
}

/// What the daemon answers to a call.
package enum AgentReply: Sendable, Equatable {
    case result(AgentValue)
    case failure(AgentFailure)
}

/// A message on the socket, in a frame of its own.
package enum AgentMessage: Sendable, Equatable {
    case request(AgentRequest)
    case progress(id: UInt64, AgentProgress)
    case reply(id: UInt64, AgentReply)
}

extension AgentMessage {
    /// Rises when programs and daemons of different versions would misunderstand each other.
    static let version: UInt8 = 1
    /// The most bytes in a frame: four times the largest item, so that it fits with its
    /// attributes; an import of a hundred thousand passwords is smaller.
    package static let bytesMax = 64 << 20
    /// The most values in a program's request; the daemon's answers have no such limit.
    static let requestValuesMax = 1_000_000

    /// The message with its length in front; nil when it is too large to send.
    package var frame: [UInt8]? {
        var encoder = AgentEncoder()
        // Room for the length.
        encoder.integer(UInt32(0))
        encoder.integer(Self.version)
        encode(into: &encoder)
        var bytes = encoder.bytes
        let count = bytes.count - 4
        guard count <= Self.bytesMax else { return nil }
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * index)) }
        return bytes
    }

    private func encode(into encoder: inout AgentEncoder) {
        switch self {
        case .request(let request):
            encoder.integer(Kind.request.rawValue)
            encoder.integer(request.id)
            encoder.string(request.call)
            encoder.dictionary(request.arguments)
        case .progress(let id, let progress):
            encoder.integer(Kind.progress.rawValue)
            encoder.integer(id)
            encoder.integer(progress.done)
            encoder.integer(progress.total)
            encoder.string(progress.text)
            encoder.value(progress.details)
        case .reply(let id, .result(let value)):
            encoder.integer(Kind.result.rawValue)
            encoder.integer(id)
            encoder.value(value)
        case .reply(let id, .failure(let failure)):
            encoder.integer(Kind.failure.rawValue)
            encoder.integer(id)
            encoder.integer(failure.code)
            encoder.string(failure.status)
            encoder.string(failure.hint)
            encoder.string(failure.messageCode)
        }
    }

    /// Decodes the contents of a frame, without its length.
    package init(decoding bytes: [UInt8]) throws(AgentError) {
        var decoder = AgentDecoder(bytes)
        let version: UInt8 = try decoder.integer()
        guard version == Self.version else { throw .otherVersion(version) }
        guard let kind = Kind(rawValue: try decoder.integer()) else { throw .malformedMessage }
        let id: UInt64 = try decoder.integer()
        switch kind {
        case .request:
            decoder.valuesLeft = Self.requestValuesMax
            let (call, arguments) = (try decoder.string(), try decoder.dictionary())
            self = .request(AgentRequest(id: id, call: call, arguments: arguments))
        case .progress:
            let (done, total): (UInt64, UInt64) = (try decoder.integer(), try decoder.integer())
            let (text, details) = (try decoder.string(), try decoder.value())
            let progress = AgentProgress(done: done, total: total, text: text, details: details)
            self = .progress(id: id, progress)
        case .result:
            self = .reply(id: id, .result(try decoder.value()))
        case .failure:
            let code: Int32 = try decoder.integer()
            let failure = AgentFailure(
                code: code,
                status: try decoder.string(),
                hint: try decoder.string(),
                messageCode: try decoder.string()
            )
            self = .reply(id: id, .failure(failure))
        }
        try decoder.end()
    }

    /// Never reuse a number.
    private enum Kind: UInt8 {
        case request = 1
        case progress = 2
        case result = 3
        case failure = 4
    }
}

/// Splits a stream of bytes into the contents of frames.
package struct AgentFrameParser: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func receive(_ more: some Sequence<UInt8>) {
        // Removes the bytes that were taken, at the latest when they are half of the buffer.
        if start > bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// How many of the received bytes were not taken yet.
    package var pendingBytes: Int { bytes.count - start }

    /// The contents of the next frame; nil if it has not arrived as a whole.
    ///
    /// - Throws: ``AgentError/messageTooLarge`` as soon as the length says so.
    package mutating func next() throws(AgentError) -> [UInt8]? {
        guard pendingBytes >= 4 else { return nil }
        let count = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        guard count <= AgentMessage.bytesMax else { throw .messageTooLarge }
        guard pendingBytes >= 4 + count else { return nil }
        let end = start + 4 + count
        guard end == bytes.count else {
            defer { start = end }
            return Array(bytes[start + 4..<end])
        }
        // The last frame takes the buffer along: a connection that waits keeps none.
        var contents: [UInt8] = []
        swap(&contents, &bytes)
        contents.removeFirst(start + 4)
        start = 0
        return contents
    }
}
