package import KSRecords
internal import KSSealing

/// A device of the account, for people.
package struct AccountDevice: Equatable, Sendable {
    package let id: MemberID
    /// Nil if it cannot be read.
    package let name: String?
    package let isThisDevice: Bool
    /// The device that added it; nil if it logged in with the password, or signed the account up.
    package let sponsor: MemberID?
}

extension Replica {
    /// The devices of the account in the order in which they joined, as this device knows them.
    package func devices() -> [AccountDevice] {
        let entry = circle.newest
        return entry.members.filter { $0.kind == .device }
            .sorted { ($0.addedAtVersion, $0.id) < ($1.addedAtVersion, $1.id) }
            .map { member in
                AccountDevice(
                    id: member.id,
                    // A damaged name must not hide the device.
                    name: try? MemberName.open(
                        of: member,
                        account: entry.account,
                        keyRing: keys.keyRing
                    ),
                    isThisDevice: member.id == keys.identity.memberID,
                    sponsor: circle.sponsors.line(of: member)?.dropFirst().first
                )
            }
    }
}
