internal import KSRecords
internal import KSSyncEngine
internal import KSWire

// What a picture needs of the events.

extension World {
    /// Adds a step of a story without lines, which begins with the name of the device or server.
    func note(step: String, of party: StoryRecord.Party) {
        guard recordsSteps else { return }
        record?.add(.step(step, line: nil, party), at: clock.milliseconds)
    }

    /// Adds what devices show after such a step.
    func noteEndOfStep() throws {
        if recordsSteps { try whenStepped?() }
    }

    /// Puts a message on its way.
    func post(
        _ event: Event,
        _ message: @autoclosure () -> StoryRecord.Message,
        after milliseconds: UInt64
    ) {
        let order = add(event, after: milliseconds)
        record?.send(message(), order: order, at: clock.milliseconds)
    }

    /// A message leaves, and never arrives.
    func lose(_ message: @autoclosure () -> StoryRecord.Message) {
        record?.send(message(), order: nil, at: clock.milliseconds)
    }

    /// A message ends its way.
    func noteEnd(of entry: EventQueue.Entry, isLost: Bool = false) {
        record?.end(entry.order, isLost: isLost, at: clock.milliseconds)
    }

    func message(_ request: SyncRequest, from device: SimulatedDevice) -> StoryRecord.Message {
        let text =
            switch request {
            case .push(let batch, _): "push of \(batch.envelopes.count)"
            case .pull: "pull"
            case .circle: "question for the circle"
            case .returnCircle: "return of the circle"
            case .raise: "raise of the vector"
            }
        return .init(
            kind: .request,
            text: text,
            from: .device(device.index),
            to: .server(device.server)
        )
    }

    func message(
        _ answer: SyncAnswer,
        from server: Int,
        to device: SimulatedDevice
    ) -> StoryRecord.Message {
        let text =
            switch answer {
            case .pushed: "accepted"
            case .page(let page): page.records.isEmpty ? "nothing new" : Self.text(of: page)
            case .circle: "circle"
            case .raised, .circleReturned: "done"
            case .refused(let code, _): "refused: \(code.rawValue)"
            case .failed: "nothing"
            }
        return .init(kind: .answer, text: text, from: .server(server), to: .device(device.index))
    }

    private static func text(of page: PageAnswer) -> String {
        "page of \(page.records.count)\(page.hasMore ? ", more follow" : "")"
    }

    func news(_ text: String, from server: Int, to device: SimulatedDevice) -> StoryRecord.Message {
        .init(kind: .news, text: text, from: .server(server), to: .device(device.index))
    }
}

extension Story {
    /// Keeps a record of what happens from now on.
    func startRecord() {
        world.record = StoryRecord()
        world.whenStepped = { [weak self] in try self?.noteShown() }
    }

    /// Keeps a record of a story without lines.
    func startRecordOfSteps() {
        startRecord()
        world.recordsSteps = true
    }

    /// What has happened until now.
    ///
    /// - Parameter title: what stands above the picture.
    /// - Throws: errors that no story may cause, such as one of the database.
    /// - Returns: the picture; nil unless the story keeps a record.
    public func picture(title: String) throws -> StoryPicture? {
        try finishedRecord().map { StoryPicture(title: title, $0) }
    }

    /// Adds a line of the story to the record.
    func note(_ step: StoryFile.Step) {
        world.record?.add(
            .step(step.text, line: step.line, party(of: step)),
            at: world.clock.milliseconds
        )
    }

    func note(_ failure: StoryOutcome.Failure, of step: StoryFile.Step) {
        world.record?.add(
            .failed(
                line: failure.line,
                expected: failure.expected,
                shown: failure.shown,
                party(of: step)
            ),
            at: world.clock.milliseconds
        )
    }

    /// Adds what devices show now, and who can be reached.
    func noteShown() throws {
        guard world.record != nil else { return }
        let now = world.clock.milliseconds
        world.record?.devices = deviceNames
        world.record?.serverCount = world.servers.count
        for server in world.servers.indices {
            let isNewest = server == world.servers.count - 1
            let isThere = !world.isServerAway && !(isNewest && world.server.isEmpty)
            world.record?.note(.server(server), isReachable: isThere, at: now)
        }
        for device in world.devices {
            let isThere = device.isOnline && !device.isStopped
            world.record?.note(.device(device.index), isReachable: isThere, at: now)
            let lines = try Device(story: self, device: device).shownLines()
            world.record?.note(lines, of: device.index, at: now)
        }
    }

    /// The record to its end; nil unless one was kept.
    func finishedRecord() throws -> StoryRecord? {
        guard world.record != nil else { return nil }
        try noteShown()
        world.record?.ends = try world.devices.map { device in
            try Device(story: self, device: device).shownLines().map(\.text)
        }
        return world.record
    }

    /// The device or server that a line is about, if it is about one.
    private func party(of step: StoryFile.Step) -> StoryRecord.Party? {
        let device = step.arguments.text("DEVICE")
        if let index = world.devices.first(where: { $0.name == device })?.index {
            return .device(index)
        }
        let isServers = step.form.section == .server || step.form.pattern.contains("server")
        return isServers ? .server(world.servers.count - 1) : nil
    }
}
