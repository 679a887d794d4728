/// The name of an attribute: four ASCII characters, as Apple's keychain uses them.
package struct AttributeName: Hashable, Comparable, Sendable {
    /// The four characters, the first in the highest byte.
    package let code: UInt32

    package init(code: UInt32) {
        self.code = code
    }

    /// The name of these characters; nil unless they are four printable ASCII characters.
    package init?(_ characters: String) {
        guard characters.utf8.count == 4 else { return nil }
        var code: UInt32 = 0
        for byte in characters.utf8 {
            guard (0x20...0x7E).contains(byte) else { return nil }
            code = code << 8 | UInt32(byte)
        }
        self.code = code
    }

    package var bytes: [UInt8] { bigEndian(code) }

    package var text: String {
        // In place, since every search asks for its columns' names.
        unsafe String(unsafeUninitializedCapacity: 4) { buffer in
            for index in 0..<4 {
                unsafe buffer[index] = UInt8(truncatingIfNeeded: code >> (24 - 8 * UInt32(index)))
            }
            return 4
        }
    }

    /// By their characters' bytes.
    package static func < (left: Self, right: Self) -> Bool {
        left.code < right.code
    }
}

extension AttributeName {
    /// The secret's name, `data`, inside the sealed half of a row; callers never name it.
    static let secretData = AttributeName(code: 0x6461_7461)

    /// The name of the extras that can be read without the secret, `xtra`, inside the sealed
    /// attributes of a row.
    static let visibleExtras = AttributeName(code: 0x7874_7261)
}
