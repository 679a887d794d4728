/// All rows of a table, the broken ones among them.
///
/// A quote too many turns the table inside out: what is quoted from there on is what lies between
/// the fields, and rows vanish in a field that begins in one row and ends in a later one. It does
/// not stay unnoticed, since such a reading has an odd quote left over, which turns up as a fault;
/// but that may be rows behind the one that is broken.
///
/// So when a row breaks off, the row and those before it are read again, each time without one of
/// their quotes. If the table then reads on past the fault, the row that lost the quote is the
/// broken one. Of several such readings those count that hide the fewest rows in fields and have
/// the most quoted rows behind the fault to bear them out; where they do not agree, all rows that
/// they are about are broken. Where there is none, the broken row ends with the line it begins in,
/// because that is the one place where the next row can be looked for without guessing. Whatever
/// reads as a row inside a broken one is broken as well: no text of a note becomes a login.
struct CSVTable: Sendable {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// A wrong reading breaks off long before: hardly any line of a note has a row's commas.
    private static let rowsReadAgainMax = 64
    /// Rows with more quotes than this are long notes; a quote too many lies in one of them only.
    private static let quotesTriedMax = 64
    /// So many quoted rows in step are no accident.
    private static let evidenceMax = 4

    let scanner: CSVScanner
    /// Behind the byte order mark.
    let start: Int
    /// In their order; broken ones have a fault, and end where the next is looked for.
    private(set) var rows: [CSVScanner.Row] = []
    /// How many fields the first row has, once one was read.
    private var width: Int?
    /// Rows before this one are not read again.
    private var settledCount = 0

    init(_ bytes: [UInt8]) {
        scanner = CSVScanner(bytes: bytes)
        start = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
        var position = scanner.skippingEmptyLines(from: start)
        while position < bytes.count {
            let row = row(at: position, keepsFields: true)
            if row.fault == nil {
                width = width ?? row.fieldCount
                rows.append(row)
                position = row.end
            } else {
                position = settle(row)
            }
            position = scanner.skippingEmptyLines(from: position)
        }
    }

    /// A row of this table: quotes are a reason to count its fields.
    private func row(
        at start: Int,
        without removed: Int? = nil,
        keepsFields: Bool = false
    ) -> CSVScanner.Row {
        var row = scanner.row(at: start, without: removed, keepsFields: keepsFields)
        if row.fault == nil, row.hasQuotes, !hasWidth(row) { row.fault = .wrongFieldCount }
        return row
    }

    private func hasWidth(_ row: CSVScanner.Row) -> Bool {
        row.fieldCount == width ?? row.fieldCount
    }

    // MARK: Broken rows

    /// Takes in a row that breaks off.
    ///
    /// - Returns: where to read on.
    private mutating func settle(_ broken: CSVScanner.Row) -> Int {
        defer { settledCount = rows.count }
        let repairs = repairs(of: broken)
        if !repairs.isEmpty { return take(repairs, of: broken) }
        let hiding = rows[firstReadAgain...].firstIndex { row in
            row.spansLines && !hiddenRows(in: row.start..<row.end).isEmpty
        }
        if let hiding {
            // Two rows may be broken at once. What looks like rows inside of a field is likelier
            // to be rows.
            let start = rows[hiding].start
            rows.removeSubrange(hiding...)
            return append(.unterminatedQuote, start, end: scanner.nextLine(after: start))
        }
        let isWhole =
            broken.fault == .wrongFieldCount
            && hiddenRows(in: broken.start..<broken.end).isEmpty
        let end = isWhole ? broken.end : scanner.nextLine(after: broken.start)
        return append(broken.fault, broken.start, end: end)
    }

    @discardableResult
    private mutating func append(_ fault: CSVFault?, _ start: Int, end: Int) -> Int {
        var row = CSVScanner.Row(start: start)
        row.end = end
        row.fault = fault
        rows.append(row)
        return end
    }

    /// Of several repairs that are as good, all that they are about is broken.
    private mutating func take(_ repairs: [Repair], of broken: CSVScanner.Row) -> Int {
        let index = repairs.map(\.index).min() ?? rows.count
        let start = repairs.map(\.start).min() ?? broken.start
        let end = repairs.map(\.end).max() ?? broken.end
        var inside = Set(hiddenRows(in: start..<end) + repairs.map(\.start))
        for row in rows[index...] where row.start < end && (row.hasQuotes || hasWidth(row)) {
            inside.insert(row.start)
        }
        if broken.start < end { inside.insert(broken.start) }
        inside.remove(start)
        rows.removeSubrange(index...)

        var fault = CSVFault.unterminatedQuote
        if start == broken.start, let own = broken.fault {
            let isOfLaterRow = broken.end > end && own != .textAfterQuote
            fault = isOfLaterRow ? .unterminatedQuote : own
        }
        append(fault, start, end: end)
        for start in inside.sorted() { append(.unclearBoundary, start, end: end) }
        return end
    }

