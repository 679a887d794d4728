internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSKeychainRecords
internal import KSRecords
internal import KSResolution
internal import KSSyncEngine

// What a device's tables hold between two steps, beside its unsent edits.

extension PlantedBug {
    package static let reusesCounter = PlantedBug(
        "reusesCounter",
        "A restarted device counts from one below its last counter",
        breaks: .dotsNameOneWrite,
        in: .restarts
    )
    package static let forgetsWaiting = PlantedBug(
        "forgetsWaiting",
        "A device drops at the unlock what it pulled while it was locked",
        breaks: .nothingIsLost
    )
    package static let trustsSetClock = PlantedBug(
        "trustsSetClock",
        "A device advances the server's date by a clock that its user can set",
        breaks: .clocksAreBounded,
        in: .copies
    )
    static let savesCursorFirst = PlantedBug(
        "savesCursorFirst",
        "The cursor is stored before a page's rows, and the process ends",
        breaks: .nothingIsLost
    )
    static let takesVectorOfAnyPage = PlantedBug(
        "takesVectorOfAnyPage",
        "The vector is taken from a page that is not the last one",
        breaks: .nothingIsLost
    )
    static let jumpsAfterPush = PlantedBug(
        "jumpsAfterPush",
        "After a push the cursor moves past what others wrote before it",
        breaks: .devicesAgree
    )
    static let forgetsHistory = PlantedBug(
        "forgetsHistory",
        "A device forgets the earlier values of what it pulls",
        breaks: .historyStays
    )
    static let hidesUnsentEdit = PlantedBug(
        "hidesUnsentEdit",
        "A page shows its value over an unsent edit until the next step",
        breaks: .readsMoveOn
    )
    static let showsCachedItem = PlantedBug(
        "showsCachedItem",
        "A device sometimes shows an item as it was before, for a moment",
        breaks: .readsMoveOn
    )
    static let startsAtNewest = PlantedBug(
        "startsAtNewest",
        "A device that joins the account begins with the newest write",
        breaks: .devicesAgree,
        in: .joins
    )

    static let ofDevice = [
        reusesCounter, forgetsWaiting, trustsSetClock, savesCursorFirst, takesVectorOfAnyPage,
        jumpsAfterPush, forgetsHistory, hidesUnsentEdit, showsCachedItem, startsAtNewest,
    ]
}

/// What a device showed of an item.
struct SeenViews {
    /// Something else, before.
    var earlier: RecordState?
    var last: RecordState
}

extension World {
    /// Spoils what a device does with an answer that has come.
    ///
    /// - Returns: whether its process has ended before it could apply the answer.
    func endsBeforeApplying(_ answer: SyncAnswer, on device: SimulatedDevice) throws -> Bool {
        guard settings.bug == .savesCursorFirst, case .page(let page) = answer,
            !page.records.isEmpty, !device.isLocked, planted.random.chance(0.1)
        else { return false }
        try device.change { $0.cursor = page.cursor }
        trace("\(device.name) ends before it has applied a page")
        try device.restart()
        device.replica.wake()
        return true
    }

    /// Spoils a device's tables after it has applied an answer.
    func spoilTables(of device: SimulatedDevice, after answer: SyncAnswer) throws {
        switch (settings.bug, answer) {
        case (.takesVectorOfAnyPage?, .page(let page)) where page.hasMore:
            try device.database.write { try SyncStateTable.raise(to: page.vector, in: $0) }
        case (.jumpsAfterPush?, .pushed(let accepted)):
            guard try device.replica.reconciliation()?.step == nil else { return }
            try device.change { state in
                if state.epoch == accepted.cursor.epoch { state.cursor = accepted.cursor }
            }
        case (.forgetsHistory?, .page): try forgetHistory(on: device)
        case (.hidesUnsentEdit?, .page): try hideUnsentEdits(on: device)
        case (.showsCachedItem?, .page): try showCachedItems(on: device)
        default: break
        }
    }

