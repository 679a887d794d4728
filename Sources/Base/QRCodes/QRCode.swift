/// A QR code (ISO/IEC 18004:2015, model 2): some bytes as a square of dark and light modules.
///
/// The bytes are one segment: of the alphanumeric mode if all of them are in its alphabet (digits,
/// capitals and `$%*+-./:` with the space), of the byte mode otherwise. Where they are text beyond
/// ASCII, an ECI says that they are UTF-8.
package struct QRCode: Equatable, Sendable {
    /// How much of a code may be unreadable: some 7, 15, 25 or 30 percent.
    package enum Level: Int, CaseIterable, Sendable {
        case low, medium, quartile, high
    }

    /// From 1 for 21 to 40 for 177 modules a side.
    package let version: Int
    package let level: Level
    /// Which of the eight masks is laid over the data.
    package let mask: Int
    private let grid: QRGrid

    /// The number of modules a side, without the quiet zone.
    package var size: Int { grid.size }

    /// Whether the module is dark; outside of the code all are light.
    package func isDark(row: Int, column: Int) -> Bool {
        grid.contains(row, column) && grid[row, column]
    }

    /// Encodes bytes in the smallest version that holds them, from `version` on.
    ///
    /// `mask` is one of 0 to 7, or nil for the one with the fewest penalty points (§7.8.3).
    package init(
        _ bytes: [UInt8],
        level: Level = .medium,
        version: Int = 1,
        mask: Int? = nil
    ) throws(QRCodeError) {
        precondition(QRVersion.all.contains(version) && (0...7).contains(mask ?? 0))
        let segment = QRSegment(bytes)
        let fitting = (version...QRVersion.all.upperBound).lazy
            .map { QRVersion(number: $0, level: level) }
            .first { segment.bitCount($0) <= 8 * $0.dataCount }
        guard let fitting else {
            let most = segment.bytesMax(QRVersion(number: QRVersion.all.upperBound, level: level))
            throw .tooLong(bytes: bytes.count, most: most)
        }
        let codewords = fitting.interleaved(segment.codewords(fitting))
        let grid = QRGrid(fitting, codewords)
        self.version = fitting.number
        self.level = level
        if let mask {
            self.mask = mask
            self.grid = grid.masked(mask, level)
        } else {
            let all = (0...7).map { grid.masked($0, level) }
            let points = all.map(\.penalty)
            self.mask = points.indices.min { points[$0] < points[$1] } ?? 0
            self.grid = all[self.mask]
        }
    }
}

/// Why there is no QR code.
package enum QRCodeError: Error, Equatable, CustomStringConvertible {
    /// More bytes than the greatest version holds at this level.
    case tooLong(bytes: Int, most: Int)

    package var description: String {
        switch self {
        case .tooLong(let bytes, let most):
            "\(bytes) bytes do not fit into a QR code, which holds \(most): show less."
        }
    }
}
