internal import GRDB
package import KSRecords
internal import KSSealing

// Which devices others have added or removed since the user last looked at the list. With the
// password, or one unlocked device, a thief can add a device that reads everything: the user must
// notice.

/// A device that another one has added to the account or removed from it.
package struct DeviceNews: Equatable, Sendable {
    package enum Change: String, Sendable {
        case added
        case removed
    }

    package let change: Change
    package let device: AccountDevice
}

extension Replica {
    /// How many entries are read one by one, so that thousands of them do not make this slow.
    private static let entriesMax: UInt64 = 256

    /// What the user has not looked at yet, in the order in which it happened.
    ///
    /// This device's own login and its own removals are no news.
    package func deviceNews() throws -> [DeviceNews] {
        let own = keys.identity.memberID
        let newest = circle.newest
        // A device that has just joined has seen the devices that were there before it.
        let joined = newest.member(own)?.addedAtVersion ?? newest.version
        let seen = min(max(try seenVersion() ?? joined, 1), newest.version)
        var news: [DeviceNews] = []
        var before = try circle.entry(version: seen)
        // What came before these counts as one step.
        let isLong = newest.version - seen > Self.entriesMax
        let first = isLong ? newest.version - Self.entriesMax : seen + 1
        for version in first..<(newest.version + 1) {
            let entry = try circle.entry(version: version)
            if entry.author != own {
                let removed = before.devices.filter { entry.member($0.id) == nil }
                news += removed.map { DeviceNews(change: .removed, device: shown($0)) }
            }
            let added = entry.devices.filter { before.member($0.id) == nil && $0.addedBy != own }
            news += added.filter { $0.id != own }
                .map { DeviceNews(change: .added, device: shown($0)) }
            before = entry
        }
        return news
    }

    /// Notes that the user has seen the list of exactly these devices.
    ///
    /// If it has changed meanwhile, the change stays news.
    package func noteSeen(_ devices: Set<MemberID>) throws {
        guard Set(circle.newest.devices.map(\.id)) == devices else { return }
        let version = circle.newest.version
        guard try seenVersion() != version else { return }
        try database.write { database in
            let text = Array(String(version).utf8)
            try self.accountValues.save(text, as: .seenCircle, in: database)
        }
    }

    private func seenVersion() throws -> UInt64? {
        let value = try database.unsafeRead { database in
            // A damaged value only makes the user look again.
            try Kept { try self.accountValues.load(.seenCircle, from: database) }
        }
        guard case .kept(let bytes?) = value else { return nil }
        return UInt64(String(decoding: bytes, as: UTF8.self))
    }
}
