internal import KSBytes
package import KSAgent
internal import KSSyncEngine

/// What a device does about a server that went back, or did, for people.
package struct ShownReconciliation: Codable, Equatable, Sendable {
    /// `serverRestored`, `serverWentBack` or `resyncRequired`.
    package var reason = Reconciliation.Reason.serverWentBack.rawValue
    /// `batch`, `download` or `upload`; nil once it has ended.
    @OrNull
    package var step: String? = nil
    /// How many records are still to be compared.
    package var left = 0
    /// When it ended; nil before.
    @OrNull
    package var ended: AgentDate? = nil
    /// Records of which the server had lost something, which this device sends again; sent once it
    /// has ended.
    package var sentAgain = 0
    /// Records that are deleted again, likewise.
    package var deletedAgain = 0
    /// Records that the server lacks, although no device is known to have deleted them.
    package var missing = 0
    /// Whether the device waits, since the server went back too often.
    package var waits = false

    package init() {}
}

extension ShownReconciliation {
    init?(_ status: SyncEngine.Status) {
        guard let reconciliation = status.reconciliation else { return nil }
        self.init()
        reason = reconciliation.reason.rawValue
        step = reconciliation.step?.rawValue
        left = status.uncompared
        ended = reconciliation.endedMilliseconds.map(AgentDate.init(milliseconds:))
        sentAgain = Int(clamping: reconciliation.found.putUp)
        deletedAgain = Int(clamping: reconciliation.found.deletedAgain)
        missing = Int(clamping: reconciliation.found.missing)
        waits = reconciliation.hasBegunTooOften
    }

    /// What is done about it, or was, in words.
    package var sentence: String {
        var found: [String] = []
        let (sent, deleted) = step == nil ? ("sent", "deleted") : ("to send", "to delete")
        if sentAgain > 0 { found.append("\(counted(sentAgain, "record")) \(sent) again") }
        if deletedAgain > 0 { found.append("\(counted(deletedAgain, "record")) \(deleted) again") }
        if missing > 0 { found.append("\(counted(missing, "record")) missing there, kept here") }
        let result = found.isEmpty ? "nothing was lost" : found.joined(separator: ", ")
        let cause =
            switch Reconciliation.Reason(rawValue: reason) {
            // Whether it went back or was replaced, as by rebuild or a move, it does not say.
            case .serverRestored: "the server was restored or replaced"
            case .resyncRequired: "this device had missed deletions"
            case .serverWentBack, nil: "the server went back"
            }
        guard let step else { return "\(cause): \(result)" }
        guard !waits else {
            return "the server went back several times in a row: it is asked again within the hour"
        }
        switch step {
        case "upload": return "\(cause): \(result)"
        default: return "\(cause): comparing, \(counted(left, "record")) left"
        }
    }
}
