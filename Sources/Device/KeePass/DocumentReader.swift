internal import KSBytes
internal import KSFileCiphers

/// Makes entries of KeePass's XML, one after the other.
final class DocumentReader: XMLHandler {
    typealias Take = (KeePassEntry, _ group: Int) -> Void

    /// Where an element stands; what is not known is a leaf or has leaves.
    private enum Place {
        case file, meta, binaries, root, group, entry, history, times, string, binary, autoType
        case association, customData, other
    }

    private struct Element {
        let name: String
        let place: Place
        var isProtected = false
        var isHidden = false
        var isCompressed = false
        /// The number of a binary, where it stands or where an entry refers to it.
        var number: String?
    }

    /// Of a hostile file: how many entries, with earlier versions.
    private static let versionsMax = 1_000_000
    /// What a value, an element or an entry takes beside its bytes.
    private static let valueCost = 16
    private static let entryCost = 64
    private static let groupCost = 128
    /// What a part of one entry takes: no program's entries have as many as this allows.
    private static let partCost = 400
    /// The most bytes of an entry's texts with its earlier versions, or of another text.
    ///
    /// Reading takes several times as much memory. Attachments within the XML have no such bound.
    private static let textBytesMax = 8 << 20

    private let take: Take
    private let entriesMax: Int
    /// What may still be kept in memory.
    private var bytesLeft: Int
    private let stream: KeyStream?
    /// By their numbers.
    private var binaries: [String: [UInt8]]
    private let headerHash: [UInt8]?

    private(set) var database = KeePassDatabase()
    private var elements: [Element] = []
    private var groups: [Int] = []
    /// The open entry, and around an earlier version the later one.
    private var entries: [KeePassEntry] = []
    private var text: [UInt8] = []
    /// The bytes of texts since the outermost entry began, with what parts take beside them.
    private var textBytes = 0
    /// What entries may refer to: each attachment once, and a few twice.
    private var referenceBytesLeft = 8 << 20
    private var value = KeePassEntry.Value("", [])
    private var attachment = KeePassEntry.Attachment("", nil)
    private var (count, versions) = (0, 0)

    init(
        stream: KeyStream?,
        binaries: [[UInt8]],
        headerHash: [UInt8]? = nil,
        bytesMax: Int,
        entriesMax: Int,
        take: @escaping Take
    ) {
        self.stream = stream
        self.binaries = [:]
        for (number, bytes) in binaries.enumerated() {
            self.binaries[String(number)] = bytes
            referenceBytesLeft += bytes.count
        }
        (self.headerHash, self.bytesLeft) = (headerHash, bytesMax)
        (self.entriesMax, self.take) = (entriesMax, take)
    }

    private static func place(_ name: String, in place: Place?) -> Place? {
        switch (place, name) {
        case (nil, "KeePassFile"): .file
        case (.file, "Meta"): .meta
        case (.file, "Root"): .root
        case (.meta, "Binaries"): .binaries
        case (.root, "Group"), (.group, "Group"): .group
        case (.group, "Entry"), (.history, "Entry"): .entry
        case (.entry, "History"): .history
        case (.entry, "Times"): .times
        case (.entry, "String"): .string
        case (.entry, "Binary"): .binary
        case (.entry, "AutoType"): .autoType
        case (.autoType, "Association"): .association
        case (.entry, "CustomData"): .customData
        case (nil, _): nil
        default: .other
        }
    }

    // MARK: Events

