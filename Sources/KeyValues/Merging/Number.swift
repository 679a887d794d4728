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

    static func < (left: Number, right: Number) -> Bool {
        switch (left.value, right.value) {
        case (.real(let left), .real(let right)): left < right
        case (.real(let left), _): right.integer.map { left < Double($0) } ?? false
        case (_, .real(let right)): left.integer.map { Double($0) < right } ?? false
        default: (left.integer ?? 0) < (right.integer ?? 0)
        }
    }

    static func == (left: Number, right: Number) -> Bool { !(left < right) && !(right < left) }

    private var integer: Int128? {
        switch value {
        case .integer(let integer): Int128(integer)
        case .unsigned(let integer): Int128(integer)
        default: nil
        }
    }

    /// The order of encoded values for a maximum or a minimum; a number always wins over any other
    /// value.
    static func order(of type: MergeType) -> ExtremeRegister.IsSmaller {
        { left, right in
            let numbers = [left, right].map { PropertyValue(shown: $0).flatMap(Number.init) }
            return switch (numbers[0], numbers[1]) {
            case (let left?, let right?): left < right
            case (nil, _?): type == .maximum
            case (_?, nil): type == .minimum
            case (nil, nil): false
            }
        }
    }
}
