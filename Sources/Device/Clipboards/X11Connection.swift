internal import Glibc
internal import KSSecrets

/// What little of the X protocol a clipboard needs.
///
/// Source: "X Window System Protocol, Version 11", appendix B (encoding).
final class X11Connection {
    private typealias Bytes = LittleEndianBytes

    /// The server refused, or spoke something else.
    struct Refused: Error {}

    let socket: StreamSocket
    let rootWindow: UInt32
    /// The only window that this connection makes.
    let window: UInt32
    /// Events that came while a reply was awaited.
    private var events: [[UInt8]] = []

    private static let packetBytes = 32

    init(_ display: X11Display, authority: String?, limitMilliseconds: Int32) throws {
        if let host = display.host {
            socket = try StreamSocket(
                host: host,
                port: display.port,
                limitMilliseconds: limitMilliseconds
            )
        } else {
            socket = try StreamSocket(
                path: display.socketPath,
                limitMilliseconds: limitMilliseconds
            )
        }
        let cookie = authority.map(Self.file).flatMap { file in
            X11Authority.cookie(in: file, for: display, hostName: Self.hostName)
        }
        var hello = Bytes()
        hello.put8(UInt8(ascii: "l"))
        hello.put8(0)
        hello.put16(11)
        hello.put16(0)
        let name = cookie == nil ? [] : Array(X11Authority.protocolName.utf8)
        hello.put16(name.count)
        hello.put16(cookie?.count ?? 0)
        hello.put16(0)
        hello.putPadded(name)
        hello.putPadded(cookie ?? [])
        try socket.write(hello.bytes)
        let head = try socket.read(8)
        let rest = try socket.read(4 * Bytes.read16(head, at: 6))
        guard head[0] == 1, rest.count >= 32 else { throw Refused() }
        let vendorBytes = (Bytes.read16(rest, at: 16) + 3) / 4 * 4
        let root = 32 + vendorBytes + 8 * Int(rest[21])
        guard rest[20] > 0, rest.count >= root + 4 else { throw Refused() }
        rootWindow = Bytes.read32(rest, at: root)
        // Any id with bits of the mask only is free.
        window = Bytes.read32(rest, at: 4) | 1
    }

    /// Makes the window, which nobody ever sees, and asks to hear when its properties change.
    func makeWindow() throws {
        var request = Bytes()
        request.put8(1)
        request.put8(0)
        request.put16(9)
        request.put32(window)
        request.put32(rootWindow)
        for _ in 0..<2 { request.put16(0) }
        for _ in 0..<2 { request.put16(1) }
        request.put16(0)
        request.put16(2)  // InputOnly
        request.put32(0)
        request.put32(1 << 11)  // The value that follows is the event mask,
        request.put32(1 << 22)  // which is PropertyChange.
        try socket.write(request.bytes)
    }

    func atom(_ name: String) throws -> UInt32 {
        var request = Bytes()
        request.put8(16)
        request.put8(0)
        request.put16(2 + (name.utf8.count + 3) / 4)
        request.put16(name.utf8.count)
        request.put16(0)
        request.putPadded(Array(name.utf8))
        try socket.write(request.bytes)
        return Bytes.read32(try reply(), at: 8)
    }

    /// Writes a property of a window; `unitBits` is 8 or 32.
    func setProperty(
        _ property: UInt32,
        of window: UInt32,
        type: UInt32,
        unitBits: Int,
        byteCount: Int,
        write: () throws -> Void
    ) throws {
        let padding = (4 - byteCount % 4) % 4
        var request = Bytes()
        request.put8(18)
        request.put8(0)
        request.put16(6 + (byteCount + padding) / 4)
        request.put32(window)
        request.put32(property)
        request.put32(type)
        request.put32(UInt32(unitBits))
        request.put32(UInt32(byteCount * 8 / unitBits))
        try socket.write(request.bytes)
        try write()
        if padding > 0 { try socket.write([UInt8](repeating: 0, count: padding)) }
    }

    func setProperty(
        _ property: UInt32,
        of window: UInt32,
        type: UInt32,
        unitBits: Int,
        _ value: [UInt8]
    ) throws {
        try setProperty(
            property,
            of: window,
            type: type,
            unitBits: unitBits,
            byteCount: value.count
        ) { if !value.isEmpty { try socket.write(value) } }
    }

    /// Makes a window the owner of a selection; 0 stands for none.
    func own(selection: UInt32, by window: UInt32, since time: UInt32) throws {
        var request = Bytes()
        request.put8(22)
        request.put8(0)
        request.put16(4)
        request.put32(window)
        request.put32(selection)
        request.put32(time)
        try socket.write(request.bytes)
    }

    func owner(ofSelection selection: UInt32) throws -> UInt32 {
        var request = Bytes()
        request.put8(23)
        request.put8(0)
        request.put16(2)
        request.put32(selection)
        try socket.write(request.bytes)
        return Bytes.read32(try reply(), at: 8)
    }

    /// Sends an event of 32 bytes to a window's owner.
    func send(_ event: [UInt8], to window: UInt32) throws {
        var request = Bytes()
        request.put8(25)
        request.put8(0)
        request.put16(11)
        request.put32(window)
        request.put32(0)
        try socket.write(request.bytes + event)
    }

    /// Waits for an event.
    func nextEvent() throws -> [UInt8] {
        if !events.isEmpty { return events.removeFirst() }
        while true {
            let packet = try nextPacket()
            // Errors concern windows of others that have gone; nobody awaits a reply here.
            if packet[0] > 1 { return packet }
        }
    }

    var hasEvent: Bool { !events.isEmpty || socket.isReadable }

    private func reply() throws -> [UInt8] {
        while true {
            let packet = try nextPacket()
            switch packet[0] {
            case 0: throw Refused()
            case 1: return packet
            default: events.append(packet)
            }
        }
    }

    /// An error (0), a reply (1) or an event, each of 32 bytes; only these replies are longer.
    private func nextPacket() throws -> [UInt8] {
        let packet = try socket.read(Self.packetBytes)
        let isReply = packet[0] == 1
        // GenericEvent, which nobody asks for here, has a length too.
        guard isReply || packet[0] & 0x7F == 35 else { return packet }
        let more = Int(Bytes.read32(packet, at: 4)) * 4
        guard more <= 1 << 20 else { throw Refused() }
        return packet + (more > 0 ? try socket.read(more) : [])
    }

    private static func file(_ path: String) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while bytes.count < 1 << 20, case let count = unsafe read(file, &part, part.count),
            count > 0
        { bytes += part.prefix(count) }
        return bytes
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }
}