    func start(_ name: String, _ attributes: [String: String]) throws(KeePassError) {
        guard let place = Self.place(name, in: elements.last?.place) else { throw .notKeePass }
        var element = Element(name: name, place: place)
        element.isProtected = attributes["Protected"] == "True"
        element.isHidden = element.isProtected || attributes["ProtectInMemory"] == "True"
        element.isCompressed = attributes["Compressed"] == "True"
        element.number = attributes["ID"] ?? attributes["Ref"]
        elements.append(element)
        text = []
        if entries.isEmpty { textBytes = 0 }
        switch place {
        case .group:
            try spend(Self.groupCost)
            var group = KeePassDatabase.Group()
            group.parent = groups.last
            groups.append(database.groups.count)
            database.groups.append(group)
        case .entry:
            versions += 1
            count += entries.isEmpty ? 1 : 0
            guard count <= entriesMax, versions <= Self.versionsMax, entries.count < 2 else {
                throw .tooManyEntries
            }
            try spend(Self.entryCost)
            try count(Self.partCost)
            entries.append(KeePassEntry())
        case .string:
            try count(Self.partCost)
            value = .init("", [])
        case .binary:
            try count(Self.partCost)
            attachment = .init("", nil)
        case .other where elements.dropLast().last?.place == .customData:
            change { $0.others.insert("the data of plug-ins") }
        default: break
        }
    }

    func text(_ bytes: [UInt8]) throws(KeePassError) {
        guard elements.last?.place == .other else { return }
        try spend(bytes.count)
        let isAttachment = [.binary, .binaries].contains(elements.dropLast().last?.place)
        if !isAttachment { try count(bytes.count) }
        text += bytes
    }

    func end() throws(KeePassError) {
        guard let element = elements.popLast() else { return }
        switch element.place {
        case .other: try close(element)
        case .group: groups.removeLast()
        case .entry: closeEntry()
        case .string:
            try spend(Self.valueCost)
            change { $0.values.append(value) }
        case .binary:
            try spend(Self.valueCost)
            change { $0.attachments.append(attachment) }
        default: break
        }
        let keepsText = [.string, .entry, .times, .group].contains(elements.last?.place)
        if !keepsText { bytesLeft += text.count }
        text = []
    }

    private func spend(_ bytes: Int) throws(KeePassError) {
        bytesLeft -= bytes
        guard bytesLeft >= 0 else { throw .tooLarge }
    }

    /// Counts what belongs to the entry, or to an element outside of entries.
    private func count(_ bytes: Int) throws(KeePassError) {
        textBytes += bytes
        guard textBytes <= Self.textBytesMax else { throw .tooLarge }
    }

    private func change(_ body: (inout KeePassEntry) -> Void) {
        guard !entries.isEmpty else { return }
        body(&entries[entries.count - 1])
    }

    private func closeEntry() {
        guard let entry = entries.popLast() else { return }
        if entries.isEmpty {
            if let group = groups.last { take(entry, group) }
        } else {
            change { $0.history.append(entry) }
        }
    }

    // MARK: Leaves

    private func close(_ element: Element) throws(KeePassError) {
        var bytes = text
        if element.isProtected, !bytes.isEmpty {
            // The key stream goes on from one value to the next, whatever they are for.
            guard let stream, let sealed = Base64Text.decode(withBlanks: bytes) else {
                throw .damaged
            }
            bytes = sealed
            do throws(FileCipherError) {
                try stream.apply(to: &bytes)
            } catch {
                throw .damaged
            }
        }
        switch elements.last?.place {
        case .meta: closeMeta(element, bytes)
        case .binaries:
            let contents = try unpacked(bytes, element)
            if let number = element.number { binaries[number] = contents }
            referenceBytesLeft += contents.count
        case .group: closeGroup(element, bytes)
        case .entry: closePart(element, bytes)
        case .times: closeTime(element, bytes)
        case .string:
            if element.name == "Key" { value.name = String(decoding: bytes, as: UTF8.self) }
            if element.name == "Value" {
                (value.value, value.isProtected) = (bytes, element.isHidden)
            }
        case .binary:
            if element.name == "Key" { attachment.name = String(decoding: bytes, as: UTF8.self) }
            if element.name == "Value" {
                attachment.bytes =
                    if let number = element.number { try referred(number) } else {
                        try unpacked(bytes, element)
                    }
            }
        // pykeepass writes an association of nothing.
        case .autoType, .association:
            guard !Self.isUsual(element.name, bytes) else { return }
            change { $0.others.insert("the settings for auto-type") }
        default: break
        }
    }

