// The bytes of an entry in an ``EntryList``: never on a disk, so they need no version.
//
// Every value has its own place in the order below; what may be missing has a mark before it.

struct EntryEncoder {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ entry: Entry) {
        for text in [entry.type, entry.title, entry.place, entry.userName, entry.note] {
            write(text)
        }
        write(entry.realm) { $0.write($1) }
        write(entry.secret) { $0.write($1) }
        write(entry.itemClass) { $0.write($1) }
        for flag in [entry.isFavorite, entry.isSynced, entry.hasOwnPlace] {
            bytes.append(flag.map { $0 ? 1 : 0 } ?? 2)
        }
        write(entry.created) { $0.write($1) }
        write(entry.changed) { $0.write($1) }
        write(entry.tags) { $0.write($1) }
        write(entry.addresses) {
            $0.write($1.text)
            $0.write($1.match)
        }
        write(entry.fields) {
            $0.write($1.name)
            $0.write($1.kind)
            $0.write($1.value)
        }
        write(entry.history) { encoder, earlier in
            for text in [earlier.what, earlier.name, earlier.kind] { encoder.write(text) }
            encoder.write(earlier.value)
            encoder.write(earlier.time) { $0.write($1) }
        }
        write(entry.attributes) { encoder, attribute in
            encoder.write(attribute.name)
            encoder.write(attribute.text) { $0.write($1) }
            encoder.write(attribute.data) { $0.write($1) }
            encoder.write(attribute.integer) { $0.write($1) }
            encoder.write(attribute.date) { $0.write($1) }
        }
    }

    /// Seven bits in each byte, the lowest first.
    private mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func write(_ number: Int64) { write(UInt64(bitPattern: number)) }

    private mutating func write(_ content: [UInt8]) {
        write(UInt64(content.count))
        bytes += content
    }

    private mutating func write(_ text: String) {
        write(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func write<Value>(_ value: Value?, _ body: (inout Self, Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }

    private mutating func write<Value>(_ list: [Value], _ body: (inout Self, Value) -> Void) {
        write(UInt64(list.count))
        for value in list { body(&self, value) }
    }
}

/// Reads what ``EntryEncoder`` has written in this process.
struct EntryDecoder {
    private let bytes: [UInt8]
    private var position: Int

    init(_ bytes: [UInt8], at position: Int) {
        (self.bytes, self.position) = (bytes, position)
    }

    mutating func entry() -> Entry {
        var entry = Entry()
        (entry.type, entry.title, entry.place) = (text(), text(), text())
        (entry.userName, entry.note) = (text(), text())
        entry.realm = optional { $0.text() }
        entry.secret = optional { $0.content() }
        entry.itemClass = optional { $0.text() }
        (entry.isFavorite, entry.isSynced, entry.hasOwnPlace) = (flag(), flag(), flag())
        entry.created = optional { $0.integer() }
        entry.changed = optional { $0.integer() }
        entry.tags = list { $0.text() }
        entry.addresses = list { .init($0.text(), $0.text()) }
        entry.fields = list { .init($0.text(), $0.text(), $0.content()) }
        entry.history = list { decoder in
            let (what, name, kind) = (decoder.text(), decoder.text(), decoder.text())
            return .init(
                what,
                name: name,
                kind: kind,
                value: decoder.content(),
                time: decoder.optional { $0.integer() }
            )
        }
        entry.attributes = list { decoder in
            var attribute = Entry.Attribute(decoder.text())
            attribute.text = decoder.optional { $0.text() }
            attribute.data = decoder.optional { $0.content() }
            attribute.integer = decoder.optional { $0.integer() }
            attribute.date = decoder.optional { $0.text() }
            return attribute
        }
        return entry
    }

    private mutating func byte() -> UInt8 {
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number() -> UInt64 {
        var (number, shift) = (0 as UInt64, 0 as UInt64)
        while true {
            let byte = byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    private mutating func integer() -> Int64 { Int64(bitPattern: number()) }

    private mutating func slice() -> ArraySlice<UInt8> {
        let count = Int(number())
        defer { position += count }
        return bytes[position..<position + count]
    }

    private mutating func content() -> [UInt8] { Array(slice()) }

    private mutating func text() -> String { String(decoding: slice(), as: UTF8.self) }

    private mutating func flag() -> Bool? {
        let byte = byte()
        return byte == 2 ? nil : byte == 1
    }

    private mutating func optional<Value>(_ body: (inout Self) -> Value) -> Value? {
        byte() == 0 ? nil : body(&self)
    }

    private mutating func list<Value>(_ body: (inout Self) -> Value) -> [Value] {
        let count = Int(number())
        var list: [Value] = []
        list.reserveCapacity(count)
        for _ in 0..<count { list.append(body(&self)) }
        return list
    }
}
