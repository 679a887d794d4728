internal import GRDB
internal import KSSealing

// Remembers that the server refuses this device. It is kept on the disk: a daemon that has just
// started can say it before the server has answered. Only the server says so, and it may lie:
// nothing but messages to people depends on it.

extension Replica {
    var accountValues: AccountValueTable { AccountValueTable(rows: keys.rows) }

    func loadRefusal() throws {
        let value = try database.unsafeRead { database in
            // A damaged value is forgotten: the next answer of the server restores it.
            try Kept { try self.accountValues.load(.refusedSince, from: database) }
        }
        guard case .kept(let bytes?) = value else { return }
        refusedSinceMilliseconds = UInt64(String(decoding: bytes, as: UTF8.self))
    }

    /// Notes whether the server refuses this device, after each of its answers.
    func noteRefusal(_ isRefused: Bool) throws {
        guard isRefused != (refusedSinceMilliseconds != nil) else { return }
        let time = isRefused ? clock() : nil
        try database.write { database in
            if let time {
                let bytes = Array(String(time).utf8)
                try self.accountValues.save(bytes, as: .refusedSince, in: database)
            } else {
                try self.accountValues.delete(.refusedSince, in: database)
            }
        }
        refusedSinceMilliseconds = time
    }
}
