internal import KSCCurl
internal import Glibc
internal import Synchronization

/// The certificate dates of a transport's open connections, by socket.
///
/// A pin replaces the check of the chain, and with it that of the dates, so we check the dates
/// before each request. curl shows the certificate only to the transfer that opened the connection;
/// other transfers on it find the dates here.
package final class CheckedConnections: Sendable {
    // In seconds since 1970-01-01 UTC.
    private let datesBySocket = Mutex<[Int32: ClosedRange<Int>]>([:])

    private let newestEnd = Mutex<Int?>(nil)

    package init() {}

    /// When the certificate of the newest connection ends, in seconds since 1970-01-01 UTC.
    ///
    /// Nil before the first connection.
    package var endSeconds: Int? { newestEnd.withLock { $0 } }

    package func opened(_ socket: Int32, dates: ClosedRange<Int>?) {
        datesBySocket.withLock { $0[socket] = dates }
        if let dates { newestEnd.withLock { $0 = dates.upperBound } }
    }

    /// Forgets a socket, because another connection may get its number.
    package func closed(_ socket: Int32) {
        datesBySocket.withLock { $0[socket] = nil }
    }

    /// Whether this connection's certificate is valid now; false for an unknown connection.
    package func isGood(_ socket: Int32, nowSeconds: Int = time(nil)) -> Bool {
        datesBySocket.withLock { $0[socket]?.contains(nowSeconds) ?? false }
    }

    /// Reads the dates of the server's own certificate, the first of its chain.
    ///
    /// - Returns: nil if they are missing or malformed.
    package static func dates(in fields: [String]) -> ClosedRange<Int>? {
        guard let start = date(labelled: "Start date:", in: fields),
            let end = date(labelled: "Expire date:", in: fields), start <= end
        else { return nil }
        return start...end
    }

    private static func date(labelled label: String, in fields: [String]) -> Int? {
        guard let field = fields.first(where: { $0.hasPrefix(label) }) else { return nil }
        let seconds = unsafe curl_getdate(String(field.dropFirst(label.count)), nil)
        return seconds == -1 ? nil : seconds
    }
}
