internal import KSSyncEngine

extension Story {
    /// One device of a story, with its users and programs.
    public struct Device {
        let story: Story
        let device: SimulatedDevice

        /// Its name.
        public var name: String { device.name }

        var world: World { story.world }
        var hasLeft: Bool { device.hasLeft }

        /// Does something on the device, and lets it send what there is to send.
        func act<Value>(
            _ what: String,
            needsProcess: Bool = true,
            _ body: () throws -> Value
        ) throws -> Value {
            if needsProcess { try checkRuns() }
            return try world.turn.take {
                world.clock.milliseconds += 1
                world.trace("\(name) \(what)")
                world.note(step: "\(name) \(what)", of: .device(device.index))
                let result = Result { try answered(body) }
                if case .failure(let error) = result, (error as? StoryError)?.isOfDisk != true {
                    throw error
                }
                try world.poll(device)
                try world.noteEndOfStep()
                world.letProgramsRun()
                return try result.get()
            }
        }

        /// What the device answers, whose disk may fail.
        private func answered<Value>(_ body: () throws -> Value) throws -> Value {
            _ = device.disk.takeRefusal()
            device.lastAnswer = .done
            do {
                let result = try story.reporting(device, body)
                try world.startAgain(device)
                return result
            } catch {
                if try world.startAgain(device) {
                    device.lastAnswer = .nothing
                    throw StoryError.powerFailed(device: name)
                }
                guard device.disk.takeRefusal() else { throw error }
                device.lastAnswer = .diskFull
                throw StoryError.diskFull(device: name)
            }
        }

        func checkRuns() throws(StoryError) {
            guard !device.isStopped || hasLeft else { throw .killed(device: name) }
        }

        private func checkIsMember() throws(StoryError) {
            guard !hasLeft else { throw .hasLeft(device: name) }
        }

        private func checkIsUnlocked() throws(StoryError) {
            guard !device.isLocked else { throw .locked(device: name) }
        }

        private func checkReachesServer() throws(StoryError) {
            guard device.isReachable, !world.isServerAway else { throw .offline(device: name) }
        }
    }
}

// MARK: Network and clock

extension Story.Device {
    /// Takes the device offline; messages on their way are lost.
    public func goOffline() throws {
        try change("goes offline", isOnline: false, DeviceLink())
    }

    /// Takes the device online, on a network that loses nothing.
    public func goOnline() throws { try change("goes online", DeviceLink()) }

    /// Takes the device online, where each message takes this long.
    public func slowDown(to duration: Duration) throws {
        try change("is slow", DeviceLink(delayMilliseconds: duration.milliseconds))
    }

    /// Takes the device online, where this share of all messages is lost, from 0 to 1.
    public func loseMessages(share: Double) throws {
        try change("is lossy", DeviceLink(lossProbability: share))
    }

    /// Takes the device online, where the server gets its requests and no answer comes back.
    public func loseAnswers() throws {
        try change("hears no answers", DeviceLink(losesAnswers: true))
    }

    private func change(_ what: String, isOnline: Bool = true, _ link: DeviceLink) throws {
        try act(what, needsProcess: false) {
            if !isOnline { device.changeRoute() }
            let wasOnline = device.isOnline
            (device.isOnline, device.link) = (isOnline, link)
            if isOnline, !wasOnline { device.noticeNetwork() }
        }
    }

    /// Sets the device's clock this far ahead of the right time, or behind it.
    public func setClock(ahead duration: Duration) throws {
        try act("sets its clock", needsProcess: false) {
            device.clock.aheadMilliseconds = max(
                duration.signedMilliseconds,
                -Int64(World.startMilliseconds)
            )
        }
    }
}

// MARK: The disk

extension Story.Device {
    /// Fills the disk of the device: whatever it would write there fails, until ``freeDisk()``.
    ///
    /// A step that writes throws ``StoryError/diskFull(device:)``.
    public func fillDisk() throws {
        try act("has a full disk", needsProcess: false) { device.disk.isFull = true }
    }

    /// Makes room on the disk of the device.
    public func freeDisk() throws {
        try act("has room on its disk", needsProcess: false) {
            device.disk.isFull = false
            device.noticeNetwork()
        }
    }

