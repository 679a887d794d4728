internal import Glibc
internal import KSCPostgreSQL

/// One connection to PostgreSQL, in pipeline mode: several statements make one round trip.
@safe
package final class DatabaseConnection: @unchecked Sendable {
    // Safety: one thread at a time uses a connection: the thread that made it, or that took it from
    // the pool.
    private let pointer: OpaquePointer
    /// Whether it can be used no more.
    package private(set) var isBroken = false
    /// How long an answer may take, which is longer than PostgreSQL allows a statement.
    ///
    /// A commit that waits for a standby is not cancelled but left alone: it is asked for again.
    private let answerMax: Duration

    /// - Parameters:
    ///   - address: a URI or another connection string of libpq.
    ///   - answerMax: how long one round trip may take.
    /// - Throws: ``DatabaseFailure/unreachable``.
    package init(_ address: String, answerMax: Duration) throws(DatabaseFailure) {
        guard let pointer = unsafe keychain_postgresql_connect(address) else { throw .unreachable }
        unsafe self.pointer = pointer
        self.answerMax = answerMax
        guard unsafe PQstatus(pointer) == CONNECTION_OK,
            unsafe PQsetnonblocking(pointer, 1) == 0,
            unsafe PQenterPipelineMode(pointer) == 1
        else { throw .unreachable }
    }

    deinit {
        unsafe PQfinish(pointer)
    }

    /// Whether libpq can read this address; it connects nowhere.
    package static func canRead(_ address: String) -> Bool {
        guard let options = unsafe PQconninfoParse(address, nil) else { return false }
        unsafe PQconninfoFree(options)
        return true
    }

    /// Whether a transaction has begun and not ended.
    var isInTransaction: Bool {
        !isBroken && (unsafe PQtransactionStatus(pointer)) != PQTRANS_IDLE
    }

    /// Sends statements together, and waits for their answers.
    ///
    /// - Throws: the first statement's failure; PostgreSQL has then skipped the ones after it.
    /// - Returns: an answer for each statement.
    package func run(_ statements: [Statement]) throws(DatabaseFailure) -> [Rows] {
        guard !isBroken else { throw .lost }
        let end = ContinuousClock.now + answerMax
        for statement in statements { try send(statement) }
        guard unsafe PQpipelineSync(pointer) == 1 else { throw broken() }
        try flush(until: end)
        var answers: [Rows] = []
        var failure: DatabaseFailure?
        for _ in statements {
            do throws(DatabaseFailure) {
                answers.append(try answer(until: end))
            } catch {
                if isBroken { throw error }
                failure = failure ?? error
            }
        }
        guard let result = unsafe try nextResult(until: end) else { throw broken() }
        defer { unsafe PQclear(result) }
        guard unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC else { throw broken() }
        if let failure { throw failure }
        return answers
    }

    /// Runs several statements without parameters, as one transaction if they begin none.
    package func runScript(_ sql: String) throws(DatabaseFailure) {
        guard !isBroken, unsafe PQexitPipelineMode(pointer) == 1,
            unsafe PQsetnonblocking(pointer, 0) == 0
        else { throw broken() }
        guard let result = unsafe PQexec(pointer, sql) else { throw broken() }
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        guard unsafe PQstatus(pointer) == CONNECTION_OK,
            unsafe PQsetnonblocking(pointer, 1) == 0,
            unsafe PQenterPipelineMode(pointer) == 1
        else { throw broken() }
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            throw .refused(state: unsafe Self.state(of: result))
        }
    }

    /// Marks the connection as unusable.
    private func broken() -> DatabaseFailure {
        isBroken = true
        return .lost
    }

    // MARK: Listening

    /// Waits for messages of other sessions, at most for this time.
    package func messages(within limit: Duration) throws(DatabaseFailure) -> [String] {
        guard !isBroken else { throw .lost }
        var messages = takeMessages()
        let milliseconds = Int32(clamping: Int(limit / .milliseconds(1)))
        if messages.isEmpty, milliseconds > 0 {
            var event = pollfd(fd: unsafe PQsocket(pointer), events: Int16(POLLIN), revents: 0)
            // An interruption counts as silence.
            if unsafe poll(&event, 1, milliseconds) > 0 { try consume() }
            messages = takeMessages()
        }
        return messages
    }

    private func takeMessages() -> [String] {
        var messages: [String] = []
        while let message = unsafe PQnotifies(pointer) {
            unsafe messages.append(String(cString: message.pointee.extra))
            unsafe PQfreemem(message)
        }
        return messages
    }

    // MARK: The protocol

    private func send(_ statement: Statement) throws(DatabaseFailure) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(statement.parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) })
        for parameter in statement.parameters { bytes += parameter.bytes ?? [] }
        let isSent = unsafe keychain_postgresql_send(
            pointer,
            statement.sql,
            Int32(statement.parameters.count),
            statement.parameters.map(\.type),
            bytes,
            statement.parameters.map { $0.bytes.map { Int32($0.count) } ?? -1 }
        )
        guard isSent == 1 else { throw broken() }
    }

    private func flush(until end: ContinuousClock.Instant) throws(DatabaseFailure) {
        while true {
            switch unsafe PQflush(pointer) {
            case 0: return
            case 1:
                // PostgreSQL may be waiting until its own answers are read.
                if try wait(for: POLLIN | POLLOUT, until: end) & POLLIN != 0 { try consume() }
            default: throw broken()
            }
        }
    }

    /// The answer to the next statement.
    private func answer(until end: ContinuousClock.Instant) throws(DatabaseFailure) -> Rows {
        guard let result = unsafe try nextResult(until: end) else { throw broken() }
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        let failure = unsafe Self.state(of: result)
        guard unsafe PQstatus(pointer) == CONNECTION_OK else { throw broken() }
        // A statement's last result is followed by none.
        guard unsafe try nextResult(until: end) == nil else { throw broken() }
        switch status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return unsafe Self.rows(of: result)
        // The statement was skipped: an earlier one's failure is thrown.
        case PGRES_PIPELINE_ABORTED: throw .refused(state: "25P02")
        default: throw .refused(state: failure)
        }
    }

    @unsafe
    private func nextResult(
        until end: ContinuousClock.Instant
    ) throws(DatabaseFailure) -> OpaquePointer? {
        while unsafe PQisBusy(pointer) == 1 {
            _ = try wait(for: POLLIN, until: end)
            try consume()
        }
        return unsafe PQgetResult(pointer)
    }

    private func consume() throws(DatabaseFailure) {
        guard unsafe PQconsumeInput(pointer) == 1 else { throw broken() }
    }

    /// Waits until one of these events, and returns those that happened.
    private func wait(
        for events: Int32,
        until end: ContinuousClock.Instant
    ) throws(DatabaseFailure) -> Int32 {
        while true {
            let milliseconds = (end - ContinuousClock.now) / .milliseconds(1)
            guard milliseconds > 0 else { throw broken() }
            var event = pollfd(
                fd: unsafe PQsocket(pointer),
                events: Int16(events),
                revents: 0
            )
            let count = unsafe poll(&event, 1, Int32(min(milliseconds, 60_000)) + 1)
            if count > 0 { return Int32(event.revents) }
            guard count == 0 || errno == EINTR else { throw broken() }
        }
    }

    @unsafe
    private static func state(of result: OpaquePointer) -> String {
        // PG_DIAG_SQLSTATE is a character constant in C.
        guard let text = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else {
            return "XX000"
        }
        return unsafe String(cString: text)
    }

    @unsafe
    private static func rows(of result: OpaquePointer) -> Rows {
        let width = unsafe PQnfields(result)
        let count = unsafe PQntuples(result)
        let rows = (0..<count).map { row in
            Row(
                fields: (0..<width).map { field in
                    guard unsafe PQgetisnull(result, row, field) == 0,
                        let value = unsafe PQgetvalue(result, row, field)
                    else { return nil }
                    let bytes = unsafe UnsafeRawBufferPointer(
                        start: value,
                        count: Int(PQgetlength(result, row, field))
                    )
                    return unsafe Array(bytes)
                }
            )
        }
        let changed = unsafe String(cString: PQcmdTuples(result))
        return Rows(rows: rows, count: Int(changed) ?? 0)
    }
}
