internal import Foundation

/// RFC 4648 §5 without padding: bytes in a URL or a header.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The bytes of this text; nil unless it is exactly what ``encode(_:)`` would write.
    package static func decode(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: standard) else { return nil }
        let bytes = Array(data)
        return encode(bytes) == text ? bytes : nil
    }
}
