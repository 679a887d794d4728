internal import KSRecords
internal import KSSyncEngine

// Which messages arrive, and what they are taken for.

extension PlantedBug {
    static let missesLastSeq = PlantedBug(
        "missesLastSeq",
        "The event stream reports every write but the last",
        breaks: .writesAreHeard
    )
    static let takesAnyPage = PlantedBug(
        "takesAnyPage",
        "A page that comes with an event is applied wherever it begins",
        breaks: .nothingIsLost
    )
    static let takesLateAnswers = PlantedBug(
        "takesLateAnswers",
        "An answer that comes late is taken for that to the next request",
        breaks: .alarmsAreTrue,
        in: .restarts
    )

    static let ofNetwork = [missesLastSeq, takesAnyPage, takesLateAnswers]
}

extension World {
    /// The event of an accepted batch, as a device gets it.
    func spoilt(_ seq: UInt64, _ page: AnnouncedPage?) -> (seq: UInt64, page: AnnouncedPage?) {
        settings.bug == .missesLastSeq ? (seq - 1, nil) : (seq, page)
    }

    /// The page of an event, as a device takes it.
    func spoilt(_ page: AnnouncedPage?, for device: SimulatedDevice) throws -> AnnouncedPage? {
        guard settings.bug == .takesAnyPage, let page,
            let cursor = try device.replica.state().cursor
        else { return page }
        return AnnouncedPage(after: cursor, page: page.page)
    }

    /// The request that an answer is taken for; nil if the device does not wait for it any more.
    func request(
        of answer: SyncAnswer,
        to request: NumberedRequest,
        on device: SimulatedDevice
    ) -> NumberedRequest? {
        if device.replica.awaits(request) { return request }
        guard settings.bug == .takesLateAnswers, case .send(let current) = device.lastRequest,
            device.replica.awaits(current)
        else { return nil }
        switch (answer, current.request) {
        case (.page, .pull), (.pushed, .push): return current
        default: return nil
        }
    }
}
