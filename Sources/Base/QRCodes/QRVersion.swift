/// The capacity of a version at a level, and how its codewords are divided into blocks.
struct QRVersion {
    static let all = 1...40

    let number: Int
    private let level: QRCode.Level

    init(number: Int, level: QRCode.Level) {
        self.number = number
        self.level = level
    }

    /// The modules of a side.
    var size: Int { 17 + 4 * number }

    /// The rows and columns of the centres of alignment patterns (annex E).
    var alignments: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        // The distances are even and equal, but for the first one, which takes the rest. Version 32
        // is an exception of the standard.
        let step = number == 32 ? 26 : (4 * number + 2 * count + 1) / (2 * count - 2) * 2
        return [6] + (0..<count - 1).map { size - 7 - step * $0 }.reversed()
    }

    /// All codewords: the modules that patterns and information leave, eight for each.
    private var codewordCount: Int {
        let finders = 3 * 8 * 8
        let timing = 2 * (size - 16)
        let format = 2 * 15 + 1
        let versions = number >= 7 ? 2 * 18 : 0
        let side = alignments.count
        // Three corners have no alignment pattern; those on a timing pattern share five modules.
        let patterns = side == 0 ? 0 : 25 * (side * side - 3) - 2 * 5 * (side - 2)
        return (size * size - finders - timing - format - versions - patterns) / 8
    }

    /// The codewords of data.
    var dataCount: Int { codewordCount - blockCount * checkCount }

    private var blockCount: Int { Self.blockCounts[level.rawValue][number - 1] }

    /// The codewords of error correction of each block.
    private var checkCount: Int { Self.checkCounts[level.rawValue][number - 1] }

    /// Divides data into blocks, adds error correction, and takes from each block in turn (§7.6).
    func interleaved(_ data: [UInt8]) -> [UInt8] {
        let short = data.count / blockCount
        let longCount = data.count % blockCount
        var start = 0
        let blocks = (0..<blockCount).map { index in
            let count = short + (index >= blockCount - longCount ? 1 : 0)
            defer { start += count }
            return Array(data[start..<start + count])
        }
        let code = ReedSolomon(count: checkCount)
        let checks = blocks.map(code.check)
        return Self.inTurn(blocks) + Self.inTurn(checks)
    }

    private static func inTurn(_ blocks: [[UInt8]]) -> [UInt8] {
        (0..<(blocks.map(\.count).max() ?? 0)).flatMap { index in
            blocks.compactMap { index < $0.count ? $0[index] : nil }
        }
    }

    /// Table 9, for the levels L, M, Q, H.
    private static let checkCounts: [[Int]] = [
        [
            7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
            28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
            26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        ],
        [
            13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
            28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
            30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
    ]

    /// Table 9 too.
    private static let blockCounts: [[Int]] = [
        [
            1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
            8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
        ],
        [
            1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
            17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
        ],
        [
            1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
            23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
        ],
        [
            1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
            25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
        ],
    ]
}
