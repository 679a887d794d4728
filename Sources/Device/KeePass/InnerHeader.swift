/// The header of version 4 within the encrypted contents.
struct InnerHeader {
    enum Field {
        static let end: UInt8 = 0
        static let streamCipher: UInt8 = 1
        static let streamKey: UInt8 = 2
        static let binary: UInt8 = 3
    }

    private static let headByteCount = 5
    /// What a field takes beside its bytes.
    private static let fieldCost = 64

    /// The number and the length of the field that is read.
    private var head: [UInt8] = []
    private var value: [UInt8] = []
    private(set) var streamCipher: UInt32 = 0
    private(set) var streamKey: [UInt8] = []
    /// Attachments in the order of their numbers.
    private(set) var binaries: [[UInt8]] = []
    private var bytesUsed = 0

    /// Takes the next piece, without ever copying a whole attachment.
    ///
    /// - Returns: what follows the header, once it is complete.
    mutating func feed(
        _ piece: ArraySlice<UInt8>,
        bytesMax: Int
    ) throws(KeePassError) -> ArraySlice<UInt8>? {
        var rest = piece
        while true {
            let missing = Self.headByteCount - head.count
            head += rest.prefix(missing)
            rest = rest.dropFirst(missing)
            guard head.count == Self.headByteCount else { return nil }
            let count = Int(UInt32(littleEndian: head.dropFirst()))
            guard bytesUsed + count + Self.fieldCost <= bytesMax else { throw .tooLarge }
            let more = count - value.count
            value += rest.prefix(more)
            rest = rest.dropFirst(more)
            guard value.count == count else { return nil }
            bytesUsed += count + Self.fieldCost
            switch head[0] {
            case Field.end: return rest
            case Field.streamCipher: streamCipher = UInt32(littleEndian: value.prefix(4))
            case Field.streamKey: streamKey = value
            case Field.binary:
                // It says whether programs protect the attachment in memory.
                if !value.isEmpty { value.removeFirst() }
                binaries.append(value)
            default: break
            }
            (head, value) = ([], [])
        }
    }
}
