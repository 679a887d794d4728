/// One server-sent event.
package struct ServerEvent: Sendable, Equatable {
    /// `message` if the server gives no name.
    package let name: String
    package let data: String

    package init(name: String, data: String) {
        self.name = name
        self.data = data
    }
}

/// Parses a stream of bytes into events.
///
/// Source: WHATWG HTML, section 9.2.6 "Interpreting an event stream". Ids and retry times are
/// ignored, because a client asks for missed writes by its cursor.
package struct ServerEventParser: Sendable {
    /// More than any event of the protocol.
    package static let eventBytesMax = 64 << 10

    private var line: [UInt8] = []
    private var lastWasCarriageReturn = false
    private var isFirstLine = true
    private var name = ""
    private var data: [String] = []
    private var dataBytes = 0

    package init() {}

    /// Parses received bytes, and returns the events that they complete.
    ///
    /// - Throws: ``TransportError/tooLarge`` for an event above the limit.
    package mutating func receive(
        _ bytes: some Sequence<UInt8>
    ) throws(TransportError) -> [ServerEvent] {
        var events: [ServerEvent] = []
        for byte in bytes {
            // A line ends in CR, LF or both.
            let followsCarriageReturn = lastWasCarriageReturn
            lastWasCarriageReturn = byte == 0x0D
            if byte == 0x0A && followsCarriageReturn { continue }
            guard byte == 0x0A || byte == 0x0D else {
                line.append(byte)
                guard line.count + dataBytes <= Self.eventBytesMax else { throw .tooLarge }
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> ServerEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event":
            name = String(decoding: value, as: UTF8.self)
        case "data":
            data.append(String(decoding: value, as: UTF8.self))
            dataBytes += value.count + 1
        default:
            break
        }
        return nil
    }

    private mutating func endEvent() -> ServerEvent? {
        defer {
            name = ""
            data = []
            dataBytes = 0
        }
        guard !data.isEmpty else { return nil }
        return ServerEvent(
            name: name.isEmpty ? "message" : name,
            data: data.joined(separator: "\n")
        )
    }
}
