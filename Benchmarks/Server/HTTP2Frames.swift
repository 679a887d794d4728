internal import NIOCore

/// The frames of HTTP/2 that a client of this one server needs (RFC 9113, section 6).
enum FrameKind: UInt8 {
    case data = 0
    case headers = 1
    case resetStream = 3
    case settings = 4
    case ping = 6
    case goAway = 7
    case windowUpdate = 8
}

enum FrameFlags {
    /// Of DATA and HEADERS.
    static let endStream: UInt8 = 1
    /// Of SETTINGS and PING.
    static let acknowledgement: UInt8 = 1
    static let endHeaders: UInt8 = 4
}

struct Frame {
    var kind: UInt8
    var flags: UInt8
    var stream: Int
    var payload: ByteBuffer

    static let headByteCount = 9
}

extension ByteBuffer {
    /// The next whole frame; nil if more has to arrive first.
    mutating func readFrame() -> Frame? {
        guard readableBytes >= Frame.headByteCount,
            let length: UInt32 = getInteger(at: readerIndex),
            readableBytes >= Frame.headByteCount + Int(length >> 8)
        else { return nil }
        moveReaderIndex(forwardBy: 3)
        guard let kind: UInt8 = readInteger(), let flags: UInt8 = readInteger(),
            let stream: UInt32 = readInteger(), let payload = readSlice(length: Int(length >> 8))
        else { return nil }
        return Frame(
            kind: kind,
            flags: flags,
            stream: Int(stream & 0x7FFF_FFFF),
            payload: payload
        )
    }

    mutating func writeFrame(
        _ kind: FrameKind,
        flags: UInt8 = 0,
        stream: Int = 0,
        _ payload: some Collection<UInt8> = []
    ) {
        writeInteger(UInt32(payload.count) << 8 | UInt32(kind.rawValue))
        writeInteger(flags)
        writeInteger(UInt32(stream))
        writeBytes(payload)
    }
}

/// Header fields in the simplest form that HPACK allows: no table, no Huffman code (RFC 7541).
struct HeaderBlock {
    private(set) var bytes: [UInt8] = []

    /// Indices of RFC 7541, appendix A.
    private enum Name {
        static let authority = 1
        static let path = 4
        static let authorization = 23
        static let contentLength = 28
        static let contentType = 31
    }

    init(method: String, path: String, authority: String, token: String, bodyCount: Int?) {
        // :method GET is 2, POST is 3; :scheme https is 7.
        bytes.append(0x80 | (method == "GET" ? 2 : 3))
        bytes.append(0x80 | 7)
        add(Name.authority, authority)
        add(Name.path, path)
        add(Name.authorization, "Bearer " + token)
        if let bodyCount {
            add(Name.contentType, "application/x-protobuf")
            add(Name.contentLength, String(bodyCount))
        }
    }

    private mutating func add(_ name: Int, _ value: String) {
        add(name, prefixBits: 4)
        add(value.utf8.count, prefixBits: 7)
        bytes += value.utf8
    }

    /// An integer (section 5.1).
    private mutating func add(_ number: Int, prefixBits: Int) {
        let limit = 1 << prefixBits - 1
        guard number >= limit else {
            bytes.append(UInt8(number))
            return
        }
        bytes.append(UInt8(limit))
        var rest = number - limit
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The status of an answer, which comes first; 0 if it is in a form that is not read here.
    static func status(of block: ByteBuffer) -> Int {
        var rest = block
        while let first: UInt8 = rest.readInteger() {
            switch first {
            // The size of the table changes.
            case 0x20...0x3F: continue
            case 0x88: return 200
            case 0x89: return 204
            case 0x8C: return 400
            case 0x8D: return 404
            case 0x8E: return 500
            // A value of its own under the name :status.
            case 0x08, 0x18, 0x48:
                guard let length: UInt8 = rest.readInteger(), length < 128,
                    let text = rest.readString(length: Int(length))
                else { return 0 }
                return Int(text) ?? 0
            default: return 0
            }
        }
        return 0
    }
}
