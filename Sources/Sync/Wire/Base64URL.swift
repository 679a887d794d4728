internal import Foundation

/// RFC 4648 §5 without padding: bytes in a URL or a header.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        // Each request carries a token: replacing letters in a String would take 0.1 ms.
        let letters = Array(Data(bytes).base64EncodedData()).prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: letters.map(urlLetter), as: UTF8.self)
    }

    /// The bytes of this text; nil unless it is exactly what ``encode(_:)`` would write.
    package static func decode(_ text: String) -> [UInt8]? {
        var letters = text.utf8.map(standardLetter)
        letters += repeatElement(UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(letters)) else { return nil }
        let bytes = Array(data)
        return encode(bytes) == text ? bytes : nil
    }

    private static func urlLetter(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: letter
        }
    }

    private static func standardLetter(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: letter
        }
    }
}
