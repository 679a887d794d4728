internal import KSCausality
internal import KSWire
internal import KSRecords
internal import KSSyncEngine

// A network that loses, repeats, delays and reorders messages, and loses answers after the commit.

extension World {
    private static let timeoutMilliseconds: UInt64 = 30_000

    func poll(_ device: SimulatedDevice) throws {
        guard !device.isStopped else { return }
        try onDisk(of: device) { try pollDisk(of: device) }
    }

    private func pollDisk(of device: SimulatedDevice) throws {
        try endWrongShow(on: device)
        try spoilReconciliation(on: device)
        try spoilRemoval(on: device)
        try spoilEdits(of: device)
        try lookAtLosses(on: device)
        let request = try device.replica.nextRequest()
        try lookAtRenames(in: request, of: device)
        try lookAtKeyValues(device)
        device.isResting = request == .rest
        if request != .awaitAnswer { device.lastRequest = request }
        switch request {
        case .send(let request): send(request, from: device)
        case .waitUntil(let milliseconds):
            // The device's clock may be wrong; events use the world's time.
            let worldTime = device.clock.worldMilliseconds(at: milliseconds)
            let time = max(worldTime, clock.milliseconds + 1)
            events.add(.poll(device: device.index), atMilliseconds: time)
        case .awaitAnswer, .rest: break
        }
    }

    private func send(_ request: NumberedRequest, from device: SimulatedDevice) {
        trace("\(device.name) sends \(describe(request))")
        let index = device.index
        // Its further tries would fail too, until the story takes it online.
        guard !settings.isStory || device.isOnline && !isServerAway else {
            return lose(message(request.request, from: device))
        }
        add(
            .answer(device: index, life: device.life, request, .failed, serverMilliseconds: nil),
            after: Self.timeoutMilliseconds
        )
        guard device.isOnline, !isServerAway else { return }
        guard !happens(device.link.lossProbability ?? settings.lossProbability) else {
            happenings[.lostMessages] += 1
            return lose(message(request.request, from: device))
        }
        let event = Event.request(
            device: index,
            life: device.life,
            route: device.route,
            server: device.server,
            request
        )
        post(event, message(request.request, from: device), after: delay(on: device))
        if happens(settings.duplicateProbability) {
            happenings[.duplicatedMessages] += 1
            post(event, message(request.request, from: device), after: delay(on: device) * 20)
        }
    }

    /// Moves a device to a network with a proxy that refuses large requests, or back to one
    /// without.
    func changeRoute() {
        guard settings.proxyBytesMax != nil, proxyRandom.chance(0.2) else { return }
        let device = proxyRandom.one(of: devices)
        device.changeRoute()
        trace(
            "\(device.name) is \(device.isBehindProxy ? "behind a proxy" : "on the open network")"
        )
    }

    /// A proxy's answer to a request that is too large for it; nil if the server answers.
    private func proxyAnswer(
        to request: SyncRequest,
        from device: SimulatedDevice
    ) throws -> SyncAnswer? {
        guard let bytesMax = settings.proxyBytesMax, device.isBehindProxy, !isQuiet,
            try server.bytes(of: request) > bytesMax
        else { return nil }
        happenings[.refusedForSize] += 1
        return .refused(.tooLarge)
    }

    /// - Returns: the event's number in the order of insertion.
    @discardableResult
    func add(_ event: Event, after milliseconds: UInt64 = 0) -> UInt64 {
        events.add(event, atMilliseconds: clock.milliseconds + milliseconds)
    }

    /// Whether a fault of this probability happens now; none does on a quiet network.
    private func happens(_ probability: Double) -> Bool {
        !isQuiet && random.chance(probability)
    }

