extension String {
    /// Compares the UTF-8 bytes of two texts: negative, 0 or positive, as C's `memcmp` does.
    ///
    /// `String` itself equates different spellings of a letter, which are different keys. Its view
    /// of bytes takes ten times as long, and each entry of a store is compared several times.
    package func compareBytes(with other: String) -> Int {
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<min(left.count, right.count) {
                    let (one, other) = unsafe (left[index], right[index])
                    if one != other { return Int(one) - Int(other) }
                }
                return left.count - right.count
            }
        }
    }

    /// Whether two texts have the same bytes.
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && compareBytes(with: other) == 0
    }
}