    private func referred(_ number: String) throws(KeePassError) -> [UInt8]? {
        // Of earlier versions no attachment is kept.
        if entries.count == 1 { referenceBytesLeft -= binaries[number]?.count ?? 0 }
        guard referenceBytesLeft >= 0 else { throw .tooLarge }
        return binaries[number]
    }

    /// The contents of a binary that stands in the XML.
    private func unpacked(_ bytes: [UInt8], _ element: Element) throws(KeePassError) -> [UInt8] {
        guard let packed = element.isProtected ? bytes : Base64Text.decode(withBlanks: bytes) else {
            throw .damaged
        }
        guard element.isCompressed else {
            try spend(packed.count)
            return packed
        }
        let gunzip = try Gunzip()
        var result: [UInt8] = []
        try gunzip.unpack(packed[...]) { piece throws(KeePassError) in
            try spend(piece.count)
            result += piece
        }
        try gunzip.finish()
        return result
    }

    private func closeMeta(_ element: Element, _ bytes: [UInt8]) {
        switch element.name {
        case "RecycleBinUUID": database.binID = Base64Text.decode(withBlanks: bytes) ?? []
        case "HeaderHash":
            guard let headerHash, !bytes.isEmpty else { return }
            database.hasStaleHash = Base64Text.decode(withBlanks: bytes) != headerHash
        default: break
        }
    }

    private func closeGroup(_ element: Element, _ bytes: [UInt8]) {
        guard let group = groups.last else { return }
        switch element.name {
        case "UUID": database.groups[group].id = Base64Text.decode(withBlanks: bytes) ?? []
        case "Name": database.groups[group].name = String(decoding: bytes, as: UTF8.self)
        case "Notes", "IconID", "CustomIconUUID", "Tags", "DefaultAutoTypeSequence",
            "EnableAutoType", "EnableSearching":
            if !Self.isUsual(element.name, bytes, ofGroup: true) {
                database.groups[group].hasOthers = true
            }
        default: break
        }
    }

    private func closePart(_ element: Element, _ bytes: [UInt8]) {
        change { entry in
            switch element.name {
            case "UUID": entry.id = Base64Text.decode(withBlanks: bytes) ?? []
            case "Tags": entry.tags = String(decoding: bytes, as: UTF8.self)
            default:
                guard let part = Self.others[element.name], !Self.isUsual(element.name, bytes)
                else { return }
                entry.others.insert(part)
            }
        }
    }

    /// Elements of an entry that no item holds, by what people call them.
    private static let others = [
        "IconID": "the icon", "CustomIconUUID": "the icon", "ForegroundColor": "the colors",
        "BackgroundColor": "the colors", "OverrideURL": "the address for the browser",
        "QualityCheck": "the mark to leave it out of checks",
    ]

    /// Whether an element says what programs write by themselves.
    private static func isUsual(_ name: String, _ bytes: [UInt8], ofGroup: Bool = false) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        switch name {
        // A folder, closed or open, and a key.
        case "IconID": return (ofGroup ? ["", "48", "49"] : ["", "0"]).contains(text)
        case "CustomIconUUID":
            return Base64Text.decode(withBlanks: bytes)?.contains { $0 != 0 } != true
        case "Enabled", "QualityCheck": return text != "false"
        case "EnableAutoType", "EnableSearching": return ["", "null"].contains(text)
        case "DataTransferObfuscation": return ["", "0"].contains(text)
        default: return bytes.isEmpty
        }
    }

    private func closeTime(_ element: Element, _ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        change { entry in
            switch element.name {
            case "CreationTime": entry.created = text
            case "LastModificationTime": entry.changed = text
            case "ExpiryTime": entry.expiry = text
            case "Expires": entry.expires = text.lowercased() == "true"
            default: break
            }
        }
    }
}
