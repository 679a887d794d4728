/// How the members of an entry differ from those of the previous entry.
struct MemberChange {
    let added: [Member]
    let removed: [Member]
    /// Members whose name alone changed.
    let renamed: [Member]
    /// Whether anything else of a remaining member changed.
    let isTampered: Bool

    init(from previous: CircleEntry, to entry: CircleEntry) {
        added = entry.members.filter { previous.member($0.id) == nil }
        removed = previous.members.filter { entry.member($0.id) == nil }
        let changed = entry.members.filter { member in
            previous.member(member.id).map { $0 != member } ?? false
        }
        renamed = changed.filter { member in
            var before = previous.member(member.id)
            before?.nameBox = member.nameBox
            return before == member
        }
        isTampered = renamed.count < changed.count
    }

    /// Whether this is exactly the change of the operation.
    func isAllowed(for operation: CircleOperation) -> Bool {
        // Names under a retired key have to be sealed again.
        let mayRename = operation == .rename || operation == .retireGenerations
        guard !isTampered, renamed.isEmpty || mayRename else { return false }
        let addedKinds = added.map(\.kind)
        let removedKinds = removed.map(\.kind)
        switch operation {
        case .genesis: return false
        case .addDevice: return addedKinds == [.device] && removed.isEmpty
        case .revoke:
            return added.isEmpty && !removed.isEmpty
                && removedKinds.allSatisfy { $0 == .device }
        case .rename: return added.isEmpty && removed.isEmpty && !renamed.isEmpty
        case .replaceCredentials:
            return addedKinds == [.credentials] && removedKinds == [.credentials]
        case .changeRecovery:
            return addedKinds.count + removedKinds.count > 0 && addedKinds.count <= 1
                && (addedKinds + removedKinds).allSatisfy { $0 == .recovery }
        case .retireGenerations: return added.isEmpty && removed.isEmpty
        }
    }
}

extension CircleOperation {
    /// Whether a member of this kind may be the author.
    func may(be author: MemberKind) -> Bool {
        switch self {
        case .genesis: false
        case .addDevice, .revoke: true
        case .rename, .replaceCredentials, .changeRecovery, .retireGenerations: author == .device
        }
    }

    /// Whether a second member must sign, see ``SponsorLines``.
    ///
    /// A stolen device must not lock its owner out, nor make a recovery key that could. By raised
    /// floors it could make all records unreadable, for ever.
    var needsSecondMember: Bool {
        switch self {
        case .replaceCredentials, .changeRecovery, .retireGenerations: true
        case .genesis, .addDevice, .revoke, .rename: false
        }
    }
}
