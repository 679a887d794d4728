internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSRecords
internal import KSStore

// What the server stores, or sends.

extension PlantedBug {
    package static let dropsSibling = PlantedBug(
        "dropsSibling",
        "The server leaves out one of several concurrent writes",
        breaks: .nothingIsLost
    )
    package static let cursorOffByOne = PlantedBug(
        "cursorOffByOne",
        "The server starts a page one write too late",
        breaks: .nothingIsLost
    )
    package static let rollsRecordBack = PlantedBug(
        "rollsRecordBack",
        "The server returns an earlier state of a record",
        breaks: .nothingIsLost
    )
    package static let forgetsTombstones = PlantedBug(
        "forgetsTombstones",
        "The server never returns a tombstone",
        breaks: .nothingComesBack
    )
    static let keepsOnlyNewest = PlantedBug(
        "keepsOnlyNewest",
        "The server keeps the newest write of a record alone",
        breaks: .nothingIsLost
    )
    static let losesEndOfBatch = PlantedBug(
        "losesEndOfBatch",
        "The server stores all of a batch but its last record",
        breaks: .nothingIsLost
    )
    static let saysNoMore = PlantedBug(
        "saysNoMore",
        "The server does not say that a page is not the last one",
        breaks: .syncEnds
    )
    static let hidesOwnWrites = PlantedBug(
        "hidesOwnWrites",
        "The server sends a device no writes of its own",
        breaks: .devicesAgree,
        in: .copies
    )
    static let keepsOneAnswer = PlantedBug(
        "keepsOneAnswer",
        "The server can repeat only its last answer to an actor",
        breaks: .nothingComesBack,
        in: .copies
    )
    static let mixesRecordsUp = PlantedBug(
        "mixesRecordsUp",
        "The server sends two records under each other's names",
        breaks: .syncEnds
    )
    static let cutsBoxes = PlantedBug(
        "cutsBoxes",
        "The server stores at most a kilobyte of a sealed record",
        breaks: .honestWritesOpen
    )

    static let ofServer = [
        dropsSibling, cursorOffByOne, rollsRecordBack, forgetsTombstones, keepsOnlyNewest,
        losesEndOfBatch, saysNoMore, hidesOwnWrites, keepsOneAnswer, mixesRecordsUp,
        cutsBoxes,
    ]
}

extension SimulatedServer {
    /// The page as the server sends it.
    func spoilt(_ page: PageAnswer, for member: MemberID) -> PageAnswer {
        guard let bug = settings.bug else { return page }
        var records = page.records.compactMap { spoilt($0, for: member) }
        if bug == .mixesRecordsUp, records.count > 1 {
            let (first, second) = (records[0], records[1])
            records[0] = .init(id: first.id, seq: first.seq, siblings: second.siblings)
            records[1] = .init(id: second.id, seq: second.seq, siblings: first.siblings)
        }
        return PageAnswer(
            records: records,
            cursor: page.cursor,
            hasMore: page.hasMore && bug != .saysNoMore,
            vector: page.vector,
            circleVersion: page.circleVersion,
            usage: page.usage,
            accountSeq: page.accountSeq,
            removalHorizon: page.removalHorizon
        )
    }

    private func spoilt(
        _ record: PageAnswer.Record,
        for member: MemberID
    ) -> PageAnswer.Record? {
        var siblings = record.siblings
        switch settings.bug {
        case .forgetsTombstones?: siblings.removeAll(where: \.isTombstone)
        case .dropsSibling? where siblings.count > 1: siblings.removeLast()
        case .rollsRecordBack?: siblings = earlierSiblings(of: record.id, siblings)
        case .keepsOnlyNewest?, .losesEndOfBatch?:
            siblings.removeAll { spoils.lost.contains($0.dot) }
        case .cutsBoxes?:
            siblings = siblings.map { envelope in
                var cut = envelope
                cut.box = Array(envelope.box.prefix(1024))
                return cut
            }
        case .hidesOwnWrites? where siblings.allSatisfy({ spoils.authors[$0.dot] == member }):
            siblings = []
        default: break
        }
        guard !siblings.isEmpty else { return nil }
        return PageAnswer.Record(id: record.id, seq: record.seq, siblings: siblings)
    }

    /// A record's state two versions ago, or its present one.
    private func earlierSiblings(of record: RecordID, _ siblings: [Envelope]) -> [Envelope] {
        if spoils.versions[record]?.last != siblings {
            spoils.versions[record, default: []].append(siblings)
        }
        return spoils.versions[record]?.dropLast(2).last ?? siblings
    }

    /// The answer to an accepted batch, after what the server does with it.
    func spoilt(_ answer: PushAnswer, to batch: Batch, from member: MemberID) throws -> PushAnswer {
        guard let bug = settings.bug else { return answer }
        for envelope in batch.envelopes { spoils.authors[envelope.dot] = member }
        switch bug {
        case .keepsOnlyNewest:
            for (envelope, record) in zip(batch.envelopes, answer.records) {
                spoils.lost.formUnion(record.dots.filter { $0 != envelope.dot })
            }
        case .losesEndOfBatch:
            if batch.envelopes.count > 1, let last = batch.envelopes.last {
                spoils.lost.insert(last.dot)
            }
        case .keepsOneAnswer:
            try database.write { database in
                try database.execute(
                    sql: """
                        DELETE FROM accepted_batch WHERE first_counter < (
                            SELECT max(newest.first_counter) FROM accepted_batch AS newest
                            WHERE newest.actor = accepted_batch.actor)
                        """
                )
            }
        default: return answer
        }
        let records = answer.records.map { record in
            PushAnswer.Accepted(
                seq: record.seq,
                dots: record.dots.filter { !spoils.lost.contains($0) }
            )
        }
        return PushAnswer(
            records: bug == .keepsOnlyNewest ? records : answer.records,
            cursor: answer.cursor,
            circleVersion: answer.circleVersion,
            usage: answer.usage
        )
    }
}

/// What the server's planted bugs remember.
struct ServerSpoils {
    /// Each record as it was sent, oldest first.
    var versions: [RecordID: [[Envelope]]] = [:]
    /// The writes that it has not kept.
    var lost: Set<Dot> = []
    var authors: [Dot: MemberID] = [:]
}
