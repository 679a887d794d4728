internal import KSCausality
internal import KSDigests
internal import Foundation
internal import GRDB
internal import KSMerging
package import KSRecords
internal import KSStore
internal import SwiftProtobuf
package import KSSyncEngine
internal import KSWire

/// The real store, called with the protocol's messages.
package final class SimulatedServer {
    private(set) var store: SQLiteStore
    private(set) var database: DatabaseQueue
    var disk: SimulatedDisk { lent.open.disk }
    let clock: VirtualClock
    private let random: any RandomSource
    private var lent: ServerConnection
    let account: AccountID
    let settings: WorldSettings
    /// The boxes that all servers of the account have accepted.
    private let boxes: AcceptedBoxes
    package private(set) var epoch: StoreEpoch
    /// Whether it has lost the account.
    private(set) var isEmpty = false
    /// The cursors in its answers, by seq.
    private var cursors: [UInt64: KSRecords.Cursor] = [:]
    /// What its planted bug remembers, if it has one.
    var spoils = ServerSpoils()
    /// The members that have a device with a user.
    var used: Set<MemberID> = []
    /// What it must wait for before it removes a deleted record.
    var removal = RemovalWatch()

    /// `clock`: shows ``World/startMilliseconds``.
    init(
        fixture: AccountFixture,
        clock: VirtualClock,
        random: SimulationRandomSource,
        settings: WorldSettings
    ) throws {
        account = fixture.account
        boxes = AcceptedBoxes()
        (self.clock, self.random, self.settings) = (clock, random, settings)
        let templates = try Templates.shared.get()
        // What the account took from it when it was made.
        random.skip(words: templates.serverWords)
        lent = try templates.lendServer(clock: clock, random: random)
        (database, store) = (lent.open.database, lent.store)
        epoch = templates.epoch
        disk.forgetsSyncs = settings.bug == .serverSyncsNoDisk
    }

    deinit {
        // Without templates, nothing was lent.
        try? Templates.shared.get().giveBack(server: lent)
    }

    /// A further server of the account, with a copy of another one's store.
    init(with backup: Backup, from other: SimulatedServer, isAnnounced: Bool) throws {
        (account, boxes) = (other.account, other.boxes)
        (clock, random, settings, used) = (
            other.clock, other.random, other.settings, other.used
        )
        lent = try Templates.shared.get().lendServer(clock: clock, random: random)
        (database, store, epoch) = (lent.open.database, lent.store, other.epoch)
        try restore(backup, isAnnounced: isAnnounced)
    }

    /// Answers a request; request and answer are encoded and decoded, as on a network.
    package func answer(
        _ request: SyncRequest,
        _ note: PullNote = PullNote(),
        from member: MemberID
    ) throws -> SyncAnswer {
        _ = disk.takeRefusal()
        do {
            try passTime()
            return try answerWithRoom(request, note, from: member)
        } catch  where disk.isOff || disk.takeRefusal() {
            return .refused(.storageFailed)
        }
    }

    private func answerWithRoom(
        _ request: SyncRequest,
        _ note: PullNote,
        from member: MemberID
    ) throws -> SyncAnswer {
        if isEmpty {
            if case .returnCircle = request { return .refused(.accountUnknown) }
            return .refused(.refused)
        }
        switch request {
        case .push(let batch, let applied):
            return try push(sent(WirePushRequest(batch, applied: applied)), from: member)
        case .pull(let cursor):
            return try page(after: cursor, for: member, note)
        case .circle(let version):
            let circle: CircleState
            do {
                circle = try store.circle(of: account, after: version, for: member)
            } catch {
                return .refused(error.code)
            }
            let shown = try sent(WireCircleResponse(circle)).value()
            return .circle(shown.entries, shown.envelope, shown)
        case .returnCircle where settings.bug == .leavesRevokedDeviceIn:
            return .circleReturned
        case .returnCircle(let circle):
            let circle = try sent(WireCircleReturn(circle)).value()
            do {
                _ = try store.returnCircle(circle, to: account)
                return .circleReturned
            } catch {
                return .refused(error.code)
            }
        case .raise(let vector, let epoch):
            let update = try sent(WireVectorUpdate(vector, epoch: epoch)).value()
            do {
                try store.raiseVector(
                    to: update.vector,
                    epoch: update.epoch,
                    by: member,
                    of: account
                )
                return .raised
            } catch {
                return .refused(error.code)
            }
        }
    }

    /// Starts the machine again whose power has failed.
    func restartAfterPowerFailure() throws {
        disk.restorePower()
        let database = try DiskFileSystem.open(disk, Configuration())
        lent = try ServerConnection(OpenDisk(disk, database))
        lent.begin(clock: clock, random: random)
        (self.database, store) = (database, lent.store)
        (cursors, spoils.versions) = ([:], [:])
        try noteEpoch()
    }

    // MARK: Backups

    /// A copy of the store, and what was known of the devices when it was made.
    package struct Backup {
        let contents: SimulatedDisk.Contents
        let removal: RemovalWatch
    }

    /// A copy of the store, as a backup has it.
    package func backup() -> Backup { Backup(contents: disk.contents, removal: removal) }

    /// Puts the store back to an earlier copy of it.
    ///
    /// - Parameters:
    ///   - backup: the copy.
    ///   - isAnnounced: whether by `sync-server restore`, which begins a new epoch; otherwise the
    ///     file was put back, and a device's signed statement begins it.
    /// - Throws: what the store throws.
    package func restore(_ backup: Backup, isAnnounced: Bool) throws {
        try use(backup.contents, isAnnounced: isAnnounced)
        removal.goBack(to: backup.removal, clock.milliseconds)
        isEmpty = false
    }

    /// Continues with an empty store, which does not know the account.
    func empty() throws {
        try use(Templates.shared.get().emptyServer, isAnnounced: true)
        try passLongTime()
        removal.goBack(to: RemovalWatch(), clock.milliseconds)
        isEmpty = true
    }

    /// Makes the account again, as a device sends it.
    func rebuild(_ circle: CircleReturn) throws {
        let circle = try sent(WireCircleReturn(circle)).value()
        try disk.withPower {
            _ = try store.rebuildAccount(account, named: "simulated", from: circle)
        }
        isEmpty = false
        try noteEpoch()
    }

    private func use(_ contents: SimulatedDisk.Contents, isAnnounced: Bool) throws {
        let clock = clock
        disk.replace(with: contents)
        store = try disk.withPower {
            if isAnnounced { try SQLiteStore.beginEpochs(in: database, random: random) }
            return try SQLiteStore(
                database: database,
                random: random,
                clockSeconds: { clock.milliseconds / 1000 }
            )
        }
        (cursors, spoils.versions) = ([:], [:])
        try noteEpoch()
    }

    private func noteEpoch() throws {
        guard let state = try store.account(account), state.epoch != epoch else { return }
        epoch = state.epoch
        try noteUnusedMembers()
    }

    /// The answer to a device that signs that it was given a cursor which the server does not know.
    private func answer(
        unknown cursor: KSRecords.Cursor?,
        of member: MemberID
    ) throws -> SyncAnswer {
        guard let cursor,
            try !store.compareHistory(cursor, of: member, in: account).isKnown
        else { return .failed }
        cursors = [:]
        try noteEpoch()
        return .refused(.storeRestored)
    }

    /// The size of a request's body, in bytes.
    func bytes(of request: SyncRequest) throws -> Int {
        guard case .push(let batch, let applied) = request else { return 0 }
        return try (WirePushRequest(batch, applied: applied).serializedBytes() as Data).count
    }

    /// Appends an entry to the circle.
    ///
    /// If the power of its machine fails meanwhile, the author gets no answer, and asks again.
    /// - Returns: false if the account has writes, or an entry, that its author did not know.
    func extendCircle(
        by change: CircleChange,
        from author: MemberID,
        isRepeated: Bool = false
    ) throws -> Bool {
        let version = try change.entry.entry().version - 1
        do {
            _ = try store.extendCircle(of: account, by: change, from: author, ifVersion: version)
            return true
        } catch StoreError.refused(.circleChanged) {
            // It may be the entry itself that was kept.
            return isRepeated
        } catch  where disk.isOff {
            try restartAfterPowerFailure()
            return try extendCircle(by: change, from: author, isRepeated: true)
        }
    }

    /// Whether this member is in the circle that it has.
    func knows(_ member: MemberID) -> Bool {
        do {
            _ = try store.circle(of: account, after: 0, for: member)
            return true
        } catch {
            return false
        }
    }

    /// The version of the circle that it has.
    func circleVersion(for member: MemberID) throws -> UInt64 {
        UInt64(try store.circle(of: account, after: 0, for: member).entries.count)
    }

    /// The message as it arrives: encoded and decoded.
    private func sent<Sent: Message>(_ message: Sent) throws -> Sent {
        try Sent(serializedBytes: message.serializedBytes() as Data)
    }

    /// Checks that each dot always has the same box.
    private func noteBoxes(of batch: Batch) throws {
        for envelope in batch.envelopes {
            let known = boxes.first[envelope.dot]
            guard known == nil || known == envelope.boxHash else {
                throw WorldFailure.dotReused
            }
            boxes.first[envelope.dot] = envelope.boxHash
        }
    }

    /// Whether it has accepted the batch that begins with this box.
    func hasTaken(_ box: Hash) -> Bool { boxes.taken.contains(box) }

    private func push(_ message: WirePushRequest, from member: MemberID) throws -> SyncAnswer {
        let batch = try message.batch()
        if !settings.hasCopies { try noteBoxes(of: batch) }
        let results = store.push([
            .init(
                account: account,
                member: member,
                batch: batch,
                applied: message.hasApplied ? try message.applied.value() : nil
            )
        ])
        switch results[0] {
        case .failure(.refused(.unknownCursor)):
            return try answer(unknown: message.applied.value(), of: member)
        case .failure(let error):
            // It may have begun an epoch.
            try noteEpoch()
            return .refused(error.code)
        case .success(let accepted):
            try noteBoxes(of: batch)
            boxes.taken.formUnion(batch.envelopes.map(\.boxHash))
            cursors[accepted.cursor.seq] = accepted.cursor
            let applied = message.hasApplied ? message.applied.seq : 0
            if removal.noteWrite(upTo: accepted.cursor.seq, clock.milliseconds) {
                removal.noteContact(of: member, applied: applied, clock.milliseconds)
            }
            let answer = try spoilt(accepted, to: batch, from: member)
            return .pushed(try PushAnswer(sent(WirePushResponse(answer))))
        }
    }

    /// The page that comes with the event of a push.
    func announcedPage(of push: PushAnswer, for member: MemberID) throws -> AnnouncedPage? {
        guard let first = push.records.first?.seq, let after = cursors[first - 1],
            case .page(let page) = try page(after: after, for: member, isAsked: false),
            !page.hasMore
        else { return nil }
        let event = try WireEvent(
            seq: push.cursor.seq,
            circleVersion: 0,
            AnnouncedPage(after: after, page: page)
        )
        return try WireEvent(jsonString: event.jsonString()).announcedPage()
    }

    private func page(
        after cursor: KSRecords.Cursor?,
        for member: MemberID,
        _ note: PullNote = PullNote(),
        isAsked: Bool = true
    ) throws -> SyncAnswer {
        var cursor = cursor
        if settings.bug == .cursorOffByOne, let next = cursor.flatMap({ cursors[$0.seq + 1] }) {
            cursor = next
        }
        do {
            let page = try store.changes(
                .init(
                    account: account,
                    member: member,
                    after: cursor,
                    recordsMax: 3,
                    isOfMember: isAsked,
                    completeSeq: note.completeSeq,
                    hasBatch: note.hasBatch && settings.bug != .ignoresBatch
                )
            )
            if isAsked, !note.hasBatch {
                removal.noteContact(of: member, applied: cursor?.seq ?? 0, clock.milliseconds)
            }
            cursors[page.cursor.seq] = page.cursor
            let response = WireChangesResponse(spoilt(page, for: member))
            return .page(try PageAnswer(sent(response)))
        } catch StoreError.refused(.unknownCursor) where isAsked {
            return try answer(unknown: cursor, of: member)
        } catch let error as StoreError {
            return .refused(error.code)
        }
    }
}

/// The boxes that the servers of an account have accepted.
private final class AcceptedBoxes {
    var taken: Set<Hash> = []
    /// Each dot's first box; a second one would mean that a device reused a counter.
    var first: [Dot: Hash] = [:]
}
