internal import KSSecrets

/// Owns the selection CLIPBOARD of an X server, and never PRIMARY, which a click pastes.
///
/// Ending the process gives it up. Source: "Inter-Client Communication Conventions Manual",
/// section 2.
final class X11Clipboard: HeldClipboard {
    private let connection: X11Connection
    private let text: SharedSecret
    private let isASCII: Bool
    private let atoms: Atoms
    private let ownedSince: UInt32
    private var isOver = false

    /// The numbers that the server gives to names.
    private struct Atoms {
        let clipboard: UInt32
        let targets: UInt32
        let timestamp: UInt32
        let multiple: UInt32
        let hint: UInt32
        let texts: [(name: String, atom: UInt32)]

        /// X11's own names have fixed numbers.
        static let atomType: UInt32 = 4
        static let integerType: UInt32 = 19

        init(_ connection: X11Connection, names: [String]) throws {
            clipboard = try connection.atom("CLIPBOARD")
            targets = try connection.atom("TARGETS")
            timestamp = try connection.atom("TIMESTAMP")
            multiple = try connection.atom("MULTIPLE")
            hint = try connection.atom(ClipboardFormat.hint)
            texts = try names.map { ($0, try connection.atom($0)) }
        }
    }

    let tellsChanges = true
    var descriptor: Int32 { connection.socket.descriptor }

    init(
        _ display: X11Display,
        authority: String?,
        text: SharedSecret,
        limitMilliseconds: Int32 = 3000
    ) throws {
        connection = try X11Connection(
            display,
            authority: authority,
            limitMilliseconds: limitMilliseconds
        )
        self.text = text
        isASCII = text.isASCII
        let names = ClipboardFormat.utf8 + (isASCII ? ClipboardFormat.ascii : [])
        atoms = try Atoms(connection, names: names)
        try connection.makeWindow()
        // Only a change tells the server's time, and a selection must be owned since a real one.
        try connection.setProperty(
            atoms.timestamp,
            of: connection.window,
            type: Atoms.integerType,
            unitBits: 32,
            []
        )
        var event = try connection.nextEvent()
        while event[0] & 0x7F != EventCode.propertyNotify { event = try connection.nextEvent() }
        ownedSince = LittleEndianBytes.read32(event, at: 12)
        try connection.own(
            selection: atoms.clipboard,
            by: connection.window,
            since: ownedSince
        )
        guard try connection.owner(ofSelection: atoms.clipboard) == connection.window else {
            throw X11Connection.Refused()
        }
    }

    private enum EventCode {
        static let propertyNotify: UInt8 = 28
        static let selectionClear: UInt8 = 29
        static let selectionRequest: UInt8 = 30
        static let selectionNotify: UInt8 = 31
    }

    func serve() -> Bool {
        do {
            while connection.hasEvent {
                let event = try connection.nextEvent()
                switch event[0] & 0x7F {
                case EventCode.selectionRequest: try answer(event)
                case EventCode.selectionClear
                where LittleEndianBytes.read32(event, at: 12) == atoms.clipboard:
                    return false
                default: break
                }
            }
            return true
        } catch {
            // The server has gone, and the selection with it.
            return false
        }
    }

    /// Gives the selection up, and refuses the requests that came before.
    ///
    /// A program whose request is left open by a connection that closes would wait for ever.
    func clear() {
        isOver = true
        do {
            try connection.own(selection: atoms.clipboard, by: 0, since: ownedSince)
            // The events before this reply are all there will be.
            _ = try connection.owner(ofSelection: atoms.clipboard)
            _ = serve()
        } catch {
            // The server has gone, and the selection with it.
        }
    }

    private func answer(_ event: [UInt8]) throws {
        let time = LittleEndianBytes.read32(event, at: 4)
        let requestor = LittleEndianBytes.read32(event, at: 12)
        let selection = LittleEndianBytes.read32(event, at: 16)
        let target = LittleEndianBytes.read32(event, at: 20)
        var property = LittleEndianBytes.read32(event, at: 24)
        // Clients from before the conventions leave it out.
        if property == 0 { property = target }
        let isServed =
            selection == atoms.clipboard && !isOver
            ? try put(target, into: property, of: requestor) : false
        var notice = LittleEndianBytes()
        notice.put32(UInt32(EventCode.selectionNotify))
        notice.put32(time)
        notice.put32(requestor)
        notice.put32(selection)
        notice.put32(target)
        notice.put32(isServed ? property : 0)
        notice.put32(0)
        notice.put32(0)
        try connection.send(notice.bytes, to: requestor)
    }

    /// - Returns: false for a form that is not offered.
    private func put(_ target: UInt32, into property: UInt32, of window: UInt32) throws -> Bool {
        switch target {
        case atoms.targets:
            var list = LittleEndianBytes()
            let offered = [atoms.targets, atoms.timestamp, atoms.hint] + atoms.texts.map(\.atom)
            for atom in offered { list.put32(atom) }
            try connection.setProperty(
                property,
                of: window,
                type: Atoms.atomType,
                unitBits: 32,
                list.bytes
            )
        case atoms.timestamp:
            var time = LittleEndianBytes()
            time.put32(ownedSince)
            try connection.setProperty(
                property,
                of: window,
                type: Atoms.integerType,
                unitBits: 32,
                time.bytes
            )
        case atoms.hint:
            try connection.setProperty(
                property,
                of: window,
                type: atoms.hint,
                unitBits: 8,
                ClipboardFormat.hintValue
            )
        default:
            guard let form = atoms.texts.first(where: { $0.atom == target }) else { return false }
            // The owner chooses the type of TEXT.
            let type = form.name == "TEXT" ? atoms.texts.first { $0.name == "STRING" } : form
            try connection.setProperty(
                property,
                of: window,
                type: (type ?? form).atom,
                unitBits: 8,
                byteCount: text.count
            ) { try connection.socket.write(text) }
        }
        return true
    }
}

extension SharedSecret {
    var isASCII: Bool {
        withBytes { bytes in
            (0..<bytes.byteCount).allSatisfy { index in
                unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) < 0x80
            }
        }
    }
}
