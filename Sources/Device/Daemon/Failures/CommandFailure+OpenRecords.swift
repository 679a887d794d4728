internal import KSBytes
package import KSSyncEngine

extension CommandFailure {
    /// Describes the records that a sync could not finish.
    package init(_ open: OpenRecords) {
        let reasons = Set(open.blocked.map(\.reason))
        let exit: Exit =
            if !open.quarantined.isEmpty || reasons.contains(.damaged) {
                .other
            } else if reasons.isSubset(of: [.siblingsFull, .tied]) {
                .tryAgain
            } else if reasons.contains(.malformed) {
                .refused
            } else {
                .other
            }
        var parts: [String] = []
        if !open.blocked.isEmpty {
            let codes = Self.shown(open.blocked.map { ItemCode($0.record).text })
            parts.append("\(counted(open.blocked.count, "change")) could not be sent (\(codes))")
        }
        if !open.quarantined.isEmpty {
            let codes = open.quarantined.map { ItemCode($0.record).text }
            let count = Set(open.quarantined.map(\.record)).count
            parts.append("\(count) of the server's records cannot be read (\(Self.shown(codes)))")
        }
        self.init(code: .recordsOpen, ["what": parts.joined(separator: ", and ")], exit: exit)
    }

    /// Further codes are only counted.
    private static let codesMax = 10

    /// The first codes, for a sentence.
    private static func shown(_ codes: [String]) -> String {
        var seen: Set<String> = []
        let codes = codes.filter { seen.insert($0).inserted }
        let first = codes.prefix(codesMax).joined(separator: ", ")
        return codes.count > codesMax ? "\(first) and \(codes.count - codesMax) more" : first
    }

    /// The same failure; that of a full account says how much room the waiting changes need.
    func naming(_ counts: Replica.Counts) -> CommandFailure {
        guard code == .quotaExceeded, !counts.withoutRoom.isEmpty else { return self }
        let needed = counts.withoutRoom.reduce(0) { $0 + Int(clamping: $1.bytesMax) }
        let what = counted(counts.withoutRoom.count, "waiting change")
        let takes = counts.withoutRoom.count == 1 ? "takes" : "take"
        // What a device knows of the room may be older than the refusal.
        let room = counts.room.flatMap { $0 < UInt64(needed) ? $0 : nil }
        let left = room.map { ", and \(ByteText.text(Int(clamping: $0))) are left" } ?? ""
        return CommandFailure(
            code: code,
            exit: exit,
            sentence: "\(sentence) The \(what) \(takes) up to \(ByteText.text(needed))\(left)."
        )
    }

    /// The failure for the open records that the answer to a sync reports; nil without any.
    package init?(openRecordsIn answer: SyncedCounts) {
        guard let sentence = answer.problem else { return nil }
        let exit = answer.exit.flatMap(Exit.init(rawValue:)) ?? .other
        self.init(code: .recordsOpen, exit: exit, sentence: sentence)
    }
}

extension MessageCode {
    /// Why a change is not sent.
    package init(_ reason: BlockedReason) {
        self =
            switch reason {
            case .tooLarge: .notSentTooLarge
            case .proxyLimit: .notSentProxyLimit
            case .malformed: .notSentMalformed
            case .siblingsFull: .notSentSiblingsFull
            case .siblingsUnreadable: .notSentSiblingsUnreadable
            case .damaged: .notSentDamaged
            case .tied: .notSentTied
            }
    }

    /// Why a change is not sent, by the reason's name.
    package init(notSentBecause reason: String) {
        // Only a newer daemon knows other names.
        self = MessageCode(rawValue: "not_sent_" + reason) ?? .notSentDamaged
    }

    /// Why a record of the server cannot be read.
    package init(_ reason: QuarantineReason) {
        self =
            switch reason {
            case .newerFormat: .unreadableNewerFormat
            case .retired: .unreadableRetired
            case .keyMissing: .unreadableKeyMissing
            case .notAuthentic: .unreadableNotAuthentic
            case .malformed: .unreadableMalformed
            case .wrongRecord: .unreadableWrongRecord
            case .wrongFlag: .unreadableWrongFlag
            case .tooLarge: .unreadableTooLarge
            }
    }
}
