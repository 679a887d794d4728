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
        self.id = id
        self.name = name
        self.isThisDevice = isThisDevice
        self.hasSignedFalseKeys = hasSignedFalseKeys
        self.sponsor = sponsor
    }
}

extension Replica {
    /// The devices of the account in the order in which they joined, as this device knows them.
    package func devices() -> [AccountDevice] {
        shownCircle.newest.members.filter { $0.kind == .device }
            .sorted { ($0.addedAtVersion, $0.id) < ($1.addedAtVersion, $1.id) }
            .map(shown)
    }

    /// The devices that were removed from the account, the last one last.
    package func formerDevices() throws -> [AccountDevice] {
        var former: [Member] = []
        var present: [Member] = []
        for entry in try circle.entries.map({ try $0.entry() }) {
            former += present.filter { entry.member($0.id) == nil }
            present = entry.members.filter { $0.kind == .device }
        }
        return former.map(shown)
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

    func shown(_ member: Member) -> AccountDevice {
        AccountDevice(
            id: member.id,
            // A damaged name must not hide the device.
            name: try? MemberName.open(
                of: member,
                account: circle.newest.account,
                keyRing: keys.keyRing
            ),
            isThisDevice: member.id == keys.identity.memberID,
            hasSignedFalseKeys: falseAuthors.contains(member.id),
            sponsor: shownCircle.sponsors.line(of: member)?.dropFirst().first
        )
    }
}