    func deliver(
        _ request: NumberedRequest,
        from device: SimulatedDevice,
        life: Int,
        to server: Int
    ) throws {
        let answer =
            try proxyAnswer(to: request.request, from: device)
            ?? answer(of: servers[server], to: request, from: device)
        guard let answer else { return }
        trace("the server answers \(device.name): \(describe(answer))")
        if case .pushed(let accepted) = answer {
            if server < servers.count - 1 { happenings[.writesToOldServer] += 1 }
            try tellOthers(of: accepted, than: device, on: server)
        }
        guard !device.link.losesAnswers,
            !happens(device.link.lossProbability ?? settings.lossProbability)
        else {
            happenings[.lostAnswers] += 1
            if case .pushed = answer { happenings[.lostAcknowledgements] += 1 }
            return lose(message(answer, from: server, to: device))
        }
        let times = happens(settings.duplicateProbability) ? 2 : 1
        happenings[.duplicatedMessages] += times - 1
        let (index, now) = (device.index, clock.milliseconds)
        for _ in 0..<times {
            post(
                .answer(device: index, life: life, request, answer, serverMilliseconds: now),
                message(answer, from: server, to: device),
                after: delay(on: device)
            )
        }
    }

    private func tellOthers(
        of accepted: PushAnswer,
        than writer: SimulatedDevice,
        on server: Int
    ) throws {
        for device in devices where device.index != writer.index && device.server == server {
            if happens(device.link.lossProbability ?? settings.lossProbability) {
                happenings[.lostMessages] += 1
                lose(news("news", from: server, to: device))
            } else {
                let (seq, page) = spoilt(
                    accepted.cursor.seq,
                    try servers[server].announcedPage(of: accepted, for: device.member)
                )
                let event = Event.notice(device: device.index, server: server, seq: seq, page)
                let text = page.map { "news with \($0.page.records.count)" } ?? "news"
                post(event, news(text, from: server, to: device), after: delay(on: device))
            }
        }
    }

    /// Tells the devices of a server that one has extended the circle.
    func tellOthers(ofCircle version: UInt64, on server: Int) {
        for device in devices where device.server == server {
            if happens(device.link.lossProbability ?? settings.lossProbability) {
                happenings[.lostMessages] += 1
                lose(news("news of the circle", from: server, to: device))
            } else {
                let event = Event.circleNotice(
                    device: device.index,
                    server: server,
                    version: version
                )
                post(
                    event,
                    news("news of the circle", from: server, to: device),
                    after: delay(on: device)
                )
            }
        }
    }

    private func delay(on device: SimulatedDevice) -> UInt64 {
        if let milliseconds = device.link.delayMilliseconds, !isQuiet { return milliseconds }
        if happens(settings.lateProbability) {
            happenings[.delayedMessages] += 1
            return UInt64.random(in: 1000...90_000, using: &random)
        }
        return UInt64.random(in: 1...200, using: &random)
    }

    /// Counts a message that arrives after a later one.
    func noteArrival(_ entry: EventQueue.Entry) {
        let line: ArrivalOrder.Line
        switch entry.event {
        // These are not messages.
        case .action, .poll, .answer(_, _, _, .failed, _): return
        case .request(let device, _, _, _, _): line = .init(device: device, isToServer: true)
        case .answer(let device, _, _, _, _), .notice(let device, _, _, _),
            .circleNotice(let device, _, _):
            line = .init(device: device, isToServer: false)
        }
        if arrivals.note(entry.order, on: line) { happenings[.overtakenMessages] += 1 }
    }

    private func describe(_ request: NumberedRequest) -> String {
        switch request.request {
        case .push(let batch, _): "\(request.number): push of \(batch.envelopes.count)"
        case .pull(let cursor): "\(request.number): pull after \(cursor?.seq ?? 0)"
        case .circle(let version): "\(request.number): circle after \(version)"
        case .returnCircle(let circle):
            "\(request.number): return of \(circle.entries.count) entries"
        case .raise(let vector, _):
            "\(request.number): raise of \(vector.entries.count) actors"
        }
    }

    private func describe(_ answer: SyncAnswer) -> String {
        switch answer {
        case .pushed(let accepted):
            "pushed up to \(accepted.cursor.seq), siblings \(accepted.records.map(\.dots.count))"
        case .page(let page): "page of \(page.records.count) up to \(page.cursor.seq)"
        case .circle(let entries, _, _): "\(entries.count) entries"
        case .raised: "raised"
        case .circleReturned: "circle returned"
        case .refused(let code, _): "refused, \(code.rawValue)"
        case .failed: "nothing"
        }
    }
}