    // MARK: Reading again

    /// A row that is perhaps broken, and how well the table reads when it is.
    private struct Repair {
        /// Which of the rows it is, or behind them all.
        let index: Int
        let start: Int
        let end: Int
        /// Rows inside of fields.
        let hiddenCount: Int
        /// Less what bears it out, in rows.
        let cost: Int
    }

    private var firstReadAgain: Int {
        max(settledCount, rows.count - Self.rowsReadAgainMax)
    }

    /// All ways to mend a broken row that are about as good as the best of them.
    private func repairs(of broken: CSVScanner.Row) -> [Repair] {
        var hiddenBefore = [0]
        for row in rows[firstReadAgain...] {
            let hiddenCount = row.spansLines ? hiddenRows(in: row.start..<row.end).count : 0
            hiddenBefore.append((hiddenBefore.last ?? 0) + hiddenCount)
        }
        let fault = scanner.nextLine(after: broken.start)
        var repairs: [Repair] = []
        for index in firstReadAgain...rows.count {
            let row = index < rows.count ? rows[index] : broken
            guard row.hasQuotes else { continue }
            let before = hiddenBefore[index - firstReadAgain]
            let quotes = scanner.doubtfulQuotes(in: row.start..<row.end)
            for quote in quotes.prefix(Self.quotesTriedMax) {
                guard let found = repair(row, index, without: quote, before, past: fault) else {
                    continue
                }
                // To blame an earlier row takes a reading that hides no more than it had.
                if index == rows.count || found.hiddenCount <= hiddenBefore.last ?? 0 {
                    repairs.append(found)
                }
            }
        }
        let best = repairs.map(\.cost).min() ?? 0
        let good = repairs.filter { $0.cost <= best + 1 }
        // Without its first row a table is none.
        let behindFirst = good.filter { $0.index > 0 }
        return behindFirst.isEmpty ? good : behindFirst
    }

    /// The repair that a quote too many in one row calls for, if the table then reads on.
    private func repair(
        _ row: CSVScanner.Row,
        _ index: Int,
        without quote: Int,
        _ hiddenBefore: Int,
        past fault: Int
    ) -> Repair? {
        let mended = self.row(at: row.start, without: quote)
        // Nothing is left of a quote on a line of its own.
        let isEmpty = quote == row.start && scanner.isLineEnd(at: quote + 1)
        guard isEmpty || mended.fault == nil && hasWidth(mended),
            let rest = reading(from: mended.end, past: fault)
        else { return nil }
        let hidden = mended.spansLines ? hiddenRows(in: row.start..<mended.end).count : 0
        let hiddenCount = hiddenBefore + hidden + rest.hiddenCount
        // Blaming an earlier row hides that which breaks off.
        let unlikely = (index < rows.count ? 1 : 0) + (isEmpty ? 1 : 0)
        return Repair(
            index: index,
            start: row.start,
            end: mended.end,
            hiddenCount: hiddenCount,
            cost: hiddenCount + unlikely - rest.evidence
        )
    }

    /// How the table reads from some place on; nil when it does not get past the fault.
    private func reading(
        from start: Int,
        past fault: Int
    ) -> (hiddenCount: Int, evidence: Int)? {
        var position = scanner.skippingEmptyLines(from: start)
        var hiddenCount = 0
        var evidence = 0
        while position < scanner.bytes.count {
            let isPast = position >= fault
            let row = row(at: position)
            guard row.fault == nil else { return isPast ? (hiddenCount, evidence) : nil }
            if row.spansLines, !isPast {
                hiddenCount += hiddenRows(in: row.start..<row.end).count
            }
            if row.hasQuotes, isPast { evidence += 1 }
            if evidence == Self.evidenceMax { break }
            position = scanner.skippingEmptyLines(from: row.end)
        }
        return (hiddenCount, Self.evidenceMax)
    }

    /// Where lines within a row begin that would be rows by themselves.
    private func hiddenRows(in range: Range<Int>) -> [Int] {
        guard width != nil else { return [] }
        var hidden: [Int] = []
        var position = scanner.nextLine(after: range.lowerBound)
        while position < range.upperBound {
            if !scanner.isLineEnd(at: position) {
                let row = row(at: position)
                if row.fault == nil, hasWidth(row) { hidden.append(position) }
            }
            position = scanner.nextLine(after: position)
        }
        return hidden
    }
}
