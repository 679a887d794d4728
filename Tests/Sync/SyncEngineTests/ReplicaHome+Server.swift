import GRDB
import KSCausality
import KSRecords
import KSResolution
import Testing

import KSSyncEngine

// What the test does as the server of a device.

extension ReplicaHome {
    /// The next request, as if somebody waited for the server.
    func next(sourceLocation: SourceLocation = #_sourceLocation) throws -> NumberedRequest {
        replica.gatherNoMore()
        let next = try replica.nextRequest()
        guard case .send(let request) = next else {
            Issue.record("nothing is sent: \(next)", sourceLocation: sourceLocation)
            throw NothingSent()
        }
        return request
    }

    struct NothingSent: Error {}

    func pull(_ page: PageAnswer, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let request = try next(sourceLocation: sourceLocation)
        guard case .pull = request.request else {
            Issue.record("no pull: \(request)", sourceLocation: sourceLocation)
            return
        }
        try replica.receive(.page(page), to: request)
    }

    /// The next batch.
    func push(
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (request: NumberedRequest, batch: Batch) {
        let request = try next(sourceLocation: sourceLocation)
        guard case .push(let batch, _) = request.request else {
            Issue.record("no push: \(request)", sourceLocation: sourceLocation)
            throw NothingSent()
        }
        return (request, batch)
    }

    /// Pushes all edits, which the server accepts from this seq on.
    func pushTaken(from seq: UInt64) throws -> Batch {
        let (request, batch) = try push()
        try replica.receive(.pushed(account.taken(batch, from: seq)), to: request)
        return batch
    }

    /// Answers the question for the circle: it is as this device knows it.
    func answerCircle(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let request = try next(sourceLocation: sourceLocation)
        guard case .circle = request.request else {
            Issue.record("no circle: \(request)", sourceLocation: sourceLocation)
            return
        }
        try replica.receive(.circle(replica.circle.entries), to: request)
    }

    /// The stamps of a secret in the batch on its way.
    func sentStamps(_ service: String) throws -> [Stamp] {
        let shelf = RecordShelf(rows: device.keys.rows)
        let record = try database.read { try shelf.load(self.recordID(service), from: $0) }
        return record.onItsWay?.state.stamps(of: .secret) ?? []
    }

    /// Announces news of the server, then answers the pull with this page.
    func hear(_ page: PageAnswer, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try replica.notice(seq: .max, circleVersion: 0)
        try pull(page, sourceLocation: sourceLocation)
    }
}
