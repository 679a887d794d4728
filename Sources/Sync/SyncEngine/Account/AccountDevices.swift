package import KSRecords
internal import KSSealing

/// A device of the account, for people.
package struct AccountDevice: Equatable, Sendable {
    package let id: MemberID
    /// Nil if it cannot be read.
    package let name: String?
    package let isThisDevice: Bool
    /// Whether it has signed keys for the others that are not the account's.
    package let hasSignedFalseKeys: Bool
    /// The device that added it; nil if it logged in with the password, or signed the account up.
    package let sponsor: MemberID?

    package init(
        id: MemberID,
        name: String?,
        isThisDevice: Bool = false,
        hasSignedFalseKeys: Bool = false,
        sponsor: MemberID? = nil
    ) {
        (self.id, self.name, self.isThisDevice) = (id, name, isThisDevice)
        (self.hasSignedFalseKeys, self.sponsor) = (hasSignedFalseKeys, sponsor)
    }
}

extension CircleChain {
    /// The devices of the account in the order in which they joined.
    ///
    /// `own`: this device; `falseAuthors`: those that have signed false keys.
    func devices(
        _ keyRing: KeyRing,
        own: MemberID? = nil,
        false falseAuthors: Set<MemberID> = []
    ) -> [AccountDevice] {
        newest.devices.map { shown($0, keyRing, own: own, false: falseAuthors) }
    }

    /// A present or former member.
    func shown(
        _ member: Member,
        _ keyRing: KeyRing,
        own: MemberID?,
        false falseAuthors: Set<MemberID>
    ) -> AccountDevice {
        AccountDevice(
            id: member.id,
            // A damaged name must not hide the device: its code names it.
            name: try? MemberName.open(of: member, account: newest.account, keyRing: keyRing),
            isThisDevice: member.id == own,
            hasSignedFalseKeys: falseAuthors.contains(member.id),
            sponsor: sponsors.line(of: member)?.dropFirst().first
        )
    }
}

extension Replica {
    /// The devices of the account in the order in which they joined, as this device knows them.
    package func devices() -> [AccountDevice] {
        shownCircle.devices(keys.keyRing, own: keys.identity.memberID, false: falseAuthors)
    }

    /// The devices that were removed from the account, the last one last.
    package func formerDevices() throws -> [AccountDevice] {
        var former: [Member] = []
        var present: [Member] = []
        for entry in try circle.entries.map({ try $0.entry() }) {
            former += present.filter { entry.member($0.id) == nil }
            present = entry.devices
        }
        return former.map(shown)
    }

    func shown(_ member: Member) -> AccountDevice {
        let own = keys.identity.memberID
        return shownCircle.shown(member, keys.keyRing, own: own, false: falseAuthors)
    }

    /// The newest circle whose signatures are good.
    private var shownCircle: CircleChain { refusedCircle ?? circle }

    /// The authors of false keys: they gave others false envelopes, or denied that keys exist which
    /// all had.
    private var falseAuthors: Set<MemberID> {
        let denied = circle.voidAuthors.filter { generation, _ in
            AccountOpening.isDenied(generation, by: circle, keyRing: keys.keyRing)
        }
        return Set(denied.values).union(provenAuthor.map { [$0] } ?? [])
    }
}
