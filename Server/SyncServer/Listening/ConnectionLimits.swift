internal import NIOCore

/// How many connections may be open, and how long each may say nothing.
struct ConnectionLimits: Equatable, Sendable {
    /// What no machine's bound on open files makes useful to pass.
    static let countMax = 16_384
    /// Open files that no connection takes: the store, its log, backups, certificates, and what
    /// the event loops of many cores hold.
    static let reservedFiles = 128
    /// The least that a server is good for.
    static let countMin = 16

    /// All that are open at once.
    var count = countMax
    /// Of one address, or of one IPv6 network of 64 bits.
    var countPerAddress = countMax
    /// For the handshake of TLS.
    var handshakeMax = TimeAmount.seconds(10)
    /// From then on until the first request.
    var firstRequestMax = TimeAmount.seconds(30)

    /// What fits beside the reserve.
    ///
    /// - Parameters:
    ///   - openFilesMax: what the process may have open.
    ///   - count: what the operator asks for; nil for as many as fit.
    ///   - countPerAddress: what the operator asks for; nil for an eighth of all, so that a few
    ///     addresses cannot take everything.
    init(openFilesMax: Int, count: Int?, countPerAddress: Int?) {
        let room = max(openFilesMax - Self.reservedFiles, Self.countMin)
        let all = min(room, count ?? Self.countMax)
        self.count = all
        self.countPerAddress = min(all, countPerAddress ?? max(all / 8, 64))
    }

    init() {}
}
