internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SwiftProtobuf
internal import Synchronization
internal import KSWire

/// Reads the bodies of requests, within limits of length, time and memory.
package final class Uploads: Sendable {
    private let bytesMax: Int
    private let options: SyncService.Options
    /// The memory of all bodies, each from its first byte until its request is handled.
    private let bytes = Mutex(0)

    init(bytesMax: Int, _ options: SyncService.Options) {
        self.bytesMax = bytesMax
        self.options = options
    }

    package var bytesTaken: Int { bytes.withLock { $0 } }

    /// - Throws: ``Problem`` `unavailable` if there is not enough memory.
    private func take(_ count: Int) throws {
        try bytes.withLock { bytes in
            guard bytes + count <= bytesMax else { throw Problem(.unavailable) }
            bytes += count
        }
    }

    /// Decodes a request's body and calls `body`; the memory is reserved until that returns.
    ///
    /// - Throws: ``Problem`` `tooLarge`, `malformed` and `unavailable`. A body that ends early or
    ///   is too slow is malformed.
    func withMessage<Message: CountedMessage, Value>(
        of request: Request,
        _ context: SyncRequestContext,
        atMost limit: Int,
        _ body: (Message) async throws -> Value
    ) async throws -> Value {
        // A declared length above the limit is refused before reading.
        let declared = try request.declaredLength(atMost: limit)
        var bytes: [UInt8] = []
        defer { self.bytes.withLock { $0 -= bytes.count } }
        let deadline = UploadDeadline()
        let bytesTime = Duration.seconds(1) * (declared ?? limit) / options.uploadBytesPerSecondMin
        let end = deadline.schedule(in: options.uploadTimeMax + bytesTime, on: context.channel)
        defer { end.cancel() }
        do {
            for try await part in request.body {
                guard bytes.count + part.readableBytes <= limit else { throw Problem(.tooLarge) }
                try take(part.readableBytes)
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            // The connection's error cannot be reported: the connection is lost.
            throw deadline.problem
        }
        guard !deadline.isOver, bytes.count == declared ?? bytes.count else {
            throw deadline.problem
        }
        end.cancel()
        return try await body(try request.message(in: bytes))
    }
}

/// Closes the connection of a client that is too slow.
private final class UploadDeadline: Sendable {
    private let state = Atomic<Bool>(false)

    var isOver: Bool { state.load(ordering: .acquiring) }

    /// The problem of a body that did not arrive in full.
    var problem: Problem { Problem(.malformed, status: isOver ? .requestTimeout : nil) }

    func schedule(in time: Duration, on channel: any Channel) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [self] in
            state.store(true, ordering: .releasing)
            // A connection, or one stream of an HTTP/2 connection.
            channel.close(promise: nil)
        }
    }
}

extension Request {
    /// The body's length as the request's header declares it; nil without one.
    fileprivate func declaredLength(atMost limit: Int) throws -> Int? {
        guard let declared = headers[.contentLength] else { return nil }
        guard let length = Int(declared), length >= 0 else { throw Problem(.malformed) }
        guard length <= limit else { throw Problem(.tooLarge) }
        return length
    }

    fileprivate func message<Message: CountedMessage>(in bytes: [UInt8]) throws -> Message {
        switch mediaType(.contentType) {
        case MessageBody.protobufType: try Message(counting: bytes)
        case MessageBody.jsonType: try Message(countingJSON: bytes)
        case nil where bytes.isEmpty: Message()
        default: throw Problem(.malformed, status: .unsupportedMediaType)
        }
    }
}
