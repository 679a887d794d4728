internal import KSDigests

/// `kSecAttrSHA1`: the SHA-1 of what an item says, by which equal items are told from others.
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
        return DER.element(DER.set, pairs.flatMap(\.self))
    }

    private static func pair(_ name: [UInt8], _ value: AttributeValue) -> [UInt8] {
        let encoded =
            switch value {
            case .string(let text): DER.element(DER.utf8String, Array(text.utf8))
            case .data(let bytes): DER.element(DER.octetString, bytes)
            case .integer(let number): DER.element(DER.integer, DER.content(of: number))
            case .date(let seconds): DER.date(seconds)
            }
        return DER.element(DER.sequence, DER.element(DER.utf8String, name) + encoded)
    }
}

/// As much of DER as property lists need.
private enum DER {
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
        var bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        while bytes.count > 1,
            bytes[0] == 0 && bytes[1] < 0x80 || bytes[0] == 0xFF && bytes[1] >= 0x80
        {
            bytes.removeFirst()
        }
        return bytes
    }

    /// From year 1 to 9999, which is all that GeneralizedTime can say.
    private static let sayable = -63_113_904_000.0...252_423_993_599.0

    static func date(_ seconds: Double) -> [UInt8] {
        guard sayable.contains(seconds) else {
            let bits = seconds.bitPattern
            return element(
                octetString,
                (0..<8).reversed().map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
            )
        }
        let milliseconds = Int64((seconds * 1000).rounded())
        let whole = milliseconds.flooredDivision(by: 1000)
        var text = civil(whole)
        let fraction = milliseconds - whole * 1000
        if fraction != 0 {
            var digits = padded(fraction, 3)
            while digits.last == "0" { digits.removeLast() }
            text += "." + digits
        }
        return element(generalizedTime, Array((text + "Z").utf8))
    }

    /// `YYYYMMDDhhmmss` of so many seconds after 2001-01-01 00:00 UTC.
    private static func civil(_ seconds: Int64) -> String {
        let day = seconds.flooredDivision(by: 86400)
        let second = seconds - day * 86400
        // Days from 0000-03-01, in the proleptic Gregorian calendar; a year begins in March, so
        // that a leap day ends it.
        let shifted = day + 730_791
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
        return padded(year, 4) + padded(month < 10 ? month + 3 : month - 9, 2)
            + padded(dayOfMonth, 2) + padded(second / 3600, 2) + padded(second / 60 % 60, 2)
            + padded(second % 60, 2)
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
