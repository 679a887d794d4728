internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SwiftProtobuf
internal import Synchronization
internal import KSWire

/// The memory that the bodies of all requests take, from their first byte until they are dealt
/// with.
final class UploadRoom: Sendable {
    private let bytesMax: Int
    private let bytes = Mutex(0)

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    var bytesTaken: Int { bytes.withLock { $0 } }

    /// - Throws: ``Problem`` `unavailable` when there is no room for so much.
    func take(_ count: Int) throws {
        try bytes.withLock { bytes in
            guard bytes + count <= bytesMax else { throw Problem(.unavailable) }
            bytes += count
        }
    }

    func giveBack(_ count: Int) {
        bytes.withLock { $0 -= count }
    }
}

/// Takes what requests bring, within bounds of length, time, memory and number.
struct Uploads: Sendable {
    let room: UploadRoom
    /// From when a body is asked for until all of it is there, beside what its bytes take at the
    /// least rate.
    let timeMax: Duration
    let bytesPerSecondMin: Int

    /// Does something with the message in a request's body, which has room until that is done.
    ///
    /// - Throws: ``Problem`` `tooLarge`, `malformed` and `unavailable`. A client that goes away
    ///   before all is said, or is too slow and is cut off, is one more that cannot be read.
    func withMessage<Message: CountedMessage, Value>(
        _ type: Message.Type,
        of request: Request,
        _ context: SyncRequestContext,
        atMost limit: Int,
        _ body: (Message) async throws -> Value
    ) async throws -> Value {
        // What is declared too large is refused before anything is read.
        let declared = try request.declaredLength(atMost: limit)
        var bytes: [UInt8] = []
        defer { room.giveBack(bytes.count) }
        let deadline = UploadDeadline()
        let bytesTime = Duration.seconds(1) * (declared ?? limit) / bytesPerSecondMin
        let end = deadline.schedule(in: timeMax + bytesTime, on: context.channel)
        defer { end.cancel() }
        do {
            for try await part in request.body {
                guard bytes.count + part.readableBytes <= limit else { throw Problem(.tooLarge) }
                try room.take(part.readableBytes)
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            // Whatever the connection broke with: there is nobody to tell.
            throw deadline.problem
        }
        guard !deadline.isOver, bytes.count == declared ?? bytes.count else {
            throw deadline.problem
        }
        end.cancel()
        return try await body(try request.message(in: bytes))
    }
}

/// Cuts off a client that is too slow.
private final class UploadDeadline: Sendable {
    private let state = Atomic<Bool>(false)

    var isOver: Bool { state.load(ordering: .acquiring) }

    /// What became of the body that never came to its end.
    var problem: Problem { Problem(.malformed, status: isOver ? .requestTimeout : nil) }

    func schedule(in time: Duration, on channel: any Channel) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(time)) { [self] in
            state.store(true, ordering: .releasing)
            // A connection, or of HTTP/2 one stream of it.
            channel.close(promise: nil)
        }
    }
}

extension Request {
    /// The length that the head says the body has; nil when it says none.
    fileprivate func declaredLength(atMost limit: Int) throws -> Int? {
        guard let declared = headers[.contentLength] else { return nil }
        guard let length = Int(declared), length >= 0 else { throw Problem(.malformed) }
        guard length <= limit else { throw Problem(.tooLarge) }
        return length
    }

    fileprivate func message<Message: CountedMessage>(in bytes: [UInt8]) throws -> Message {
        do {
            switch mediaType(.contentType) {
            case MessageBody.protobufType: return try Message(counting: bytes)
            case MessageBody.jsonType: return try Message(countingJSON: bytes)
            case nil where bytes.isEmpty: return Message()
            default: throw Problem(.malformed, status: .unsupportedMediaType)
            }
        } catch let problem as Problem {
            throw problem
        } catch WireError.tooLarge {
            throw Problem(.tooLarge)
        } catch {
            throw Problem(.malformed)
        }
    }
}