    private func forgetHistory(on device: SimulatedDevice) throws {
        guard !device.isLocked else { return }
        for item in 0..<settings.itemCount {
            try device.changeMirror(of: device.id(item: item)) { state in
                state = state.joined(with: RecordState(), historyCountMax: 0)
            }
        }
    }

    // MARK: What is shown for a moment

    private func hideUnsentEdits(on device: SimulatedDevice) throws {
        guard !device.isLocked else { return }
        for item in 0..<settings.itemCount {
            var record = try device.record(item: item)
            guard record.edit?.deleting == nil, record.edit != nil, record.mirror?.isAlive == true
            else { continue }
            record.edit = nil
            try show(record.view, item: item, on: device)
        }
    }

    private func showCachedItems(on device: SimulatedDevice) throws {
        guard !device.isLocked else { return }
        for item in 0..<settings.itemCount {
            let view = try device.record(item: item).view
            var seen = planted.views[device.index]?[item] ?? SeenViews(last: view)
            if view != seen.last { (seen.earlier, seen.last) = (seen.last, view) }
            planted.views[device.index, default: [:]][item] = seen
            guard let earlier = seen.earlier, earlier.isAlive, view.isAlive,
                planted.random.chance(0.2)
            else { continue }
            try show(earlier, item: item, on: device)
        }
    }

    private func show(_ view: RecordState, item: Int, on device: SimulatedDevice) throws {
        try device.show(view)
        planted.wronglyShown[device.index, default: []].insert(item)
    }

    /// Shows again what a device's records say.
    func endWrongShow(on device: SimulatedDevice) throws {
        guard !device.isLocked, let items = planted.wronglyShown.removeValue(forKey: device.index)
        else { return }
        for item in items.sorted() { try device.show(device.record(item: item).view) }
    }

    /// The cursor of the newest write, for a device that has just joined.
    func spoilJoin(of device: SimulatedDevice) throws {
        guard settings.bug == .startsAtNewest else { return }
        var cursor: KSRecords.Cursor?
        while case .page(let page) = try server.answer(.pull(after: cursor), from: device.member) {
            cursor = page.cursor
            guard page.hasMore else { break }
        }
        try device.change { $0.cursor = cursor }
    }
}

extension SimulatedDevice {
    /// Runs statements of a planted bug.
    func run(_ statements: String...) throws {
        try database.write { database in
            for statement in statements { try database.execute(sql: statement) }
        }
    }

    /// Runs a statement of a planted bug about a record.
    func run(_ statement: String, of record: RecordID) throws {
        try database.write { database in
            try database.execute(sql: statement, arguments: [Data(record.bytes)])
        }
    }

    /// Changes the row of its state.
    func change(_ body: (inout SyncState) -> Void) throws {
        try database.write { database in
            guard var state = try SyncStateTable.load(from: database) else { return }
            body(&state)
            try SyncStateTable.save(state, in: database)
        }
    }

    /// Shows an item as a state says it.
    func show(_ view: RecordState) throws {
        let store = SyncedKeychain(keychain)
        guard let item = SyncedKeychain.entry(of: view) else { return }
        _ = try database.write { try store.show(item, isAlive: view.isAlive, in: $0) }
    }

    /// Counts from one below the last counter.
    func forgetLastCounter() throws { try change { if $0.counter > 0 { $0.counter -= 1 } } }

    /// Changes what the device knows the server to hold of a record.
    func changeMirror(of record: RecordID, _ body: (inout RecordState) -> Void) throws {
        guard var mirror = try replica.read({ try $0.mirror(of: record, in: $1) }), !mirror.isStub
        else { return }
        body(&mirror.content)
        guard let protection = try protection(of: record, in: "mirror") else { return }
        let changed = mirror
        try database.write { database in
            try MirrorTable(rows: rows).save(
                changed,
                protection: protection,
                conflict: nil,
                in: database
            )
        }
    }
}