    /// Lets the power of the device fail in the middle of a write to its disk.
    ///
    /// What it had not synced to the disk is lost, kept or torn, as the seed decides. The device
    /// starts again at once, unlocked; its programs have ended. If it was in a step of its user,
    /// that throws ``StoryError/powerFailed(device:)``: the change is there, or it is not.
    /// - Parameter count: at which further write, counted from 1; a step has several.
    /// - Throws: ``StoryError/refused(_:)`` for a count below 1.
    public func crash(atWrite count: Int = 1) throws {
        try Self.checkCount(count)
        try act("will lose its power at write \(count)", needsProcess: false) {
            world.failPower(of: device.disk, atWrite: count)
        }
    }

    static func checkCount(_ count: Int) throws(StoryError) {
        guard count > 0 else { throw .refused("writes are counted from 1; give a number above 0") }
    }
}

// MARK: The device itself

extension Story.Device {
    /// Locks the device.
    public func lock() throws { try act("is locked") { device.lock() } }

    /// Unlocks the device.
    public func unlock() throws { try act("is unlocked") { try device.unlock() } }

    /// Kills the device's process, in the middle of whatever it does.
    public func kill() throws {
        try checkIsMember()
        try act("is killed") { device.stop() }
    }

    /// Starts the device's process again, unlocked.
    public func start() throws {
        try checkIsMember()
        try act("starts", needsProcess: false) { try device.restart() }
    }

    /// Copies the device's database, to put it back later.
    public func copyDatabase() throws {
        try checkIsMember()
        try act("copies its database") {
            story.copies[device.index] = try world.copyOfDatabase(of: device)
        }
    }

    /// Ends the process and starts it, unlocked, with the last copy of its database.
    public func putDatabaseBack() throws {
        try checkIsMember()
        guard let kept = story.copies[device.index] else { throw StoryError.noCopy(device: name) }
        try act("puts its database back", needsProcess: false) {
            try world.putBack(kept, on: device)
        }
    }

    /// Starts another machine with a copy of this one's disk, as after a copied home.
    ///
    /// - Parameter name: what the story calls it; other devices see it under the first one's name.
    /// - Throws: ``StoryError`` for a name that cannot be used.
    /// - Returns: the copy.
    @discardableResult
    public func clone(as name: String) throws -> Story.Device {
        try story.check(newName: name)
        try checkIsMember()
        try checkIsUnlocked()
        try act("is cloned as \(name)") {
            try world.clone(device)
            world.devices[world.devices.count - 1].name = name
        }
        let clone = try story[name]
        clone.device.link = device.link
        return clone
    }
}

// MARK: The account

extension Story.Device {
    /// Removes another device from the account, which ends the generation of its keys.
    ///
    /// - Throws: ``StoryError/notUpToDate(device:)`` if the server has newer writes.
    public func revoke(_ other: Story.Device) throws {
        try checkRuns()
        try checkIsMember()
        try checkIsUnlocked()
        try checkReachesServer()
        let isDone = try act("revokes \(other.name)") {
            try world.revoke(other.device.member, by: device)
        }
        guard isDone else { throw StoryError.notUpToDate(device: name) }
    }

    /// Leaves the account, as `logout` does.
    ///
    /// - Parameter keepingItems: whether items and key-values stay on the device.
    /// - Throws: ``StoryError`` for a device that is locked or has left already.
    public func leave(keepingItems: Bool) throws {
        try checkRuns()
        try checkIsMember()
        try checkIsUnlocked()
        try act("leaves the account\(keepingItems ? "" : " without its items")") {
            try device.disk.withPower { try device.leave(keepsItems: keepingItems) }
            device.stop()
            device.hasLeft = true
            device.programs?.noteRestart()
        }
    }

    /// Joins the account again that it has left, as `login` does.
    public func returnToAccount() throws {
        guard hasLeft else { throw StoryError.hasNotLeft(device: name) }
        try checkIsUnlocked()
        guard device.isOnline, !world.isServerAway else {
            throw StoryError.offline(device: name)
        }
        try act("returns to the account") {
            try device.disk.withPower {
                try device.joinAgain(epoch: world.servers[device.server].epoch)
            }
            device.hasLeft = false
        }
    }

    /// Names the newest of the account's servers to the device.
    public func moveToNewServer() throws {
        try checkIsMember()
        try checkIsUnlocked()
        try act("moves to the new server") { try world.move(device) }
    }

    /// Answers the question about many deletions: the items stay, on all devices.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func keepDeleted() throws -> Int {
        try act("keeps what others deleted") { try device.replica.answerDeletions(.keep) }
    }

    /// Answers the question about many deletions: the items go here too.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func acceptDeletions() throws -> Int {
        try act("accepts what others deleted") { try device.replica.answerDeletions(.accept) }
    }
}
