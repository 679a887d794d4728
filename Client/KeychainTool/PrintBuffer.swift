internal import KSBytes

/// How `security` shows bytes that may or may not be text.
package enum PrintBuffer {
    /// Text in double quotes when all bytes are printable ASCII, otherwise hexadecimal.
    ///
    /// If any byte is printable, the text follows the hexadecimal, with the other bytes as three
    /// octal digits. No bytes give an empty string.
    ///
    /// Double quotes inside are not escaped, so this is for reading, not for parsing.
    package static func text(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "" }
        let printable = bytes.filter(isPrintable).count
        if printable == bytes.count { return quoted(bytes) }
        let hex = "0x" + String(hexadecimal: bytes).uppercased() + " "
        return printable == 0 ? hex : hex + " " + quoted(bytes)
    }

    private static func isPrintable(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
    }

    private static func quoted(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for byte in bytes {
            if isPrintable(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "\\"))
                for shift in [6, 3, 0] { text.append(UInt8(ascii: "0") + (byte >> shift & 7)) }
            }
        }
        text.append(UInt8(ascii: "\""))
        return String(decoding: text, as: UTF8.self)
    }
}
