/// A number of any type, for comparing.
struct Number: Comparable {
    private let value: PropertyValue

    /// - Returns: nil for another value, or for what is not a number.
    init?(_ value: PropertyValue) {
        switch value {
        case .integer, .unsigned: break
        case .real(let real): if real.isNaN { return nil }
        default: return nil
        }
        self.value = value
    }

    /// - Returns: nil for another value; its bytes are not decoded, for it may be large.
    private init?(encoded: [UInt8]) {
        guard encoded.count == Self.byteCount else { return nil }
        // Why the bytes cannot be read makes no difference.
        guard let value = try? PropertyValue(decoding: encoded) else { return nil }
        self.init(value)
    }

    /// The type, and a number of 64 bits.
    private static let byteCount = 1 + 8

    static func < (left: Number, right: Number) -> Bool {
        // An integer is not turned into a real number: beyond 2^53 different integers would become
        // equal, and the largest of three numbers would depend on their order.
        switch (left.value, right.value) {
        case (.real(let left), .real(let right)): left < right
        case (.real(let left), _): Self.integer(left.rounded(.down)) < right.integer
        case (_, .real(let right)): left.integer < Self.integer(right.rounded(.up))
        default: left.integer < right.integer
        }
    }

    static func == (left: Number, right: Number) -> Bool { !(left < right) && !(right < left) }

    /// A number without a fraction; one beyond those of 64 bits becomes the largest or smallest.
    private static func integer(_ whole: Double) -> Int128 {
        Int128(exactly: whole) ?? (whole < 0 ? .min : .max)
    }

    private var integer: Int128 {
        switch value {
        case .integer(let integer): Int128(integer)
        case .unsigned(let integer): Int128(integer)
        case .real(let real): Self.integer(real.rounded(.down))
        default: preconditionFailure("a number")
        }
    }

    /// The order of encoded values for a maximum or a minimum; a number always wins over any other
    /// value.
    static func order(of type: MergeType) -> ExtremeRegister.IsSmaller {
        { left, right in
            switch (Number(encoded: left), Number(encoded: right)) {
            case (let left?, let right?): left < right
            case (nil, _?): type == .maximum
            case (_?, nil): type == .minimum
            case (nil, nil): false
            }
        }
    }
}
