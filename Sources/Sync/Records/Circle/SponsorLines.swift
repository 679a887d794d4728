/// Who added whom to a circle, since genesis.
///
/// A device's line of sponsors is itself, the device that added it, and so on back to genesis, the
/// credentials or a recovery key. A thief with one unlocked device can add more, but all their
/// lines go through the stolen device, so two of them never count as independent.
package struct SponsorLines: Hashable, Sendable {
    /// Each member as it was when it was added, oldest first: a removed one may be added again.
    private var additions: [MemberID: [Member]] = [:]

    package init() {}

    /// Reads entries that were checked, from genesis on.
    package init(of entries: [SignedEntry]) throws(CircleError) {
        for entry in entries { note(try CircleRules.decode(entry)) }
    }

    /// Adds the next entry, which was checked.
    package mutating func note(_ entry: CircleEntry) {
        for member in entry.members where member.addedAtVersion == entry.version {
            additions[member.id, default: []].append(member)
        }
    }

    /// The devices of a member's line, itself first; nil if the line is broken, which no checked
    /// circle allows.
    package func line(of member: Member) -> [MemberID]? {
        var line: [MemberID] = []
        var id = member.id
        // A sponsor may have been added several times; the last time before it added counts.
        var beforeVersion = member.addedAtVersion + 1
        while true {
            guard let added = additions[id]?.last(where: { $0.addedAtVersion < beforeVersion })
            else { return nil }
            // Credentials and recovery keys end a line, because no device can make them alone.
            guard added.kind == .device else { return line }
            line.append(id)
            // Genesis: the first device was added by itself.
            if added.addedBy == id { return added.addedAtVersion == 1 ? line : nil }
            id = added.addedBy
            beforeVersion = added.addedAtVersion
        }
    }

    /// Whether both members are devices and their lines of sponsors share no device.
    package func areIndependent(_ first: Member, _ second: Member) -> Bool {
        guard first.kind == .device, second.kind == .device,
            let firstLine = line(of: first), let secondLine = line(of: second)
        else { return false }
        return Set(firstLine).isDisjoint(with: secondLine)
    }

    /// Whether a device and a second member may together replace the credentials or the recovery
    /// key, or end the account.
    package func mayTakeOver(_ device: Member, with second: Member) -> Bool {
        guard device.kind == .device, device.id != second.id else { return false }
        return switch second.kind {
        case .credentials, .recovery: true
        case .device: areIndependent(device, second)
        }
    }
}
