internal import KSRecords
internal import KSSyncEngine

// The removal of deleted records, on the server and on devices that were away.

extension PlantedBug {
    package static let removesEarly = PlantedBug(
        "removesEarly",
        "The server waits for no device",
        breaks: .removalWaits,
        in: .removals
    )
    package static let removesBySetClock = PlantedBug(
        "removesBySetClock",
        "The server measures time by a clock that is set wrong",
        breaks: .removalWaits,
        in: .removals
    )
    package static let forgetsHorizon = PlantedBug(
        "forgetsHorizon",
        "The server does not note what it has removed",
        breaks: .devicesAgree,
        in: .removals
    )
    package static let forgetsAnswers = PlantedBug(
        "forgetsAnswers",
        "The server forgets its answers to accepted batches",
        breaks: .nothingComesBack,
        in: .removals
    )
    package static let ignoresBatch = PlantedBug(
        "ignoresBatch",
        "The server counts what a device has pulled as applied although a batch waits there",
        breaks: .nothingComesBack,
        in: .removals
    )
    package static let pushesRemovedBack = PlantedBug(
        "pushesRemovedBack",
        "A device that was away adds again what the server lacks",
        breaks: .nothingComesBack,
        in: .removals
    )
    package static let forgetsUnsentEdits = PlantedBug(
        "forgetsUnsentEdits",
        "A device that was away drops its unsent edits",
        breaks: .nothingIsLost,
        in: .removals
    )
    package static let forgetsStubs = PlantedBug(
        "forgetsStubs",
        "A device forgets deleted records before the server does",
        breaks: .nothingComesBack,
        in: .removals
    )

    static let ofRemovals = [
        removesEarly, removesBySetClock, forgetsHorizon, forgetsAnswers, ignoresBatch,
        pushesRemovedBack, forgetsUnsentEdits, forgetsStubs,
    ]
}

extension World {
    /// Lets a device make a mistake about removed records, before its next request.
    func spoilRemoval(on device: SimulatedDevice) throws {
        guard settings.removalProbability > 0, !device.isLocked else { return }
        if settings.bug == .forgetsStubs {
            try device.run(
                "DELETE FROM mirror WHERE is_stub = 1",
                "DELETE FROM mirror WHERE record IN (SELECT record FROM outbox)"
            )
        }
        guard let comparison = try device.replica.reconciliation(),
            comparison.reason == .resyncRequired
        else { return }
        if comparison.step == .batch, try device.boxOnItsWay() == nil,
            settings.bug == .pushesRemovedBack
        {
            try device.leave(keepsItems: true)
            try device.run("DELETE FROM departed_account", "DELETE FROM reconciliation")
            try device.joinAgain(epoch: server.epoch)
        } else if comparison.step == .download, settings.bug == .forgetsUnsentEdits {
            try device.run("DELETE FROM outbox")
        }
    }
}
