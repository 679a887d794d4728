internal import KSBytes
internal import KSDigests
internal import KSFileCiphers

/// Writes KeePass's XML, whose protected values are encrypted in their order.
struct DocumentWriter {
    /// Groups by their names; the outermost has none.
    private final class Group {
        let name: String
        /// Their numbers.
        var entries: [Int] = []
        var groups: [Group] = []

        init(_ name: String) { self.name = name }

        func group(_ path: ArraySlice<String>) -> Group {
            guard let name = path.first else { return self }
            if let found = groups.first(where: { $0.name == name }) {
                return found.group(path.dropFirst())
            }
            let group = Group(name)
            groups.append(group)
            return group.group(path.dropFirst())
        }
    }

    /// KeePass's own number.
    private static let historyMax = 10
    private static let pieceBytes = 1 << 16
    private static let emptyID = [UInt8](repeating: 0, count: 16)

    private let stream: KeyStream
    private let numbers: [[UInt8]: Int]
    private let random: any RandomSource
    private var bytes: [UInt8] = []

    init(stream: KeyStream, numbers: [[UInt8]: Int], random: any RandomSource) {
        (self.stream, self.numbers, self.random) = (stream, numbers, random)
    }

    /// Whether a text can stand in XML 1.0 as it is.
    static func isPlain(_ text: [UInt8]) -> Bool {
        guard let text = String(validating: text, as: UTF8.self) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x9, 0xA, 0xD: true
            case ..<0x20, 0xFFFE, 0xFFFF: false
            default: true
            }
        }
    }

    mutating func begin(_ historyLength: Int, _ time: Int64) {
        bytes += Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<KeePassFile><Meta>".utf8)
        element("Generator", "keychain-sync")
        element("DatabaseName", "Passwords")
        open("MemoryProtection")
        for name in ["Title", "UserName", "Password", "URL", "Notes"] {
            element("Protect\(name)", name == "Password" ? "True" : "False")
        }
        close("MemoryProtection")
        element("RecycleBinEnabled", "True")
        element("RecycleBinUUID", Self.emptyID)
        element("HistoryMaxItems", String(max(Self.historyMax, historyLength)))
        element("HistoryMaxSize", "-1")
        close("Meta")
        open("Root")
    }

    mutating func end() {
        bytes += Array("<DeletedObjects/></Root></KeePassFile>\n".utf8)
    }

    /// What is written since the last call.
    mutating func taken() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func write(
        _ entries: KeePassContents,
        _ time: Int64,
        _ take: ([UInt8]) throws(FileCipherError) -> Void
    ) throws(FileCipherError) {
        let root = Group("Passwords")
        for place in entries.places {
            root.group(place.path[...]).entries.append(place.number)
        }
        try write(root, entries, KeePassEntry.time(time), take)
    }

    private mutating func write(
        _ group: Group,
        _ entries: KeePassContents,
        _ time: String,
        _ take: ([UInt8]) throws(FileCipherError) -> Void
    ) throws(FileCipherError) {
        open("Group")
        element("UUID", random.bytes(16))
        element("Name", group.name)
        open("Times")
        element("CreationTime", time)
        element("LastModificationTime", time)
        close("Times")
        for number in group.entries {
            try write(entries.entry(number), id: random.bytes(16))
            if bytes.count >= Self.pieceBytes { try take(taken()) }
        }
        for inner in group.groups { try write(inner, entries, time, take) }
        close("Group")
    }

    // MARK: Entries

    private mutating func write(
        _ entry: KeePassEntry,
        id: [UInt8],
        isEarlier: Bool = false
    ) throws(FileCipherError) {
        open("Entry")
        element("UUID", id)
        element("IconID", "0")
        element("Tags", entry.tags)
        open("Times")
        element("CreationTime", entry.created)
        element("LastModificationTime", entry.changed)
        element("LastAccessTime", entry.changed)
        element("ExpiryTime", entry.expiry.isEmpty ? entry.created : entry.expiry)
        element("Expires", entry.expires ? "True" : "False")
        close("Times")
        for value in entry.values { try write(value) }
        for attachment in entry.attachments {
            guard let number = attachment.bytes.flatMap({ numbers[$0] }) else { continue }
            open("Binary")
            element("Key", attachment.name)
            bytes += Array("<Value Ref=\"\(number)\"/>".utf8)
            close("Binary")
        }
        if !isEarlier {
            open("History")
            for earlier in entry.history { try write(earlier, id: id, isEarlier: true) }
            close("History")
        }
        close("Entry")
    }

    private mutating func write(_ value: KeePassEntry.Value) throws(FileCipherError) {
        open("String")
        element("Key", value.name)
        // An encrypted value may have any bytes.
        if value.isProtected || !Self.isPlain(value.value) {
            var sealed = value.value
            try stream.apply(to: &sealed)
            bytes += Array("<Value Protected=\"True\">".utf8) + Base64Text.encode(sealed)
            close("Value")
        } else {
            open("Value")
            escape(value.value)
            close("Value")
        }
        close("String")
    }

    // MARK: XML

    private mutating func open(_ name: String) { bytes += Array("<\(name)>".utf8) }
    private mutating func close(_ name: String) { bytes += Array("</\(name)>".utf8) }

    private mutating func element(_ name: String, _ text: String) {
        open(name)
        escape(Array(text.utf8))
        close(name)
    }

    private mutating func element(_ name: String, _ id: [UInt8]) {
        open(name)
        bytes += Base64Text.encode(id)
        close(name)
    }

    private mutating func escape(_ text: [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            // A reader makes a line feed of it otherwise.
            case UInt8(ascii: "\r"): bytes += Array("&#13;".utf8)
            default: bytes.append(byte)
            }
        }
    }
}

extension KeePassEntry {
    /// From the year 1 to 1970.
    private static let secondsOfYear1: Int64 = 62_135_596_800

    /// A time in the form of version 4: the seconds since the year 1 in Base64.
    package static func time(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        let bytes = max(0, seconds + secondsOfYear1).littleEndianBytes
        return String(decoding: Base64Text.encode(bytes), as: UTF8.self)
    }

    /// Whether names, tags and groups can hold this text.
    package static func isName(_ text: String) -> Bool {
        DocumentWriter.isPlain(Array(text.utf8))
    }
}
