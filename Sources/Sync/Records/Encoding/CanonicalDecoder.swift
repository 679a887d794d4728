/// Decodes the output of ``CanonicalEncoder``, and refuses everything else.
package struct CanonicalDecoder: Sendable {
    private let encoded: [UInt8]
    private var position: Int

    package init(_ encoded: [UInt8]) {
        self.encoded = encoded
        position = 0
    }

    /// Reads the label first.
    ///
    /// - Throws: ``RecordsError/malformed`` for another label, or without one.
    package init(_ encoded: [UInt8], label: String) throws(RecordsError) {
        self.init(encoded)
        // Compared as bytes: equal strings may have different bytes in Unicode.
        let expected = Array((CanonicalEncoder.labelPrefix + label).utf8)
        guard try bytes() == expected else { throw .malformed }
    }

    /// How many bytes are left.
    package var remaining: Int { encoded.count - position }

    package mutating func integer() throws(RecordsError) -> UInt64 {
        guard remaining >= 8 else { throw .malformed }
        defer { position += 8 }
        return encoded[position..<position + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads the number of a format, which counts from 1.
    ///
    /// - Throws: ``RecordsError/formatTooNew(format:)`` for one above `newest`.
    @discardableResult
    package mutating func formatNumber(upTo newest: UInt64) throws(RecordsError) -> UInt64 {
        let format = try integer()
        guard format > 0 else { throw .malformed }
        guard format <= newest else { throw .formatTooNew(format: format) }
        return format
    }

    package mutating func boolean() throws(RecordsError) -> Bool {
        switch try integer() {
        case 0: false
        case 1: true
        default: throw .malformed
        }
    }

    package mutating func bytes() throws(RecordsError) -> [UInt8] {
        try rawBytes(count: try integer())
    }

    package mutating func bytes(count: Int) throws(RecordsError) -> [UInt8] {
        let value = try bytes()
        guard value.count == count else { throw .malformed }
        return value
    }

    package mutating func string() throws(RecordsError) -> String {
        guard let value = String(validating: try bytes(), as: UTF8.self) else { throw .malformed }
        return value
    }

    /// Reads a list.
    ///
    /// An element takes at least 8 bytes, so a count that the rest cannot hold is refused before
    /// anything is allocated for it.
    package mutating func list<Element>(
        read: (inout CanonicalDecoder) throws(RecordsError) -> Element
    ) throws(RecordsError) -> [Element] {
        let count = try integer()
        return try elements(count: try checked(count: count, bytesMin: 8), read)
    }

    private mutating func elements<Element>(
        count: Int,
        _ read: (inout CanonicalDecoder) throws(RecordsError) -> Element
    ) throws(RecordsError) -> [Element] {
        // Most lists of a row are empty, and a start reads thousands of rows.
        guard count > 0 else { return [] }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    /// A count of elements that the rest can hold.
    ///
    /// Read the count before the call: Swift copies `self` before it evaluates the arguments, so
    /// the rest would be the one before an argument that reads.
    private func checked(count: UInt64, bytesMin: Int) throws(RecordsError) -> Int {
        guard count <= UInt64(remaining / bytesMin) else { throw .malformed }
        return Int(count)
    }

    /// Reads a compact integer; one that could be written shorter is refused.
    package mutating func compactInteger() throws(RecordsError) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<10 {
            guard remaining >= 1 else { throw .malformed }
            let byte = encoded[position]
            position += 1
            let bits = UInt64(byte & 0x7F)
            // The tenth byte has room for one bit, and a last byte of 0 is superfluous.
            guard index < 9 || bits <= 1, byte != 0 || index == 0 else { throw .malformed }
            value |= bits << UInt64(7 * index)
            if byte < 0x80 { return value }
        }
        throw .malformed
    }

    package mutating func compactBytes() throws(RecordsError) -> [UInt8] {
        try rawBytes(count: try compactInteger())
    }

    /// Reads bytes without a length.
    package mutating func rawBytes(count: UInt64) throws(RecordsError) -> [UInt8] {
        guard count <= UInt64(remaining) else { throw .malformed }
        defer { position += Int(count) }
        return Array(encoded[position..<position + Int(count)])
    }

    /// Reads a list led by its compact count.
    ///
    /// - Parameters:
    ///   - elementBytesMin: the fewest bytes an element takes, so that a count that the rest cannot
    ///     hold is refused before anything is allocated for it.
    ///   - countMax: how many elements there may be.
    ///   - read: reads one element.
    /// - Returns: the elements.
    /// - Throws: ``RecordsError/malformed``, ``RecordsError/tooLarge`` for more than `countMax`
    ///   elements, and what `read` throws.
    package mutating func compactList<Element>(
        elementBytesMin: Int,
        countMax: Int = .max,
        read: (inout CanonicalDecoder) throws(RecordsError) -> Element
    ) throws(RecordsError) -> [Element] {
        let count = try elementCount(bytesMin: elementBytesMin)
        guard count <= countMax else { throw .tooLarge }
        return try elements(count: count, read)
    }

    // MARK: Without a copy

    /// Reads the compact count of a list whose elements the caller reads or skips.
    ///
    /// `bytesMin`: the fewest bytes an element takes.
    package mutating func elementCount(bytesMin: Int) throws(RecordsError) -> Int {
        let count = try compactInteger()
        return try checked(count: count, bytesMin: bytesMin)
    }

    /// Passes over bytes led by their compact length.
    ///
    /// - Returns: where they are.
    package mutating func skipBytes() throws(RecordsError) -> Range<Int> {
        let integer = try compactInteger()
        let count = try checked(count: integer, bytesMin: 1)
        defer { position += count }
        return position..<position + count
    }

    /// Passes over bytes led by their compact length, which must be UTF-8.
    package mutating func skipText() throws(RecordsError) -> Range<Int> {
        let range = try skipBytes()
        do {
            _ = try UTF8Span(validating: encoded.span.extracting(range))
        } catch {
            throw .malformed
        }
        return range
    }

    /// Whether the bytes of the first range come before those of the second.
    package func precedes(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        encoded[left].lexicographicallyPrecedes(encoded[right])
    }

    /// Reads a list that is a set: strictly rising.
    package mutating func set<Element: Comparable>(
        read: (inout CanonicalDecoder) throws(RecordsError) -> Element
    ) throws(RecordsError) -> [Element] {
        let elements = try list(read: read)
        guard elements.isStrictlyRising else { throw .malformed }
        return elements
    }

    /// Refuses further bytes.
    package func end() throws(RecordsError) {
        guard remaining == 0 else { throw .malformed }
    }
}

extension Array where Element: Comparable {
    /// Inlinable, since each state that is decoded asks it of several lists.
    @inlinable
    package var isStrictlyRising: Bool {
        var index = 1
        while index < count {
            guard self[index - 1] < self[index] else { return false }
            index += 1
        }
        return true
    }
}
