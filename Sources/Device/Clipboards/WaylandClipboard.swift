internal import Glibc
internal import KSSecrets

/// Sets the clipboard of a Wayland compositor that has a data control protocol.
///
/// Source: ext-data-control-v1 of wayland-protocols, and wlr-data-control-unstable-v1, whose
/// messages have the same numbers.
final class WaylandClipboard: HeldClipboard {
    private let connection: WaylandConnection
    private let text: SharedSecret
    private let device: UInt32
    private let source: UInt32
    private let limitMilliseconds: Int32
    private var isOurs = true

    /// The compositor has none of the protocols, or refused.
    struct Refused: Error {}

    private enum Interface {
        static let seat = "wl_seat"
        static let managers = ["ext_data_control_manager_v1", "zwlr_data_control_manager_v1"]
    }

    private enum Message {
        static let display: UInt32 = 1
        static let sync = 0
        static let getRegistry = 1
        static let bind = 0
        static let createSource = 0
        static let getDevice = 1
        static let offer = 0
        static let setSelection = 0
        static let destroyOffer = 1
    }

    private enum EventCode {
        static let error = 0
        static let global = 0
        static let send = 0
        static let cancelled = 1
        static let dataOffer = 0
    }

    let tellsChanges = true
    var descriptor: Int32 { connection.socket.descriptor }

    init(path: String, text: SharedSecret, limitMilliseconds: Int32 = 3000) throws {
        self.text = text
        self.limitMilliseconds = limitMilliseconds
        let connection = try WaylandConnection(path: path, limitMilliseconds: limitMilliseconds)
        self.connection = connection
        let registry = connection.newID()
        try connection.send(Message.display, Message.getRegistry, .ids(registry))
        var globals: [String: UInt32] = [:]
        try Self.waitForAnswers(connection) { event in
            guard event.object == registry, event.code == EventCode.global,
                let number = event.number(at: 0), let name = event.string(at: 4)
            else { return }
            // The first seat is the usual one.
            globals[name] = globals[name] ?? number
        }
        guard let seatNumber = globals[Interface.seat],
            let manager = Interface.managers.first(where: { globals[$0] != nil }),
            let managerNumber = globals[manager]
        else { throw Refused() }

        func bind(_ number: UInt32, _ interface: String) throws -> UInt32 {
            let id = connection.newID()
            var arguments = LittleEndianBytes.ids(number)
            arguments.putWayland(interface)
            arguments.put32(1)
            arguments.put32(id)
            try connection.send(registry, Message.bind, arguments)
            return id
        }
        let seat = try bind(seatNumber, Interface.seat)
        let managerID = try bind(managerNumber, manager)
        source = connection.newID()
        try connection.send(managerID, Message.createSource, .ids(source))
        let formats = ClipboardFormat.utf8 + (text.isASCII ? ClipboardFormat.ascii : [])
        for format in formats + [ClipboardFormat.hint] {
            var arguments = LittleEndianBytes()
            arguments.putWayland(format)
            try connection.send(source, Message.offer, arguments)
        }
        device = connection.newID()
        try connection.send(managerID, Message.getDevice, .ids(device, seat))
        try connection.send(device, Message.setSelection, .ids(source))
        try Self.waitForAnswers(connection) { event in handle(event) }
        guard isOurs else { throw Refused() }
    }

    func serve() -> Bool {
        do {
            while let event = try connection.nextEvent() {
                if event.object == Message.display, event.code == EventCode.error { return false }
                handle(event)
            }
            return isOurs
        } catch {
            // The compositor has gone.
            return false
        }
    }

    func clear() {
        guard isOurs else { return }
        do {
            try connection.send(device, Message.setSelection, .ids(0))
            try Self.waitForAnswers(connection) { _ in }
        } catch {
            // It gives the clipboard up when the connection closes too.
        }
    }

    private func handle(_ event: WaylandConnection.Event) {
        switch (event.object, event.code) {
        case (source, EventCode.send):
            guard let target = connection.takeDescriptor() else { return }
            defer { close(target) }
            let isHint = event.string(at: 0) == ClipboardFormat.hint
            let answer = isHint ? SharedSecret(bytes: ClipboardFormat.hintValue) : text
            answer.write(to: target, limitMilliseconds: limitMilliseconds)
        case (source, EventCode.cancelled): isOurs = false
        case (device, EventCode.dataOffer):
            // Others' texts do not matter here.
            guard let offer = event.number(at: 0) else { return }
            do { try connection.send(offer, Message.destroyOffer) } catch { isOurs = false }
        default: break
        }
    }

    /// Handles the events that answer the requests so far.
    private static func waitForAnswers(
        _ connection: WaylandConnection,
        _ handle: (WaylandConnection.Event) -> Void
    ) throws {
        let callback = connection.newID()
        try connection.send(Message.display, Message.sync, .ids(callback))
        while true {
            let event = try connection.waitForEvent()
            if event.object == Message.display, event.code == EventCode.error { throw Refused() }
            if event.object == callback { return }
            handle(event)
        }
    }
}

extension LittleEndianBytes {
    static func ids(_ ids: UInt32...) -> LittleEndianBytes {
        var bytes = LittleEndianBytes()
        for id in ids { bytes.put32(id) }
        return bytes
    }
}

extension SharedSecret {
    /// Writes all of it to a file or pipe, but gives up on one that takes nothing for this long.
    ///
    /// - Returns: whether all was written.
    @discardableResult
    func write(to descriptor: Int32, limitMilliseconds: Int32) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(descriptor, F_SETFL, flags) }
        return withBytes { bytes in
            unsafe bytes.withUnsafeBytes { source in
                var offset = 0
                while offset < source.count {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    let ready = unsafe poll(&wait, 1, limitMilliseconds)
                    if ready < 0, errno == EINTR { continue }
                    guard ready > 0 else { return false }
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: source[offset...])
                    let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                    guard count >= 0 || errno == EINTR || errno == EAGAIN else { return false }
                    offset += max(0, count)
                }
                return true
            }
        }
    }
}
