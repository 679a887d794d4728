internal import KSKeychain
internal import KSSealing
internal import KSSyncEngine

// The users' actions, on any device, online or not.

extension World {
    func act() throws {
        if lockRandom.chance(settings.lockProbability) { try turnLock() }
        if settings.restartProbability > 0, random.chance(settings.restartProbability) {
            try restart(random.one(of: devices))
        }
        if settings.hasCopies { try copySomething() }
        if settings.returnProbability > 0 { try returnSomebody() }
        if settings.revocationProbability > 0 { try revokeSomebody() }
        if settings.passwordProbability > 0 { try changePassword() }
        if settings.joinProbability > 0 { try joinSomebody() }
        if settings.restoreProbability > 0 { try restoreServer() }
        if settings.emptyProbability > 0 { try emptyServer() }
        if settings.moveProbability > 0 { try moveServer() }
        if settings.sweepProbability > 0 { try sweepItems() }
        if settings.silentProbability > 0 { silenceSomebody() }
        if settings.removalProbability > 0 { try removeDeleted() }
        turnClock()
        changeRoute()
        try writeKeyValue()
        let device = random.one(of: devices)
        let item = Int.random(in: 0..<settings.itemCount, using: &random)
        do {
            try act(on: item, device)
        } catch ItemStoreError.interactionNotAllowed where device.isLocked {
            trace("\(device.name) is locked for item \(item)")
        } catch SealingError.classLocked where device.isLocked {
            trace("\(device.name) is locked for item \(item)")
        }
        try poll(device)
    }

    private func act(on item: Int, _ device: SimulatedDevice) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: try edit(item, on: device)
        case 45..<60: try annotate(item, on: device)
        case 60..<72: try delete(item, on: device)
        case 72..<80: try rename(item, on: device)
        case 80..<86: disconnect(device)
        case 86..<93: connect(device)
        case 93..<97: try restart(device)
        default:
            // Sets a clock wrong by up to a day, or right again.
            device.clock.aheadMilliseconds =
                random.chance(0.5) ? 0 : Int64.random(in: 0...86_400_000, using: &random)
            tell(device, "clock \(device.clock.aheadMilliseconds / 1000)s")
        }
    }

    /// Sets a clock ten years wrong, in either direction, or right again.
    private func turnClock() {
        guard clockRandom.chance(settings.clockJumpProbability) else { return }
        let device = clockRandom.one(of: devices)
        let years = clockRandom.one(of: [10, 10, -10, 0] as [Int64])
        trace("the clock of \(device.name) is set \(years) years ahead")
        device.clock.aheadMilliseconds = years * 31_557_600_000
        tell(device, "clock \(years)y")
        if years != 0 { happenings[.clockJumps] += 1 }
    }

    /// Locks a device, or unlocks it.
    private func turnLock() throws {
        let device = lockRandom.one(of: devices)
        if device.isLocked {
            trace("\(device.name) is unlocked")
            tell(device, "unlock")
            if settings.bug == .forgetsWaiting { try device.run("DELETE FROM waiting") }
            try device.unlock()
        } else {
            trace("\(device.name) is locked")
            tell(device, "lock")
            device.lock()
        }
        try poll(device)
    }

    private func disconnect(_ device: SimulatedDevice) {
        if device.isOnline {
            happenings[.offlinePeriods] += 1
            tell(device, "offline")
        }
        device.isOnline = false
    }

    func connect(_ device: SimulatedDevice) {
        guard clock.milliseconds >= device.silentUntilMilliseconds else { return }
        if !device.isOnline { tell(device, "online") }
        device.isOnline = true
        device.replica.wake()
    }

    private func restart(_ device: SimulatedDevice) throws {
        trace("\(device.name) starts again")
        tell(device, "kill")
        tell(device, "start")
        happenings[.restarts] += 1
        if settings.bug == .reusesCounter { try device.forgetLastCounter() }
        try spoilEdits(atStartOf: device)
        try device.restart()
    }

    /// Sets a new secret, or adds the item if there is none.
    package func edit(_ item: Int, on device: SimulatedDevice) throws {
        let number = oracle.nextNumber
        if try device.has(item: item) {
            let seen = try device.seen(item: item)
            trace("\(device.name) sets secret \(number) of item \(item)")
            tell(device, "set item\(item) password \(Oracle.secret(number).storyText)")
            try device.change(item: item, secret: Oracle.secret(number))
            oracle.note(.secret, item: item, device: device.index, seen: seen)
            noteRead(of: number, item: item, on: device)
            happenings[.edits] += 1
        } else {
            trace("\(device.name) adds item \(item) with secret \(number)")
            let (secret, note) = (Oracle.secret(number), Oracle.note(number + 1))
            tell(device, "add item\(item) \(secret.storyText)")
            tell(device, "set item\(item) note \(note.storyText)")
            try device.add(item: item, secret: secret, note: note)
            // Its user may have deleted it without the account, which will show it again.
            oracle.note(.secret, item: item, device: device.index, seen: [])
            oracle.note(.note, item: item, device: device.index, seen: [])
            noteRead(of: number, item: item, on: device)
            happenings[.additions] += 1
        }
    }

    private func annotate(_ item: Int, on device: SimulatedDevice) throws {
        guard try device.has(item: item) else { return }
        let seen = try device.seen(item: item)
        let number = oracle.nextNumber
        let field = Oracle.Field.allCases[number % settings.fieldCount]
        trace("\(device.name) sets \(field) \(number) of item \(item)")
        tell(device, "set item\(item) \(field) \(Oracle.note(number).storyText)")
        try device.change(item: item, [field.attribute: .string(Oracle.note(number))])
        oracle.note(.note, field, item: item, device: device.index, seen: seen)
        happenings[.edits] += 1
    }

    func delete(_ item: Int, on device: SimulatedDevice) throws {
        guard try device.has(item: item) else { return }
        let seen = try device.seen(item: item)
        trace("\(device.name) deletes item \(item)")
        tell(device, "delete item\(item)")
        _ = try device.keychain.delete(device.query(item: item))
        device.shownItems.remove(item)
        device.lostItems.remove(item)
        device.deletionCount += 1
        closeRenames(of: [item], on: device)
        noteAbsence(of: item, on: device)
        oracle.note(.delete, item: item, device: device.index, seen: seen)
        happenings[.deletions] += 1
    }

    private func rename(_ item: Int, on device: SimulatedDevice) throws {
        let target = Int.random(in: 0..<settings.itemCount, using: &random)
        try rename(item, to: target, on: device)
    }

    /// Renames an item, if it is there and its new name is free.
    package func rename(_ item: Int, to target: Int, on device: SimulatedDevice) throws {
        guard target != item, try device.has(item: item), try !device.has(item: target) else {
            return
        }
        let seen = try device.seen(item: item)
        trace("\(device.name) renames item \(item) to \(target)")
        tell(device, "rename item\(item) item\(target)")
        closeRenames(of: [item, target], on: device)
        for item in [item, target] { noteAbsence(of: item, on: device) }
        let box = try device.boxOnItsWay()
        try device.change(item: item, [.account: SimulatedDevice.account(item: target)])
        try spoilRename(of: item, to: target, on: device)
        openRenames.append(OpenRename(device: device.index, item, target, ignoring: box))
        device.shownItems.remove(item)
        oracle.note(.renameAway, item: item, device: device.index, seen: seen)
        oracle.noteMove(of: seen, to: target)
        happenings[.renames] += 1
    }
}

extension String {
    /// As a value of a story's line.
    fileprivate var storyText: String { StoryValue(self).description }
}
