internal import KSBytes
internal import KSDigests

/// `kSecAttrSHA1`: the SHA-1 of an item's contents, the same for equal items.
///
/// It is taken over a property list in DER, as Apple's is: a set of pairs (name, value), text as
/// UTF8String, data as OCTET STRING, numbers as INTEGER, dates as GeneralizedTime. What belongs to
/// this device alone is left out, so that the digest is the same on all devices of an account.
package enum ItemDigest {
    package static func of(_ item: Item) -> [UInt8] {
        SHA1.hash(encoded(item))
    }

    /// The property list itself.
    package static func encoded(_ item: Item) -> [UInt8] {
        var pairs: [[UInt8]] = []
        for (name, value) in item.attributes where item.itemClass[name]?.isDigested == true {
            pairs.append(pair(name.bytes, value))
        }
        if let secret = item.secret {
            pairs.append(pair(Array("v_Data".utf8), .data(secret)))
        }
        pairs.sort { $0.lexicographicallyPrecedes($1) }
        return ItemDER.element(ItemDER.set, pairs.flatMap(\.self))
    }

    private static func pair(_ name: [UInt8], _ value: AttributeValue) -> [UInt8] {
        let encoded =
            switch value {
            case .string(let text): ItemDER.element(ItemDER.utf8String, Array(text.utf8))
            case .data(let bytes): ItemDER.element(ItemDER.octetString, bytes)
            case .integer(let number): ItemDER.element(ItemDER.integer, ItemDER.content(of: number))
            case .date(let seconds): ItemDER.date(seconds)
            }
        return ItemDER.element(
            ItemDER.sequence,
            ItemDER.element(ItemDER.utf8String, name) + encoded
        )
    }
}

/// The part of DER that property lists need.
private enum ItemDER {
    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let utf8String: UInt8 = 0x0C
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Two's complement in as few bytes as hold it.
    static func content(of number: Int64) -> [UInt8] {
        var bytes = bigEndian(UInt64(bitPattern: number))
        while bytes.count > 1,
            bytes[0] == 0 && bytes[1] < 0x80 || bytes[0] == 0xFF && bytes[1] >= 0x80
        {
            bytes.removeFirst()
        }
        return bytes
    }

    /// A time in the years 1 to 9999, to the millisecond; any other as the bits of its number.
    static func date(_ seconds: Double) -> [UInt8] {
        let milliseconds = (seconds * 1000).rounded()
        let whole = (milliseconds / 1000).rounded(.down)
        guard String(calendarDigits: seconds) != nil, var text = String(calendarDigits: whole)
        else { return element(octetString, bigEndian(seconds.bitPattern)) }
        let fraction = Int(milliseconds - whole * 1000)
        if fraction != 0 {
            text += "." + String(1000 + fraction).dropFirst()
            while text.last == "0" { text.removeLast() }
        }
        return element(generalizedTime, Array((text + "Z").utf8))
    }
}
