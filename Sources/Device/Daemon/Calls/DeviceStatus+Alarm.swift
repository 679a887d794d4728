internal import KSBytes
internal import KSDeviceKeys
internal import KSSyncEngine

extension DeviceStatus {
    /// What may be wrong with items and records, in words; empty if all could be checked and is
    /// right.
    package var integrityProblems: [String] {
        var problems: [String] = []
        if lock.lock == .beforeFirstUnlock { problems.append("not checked (locked)") }
        if standing.failure?.code == .fileDamaged { problems.append("the file is damaged") }
        if standing.unreadable > 0 {
            let count = counted(standing.unreadable, "item")
            problems.append(MessageCode.itemUnreadable.sentence(["count": count]))
        }
        guard let sync else { return problems }
        let quarantined = sync.quarantined.values.reduce(0, +)
        if quarantined > 0 {
            problems.append("\(counted(quarantined, "record")) of the server cannot be read")
        }
        problems += sync.falseKeys.map { MessageCode.falseKeys.sentence(["device": $0]) }
        if sync.paused != nil { problems.append("not checked while sync is paused") }
        return problems
    }

    /// Why a job that looks after this device has to call its user; nil if it need not.
    ///
    /// A server out of reach is no reason: sync goes on by itself.
    package var alarm: CommandFailure? {
        if sync?.refusedSince != nil { return standing.failure ?? .serverRefusesDevice }
        if let paused = sync?.paused {
            return CommandFailure(code: .circleForked, exit: .other, sentence: paused)
        }
        if sync?.full == true { return .accountFullOnServer }
        if sync?.restored?.waits == true { return .restoredTooOften }
        if let count = sync?.deletions, count > 0 { return .deletionsHeld(count) }
        if let failure = standing.failure, failure.exit != .serverOutOfReach { return failure }
        if lock.lock == .beforeFirstUnlock { return .locked }
        let problems = integrityProblems
        return problems.isEmpty
            ? nil
            : CommandFailure(code: .notWell, ["problems": problems.joined(separator: "; ")])
    }

    /// What to do about the most urgent matter; nil if nothing needs the user.
    ///
    /// First what stops all of sync, then what waits for an unlock, then single records.
    package var nextStep: NextStep? {
        if sync?.refusedSince != nil {
            return (standing.failure ?? .serverRefusesDevice).next
        }
        if sync?.paused != nil { return MessageCode.circleForked.next() }
        if let failure = standing.failure { return failure.next }
        if sync?.full == true { return CommandFailure.accountFullOnServer.next }
        if lock.lock == .beforeFirstUnlock { return MessageCode.locked.next() }
        guard let sync else { return unreadableStep }
        if sync.restored?.waits == true { return CommandFailure.restoredTooOften.next }
        if sync.deletions > 0 { return MessageCode.deletionsHeld.next() }
        if let device = sync.falseKeys.first {
            return MessageCode.falseKeys.next(["device": device])
        }
        if let record = sync.notSent.first {
            return MessageCode(notSentBecause: record.reason).next(["item": record.item])
        }
        if let record = sync.quarantinedItems.first {
            let reason = QuarantineReason(rawValue: record.reason) ?? .malformed
            return MessageCode(reason).next(["item": record.item])
        }
        let isComparing = sync.restored.map { $0.step != nil } ?? false
        if lock.lock == .locked, sync.waiting > 0 || isComparing {
            return MessageCode.lockedSync.next()
        }
        return unreadableStep
    }

    private var unreadableStep: NextStep? {
        standing.unreadable > 0 ? MessageCode.itemUnreadable.next() : nil
    }
}
