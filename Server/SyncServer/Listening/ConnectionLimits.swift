package import NIOCore

/// How many connections may be open, and how long each may be silent.
package struct ConnectionLimits: Equatable, Sendable {
    /// The upper bound, however many files may be open.
    static let countMax = 16_384
    /// Open files for other purposes: the store, its log, backups, certificates, event loops.
    static let reservedFiles = 128
    /// The lower bound.
    static let countMin = 16

    /// Connections open at once.
    package var count = countMax
    /// Connections of one address, or of one IPv6 network of 64 bits.
    package var countPerAddress = countMax
    /// The time for the TLS handshake.
    package var handshakeMax = TimeAmount.seconds(10)
    /// The time from the handshake to the first request.
    package var firstRequestMax = TimeAmount.seconds(30)

    /// Limits that leave the reserved files free.
    ///
    /// - Parameters:
    ///   - openFilesMax: how many files the process may have open.
    ///   - count: the operator's setting; nil for as many as fit.
    ///   - countPerAddress: the operator's setting; nil for an eighth of all, so that a few
    ///     addresses cannot take all.
    package init(openFilesMax: Int, count: Int?, countPerAddress: Int?) {
        let room = max(openFilesMax - Self.reservedFiles, Self.countMin)
        let all = min(room, count ?? Self.countMax)
        self.count = all
        self.countPerAddress = min(all, countPerAddress ?? max(all / 8, 64))
    }

    package init() {}
}
