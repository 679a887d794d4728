/// The modules of a code.
struct QRGrid: Equatable, Sendable {
    let size: Int
    private var modules: [Bool]
    /// Where data stands, to which the mask applies.
    private var isData: [Bool]

    func contains(_ row: Int, _ column: Int) -> Bool {
        (0..<size).contains(row) && (0..<size).contains(column)
    }

    subscript(_ row: Int, _ column: Int) -> Bool { modules[row * size + column] }

    /// Sets a module that does not hold data; a place outside of the grid is left out.
    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard contains(row, column) else { return }
        modules[row * size + column] = isDark
        isData[row * size + column] = false
    }

    /// The patterns and the codewords; the format, which names the mask, is left light.
    init(_ version: QRVersion, _ codewords: [UInt8]) {
        size = version.size
        modules = [Bool](repeating: false, count: size * size)
        isData = [Bool](repeating: true, count: size * size)
        for index in 0..<size {
            set(6, index, index.isMultiple(of: 2))
            set(index, 6, index.isMultiple(of: 2))
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] {
            // With the light separator around it, whose outer part is outside of the grid.
            setSquares(row, column, rings: [true, true, false, true, false])
        }
        let places = version.alignments
        for row in places {
            for column in places {
                let last = size - 7
                let isFinder = [(6, 6), (6, last), (last, 6)].contains { $0 == (row, column) }
                if !isFinder { setSquares(row, column, rings: [true, false, true]) }
            }
        }
        setFormat(0)
        if version.number >= 7 { setVersion(version.number) }
        place(codewords)
    }

    /// Draws concentric squares, the colours from the centre outwards.
    private mutating func setSquares(_ row: Int, _ column: Int, rings: [Bool]) {
        for distance in rings.indices {
            for offset in -distance...distance {
                for edge in [-distance, distance] {
                    set(row + edge, column + offset, rings[distance])
                    set(row + offset, column + edge, rings[distance])
                }
            }
        }
    }

    /// The value with its remainder modulo a polynomial, whose degree is `degree`.
    private static func withRemainder(_ value: Int, _ polynomial: Int, degree: Int) -> Int {
        var remainder = value << degree
        while remainder >> degree != 0 {
            let excess = Int.bitWidth - remainder.leadingZeroBitCount - 1 - degree
            remainder ^= polynomial << excess
        }
        return value << degree | remainder
    }

    /// Draws fifteen bits of format twice, and the module that is always dark (§7.9).
    private mutating func setFormat(_ bits: Int) {
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            // Around the finder at the top left, with the timing patterns left out.
            switch index {
            case ..<6: set(index, 8, isDark)
            case 6, 7: set(index + 1, 8, isDark)
            case 8: set(8, 7, isDark)
            default: set(8, 14 - index, isDark)
            }
            if index < 8 {
                set(8, size - 1 - index, isDark)
            } else {
                set(size - 15 + index, 8, isDark)
            }
        }
        set(size - 8, 8, true)
    }

    /// Draws eighteen bits of the version twice (§7.10).
    private mutating func setVersion(_ number: Int) {
        let bits = Self.withRemainder(number, 0x1F25, degree: 12)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            set(index / 3, size - 11 + index % 3, isDark)
            set(size - 11 + index % 3, index / 3, isDark)
        }
    }

    /// Fills columns of two modules from the right, upwards and downwards in turn (§7.7.3).
    private mutating func place(_ codewords: [UInt8]) {
        var bit = 0
        var isUpward = true
        for right in stride(from: size - 1, to: 0, by: -2) {
            // The column of the timing pattern is no column of data.
            let right = right <= 6 ? right - 1 : right
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where isData[row * size + column] {
                    guard bit < 8 * codewords.count else { continue }
                    let isDark = codewords[bit / 8] & 0x80 >> UInt8(bit % 8) != 0
                    modules[row * size + column] = isDark
                    bit += 1
                }
            }
            isUpward.toggle()
        }
    }

    /// The grid with a mask over its data, and with the format (§7.8.2).
    func masked(_ mask: Int, _ level: QRCode.Level) -> QRGrid {
        var result = self
        for row in 0..<size {
            for column in 0..<size where isData[row * size + column] {
                if Self.isFlipped(mask, row, column) {
                    result.modules[row * size + column].toggle()
                }
            }
        }
        let levelBits =
            switch level {
            case .low: 1
            case .medium: 0
            case .quartile: 3
            case .high: 2
            }
        let format = Self.withRemainder(levelBits << 3 | mask, 0x537, degree: 10)
        result.setFormat(format ^ 0x5412)
        return result
    }

    private static func isFlipped(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
        let product = row * column
        return switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: product % 2 + product % 3 == 0
        case 6: (product % 2 + product % 3) % 2 == 0
        default: ((row + column) % 2 + product % 3) % 2 == 0
        }
    }
}
