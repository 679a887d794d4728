internal import Dispatch
internal import Foundation
internal import GRDB
internal import Synchronization

/// A row as it was read.
struct UnopenedRow {
    let id: Int64
    let box: [UInt8]
    let revision: [UInt8]
}

/// Rows as they were read, their bytes in one array: an array for each would take longer.
struct UnopenedRows: Sendable {
    private var places: [(id: Int64, box: Range<Int>, revision: Range<Int>)] = []
    private var bytes: [UInt8] = []

    var count: Int { places.count }

    /// - Returns: the number of the row.
    mutating func append(_ row: Row) throws -> Int64 {
        let id: Int64 = row[0]
        let box = try append(row, column: 1)
        places.append((id, box, revision: try append(row, column: 2)))
        return id
    }

    private mutating func append(_ row: Row, column: Int) throws -> Range<Int> {
        let start = bytes.count
        try row.withUnsafeData(atIndex: column) { data in
            unsafe data?.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        }
        return start..<bytes.count
    }

    func map<Value>(_ body: (UnopenedRow) throws -> Value) rethrows -> [Value] {
        try places.map { id, box, revision in
            try body(UnopenedRow(id: id, box: Array(bytes[box]), revision: Array(bytes[revision])))
        }
    }

    /// Takes the rows out.
    mutating func take() -> UnopenedRows {
        defer { self = UnopenedRows() }
        return self
    }
}

/// Opens rows on all processors while further ones are read: a program that starts waits for all
/// entries of its store.
final class RowOpening<Value: Sendable>: Sendable {
    private struct State {
        /// Parts that no thread opens yet, with their places.
        var waiting: [(place: Int, rows: UnopenedRows)] = []
        var opened: [Result<[Value], any Error>?] = []
        var helperCount = 0
    }

    private let state = Mutex(State())
    /// The parts that threads are opening.
    private let underWay = DispatchGroup()
    private let open: @Sendable (UnopenedRow) throws -> Value

    init(_ open: @escaping @Sendable (UnopenedRow) throws -> Value) {
        self.open = open
    }

    /// Opens rows in the background.
    func add(_ rows: UnopenedRows) {
        let helperMax = ProcessInfo.processInfo.activeProcessorCount - 1
        let needsHelper = state.withLock { state in
            state.waiting.append((state.opened.count, rows))
            state.opened.append(nil)
            guard state.helperCount < helperMax else { return false }
            state.helperCount += 1
            return true
        }
        if needsHelper { DispatchQueue.global().async { self.help() } }
    }

    /// Opens the last rows, and waits for the others.
    ///
    /// - Returns: the contents of all rows, in their order.
    func finish(with rows: UnopenedRows) throws -> [Value] {
        let last = Result { try rows.map(open) }
        while let part = takePart(isHelper: false) { open(part) }
        // A helper that has not begun yet finds nothing to do, and nobody waits for it.
        underWay.wait()
        let parts = state.withLock { $0.opened }
        return try parts.flatMap { part in
            guard let part else { preconditionFailure("every part was opened") }
            return try part.get()
        } + last.get()
    }

    private func help() {
        while let part = takePart(isHelper: true) { open(part) }
    }

    /// - Returns: nil if no part is left; a helper ends then.
    private func takePart(isHelper: Bool) -> (place: Int, rows: UnopenedRows)? {
        state.withLock { state in
            let part = state.waiting.popLast()
            if part != nil {
                underWay.enter()
            } else if isHelper {
                state.helperCount -= 1
            }
            return part
        }
    }

    private func open(_ part: (place: Int, rows: UnopenedRows)) {
        let opened = Result { try part.rows.map(open) }
        state.withLock { $0.opened[part.place] = opened }
        underWay.leave()
    }
}
