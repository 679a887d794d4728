extension String {
    /// Bytes in RFC 4648's base 32, in lower case and without padding.
    package init(base32 bytes: some Collection<UInt8>) {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var letters: [UInt8] = []
        var (bits, count) = (UInt64(0), 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | UInt64(byte), count + 8)
            while count >= 5 {
                count -= 5
                letters.append(alphabet[Int(bits >> UInt64(count) & 31)])
            }
        }
        if count > 0 { letters.append(alphabet[Int(bits << UInt64(5 - count) & 31)]) }
        self.init(decoding: letters, as: UTF8.self)
    }
}
