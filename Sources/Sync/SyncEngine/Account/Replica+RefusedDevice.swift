internal import GRDB
internal import KSSealing
internal import KSWire

// Remembers that the server refuses this device. It is kept on the disk: a daemon that has just
// started can say it before the server has answered. Only the server says so, and it may lie:
// nothing but messages to people depends on it.

/// What the server refuses.
package enum Refusal: Equatable, Sendable {
    /// It does not know the device as a member of the account.
    case device
    /// It has no account of this id.
    case account

    fileprivate static let accountSuffix = " account"
}

extension SyncEngine {
    /// Notes why a request failed.
    func note(_ error: ServerError, of step: SyncMachine.Step) throws {
        switch error {
        case .refused(.accountUnknown, _, _):
            lastError = error
            try replica.noteRefusal(.account)
        case .refused(.refused, _, _):
            try replica.noteRefusal(.device, by: step)
            lastError = explained(error)
        case .refused(.circleChanged, _, _)
        where step == .returnCircle && replica.refusal == .account:
            // Somebody has made the account again, with this device or without it.
            try replica.noteRefusal(.device, by: step)
            lastError = .refused(.refused)
        default:
            // A removed device hears first that it was, then that it may not put the circle back.
            if step == .returnCircle, lastError != nil || replica.refusal == .device { return }
            lastError = error
        }
    }

    /// The error, or what is known of its cause: a device without account is refused, too.
    func explained(_ error: ServerError) -> ServerError {
        guard case .refused(.refused, _, _) = error, replica.refusal == .account else {
            return error
        }
        return .refused(.accountUnknown)
    }
}

extension Replica {
    var accountValues: AccountValueTable { AccountValueTable(rows: keys.rows) }

    func loadRefusal() throws {
        let value = try database.unsafeRead { database in
            // A damaged value is forgotten: the next answer of the server restores it.
            try Kept { try self.accountValues.load(.refusedSince, from: database) }
        }
        guard case .kept(let bytes?) = value else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        refusal = text.hasSuffix(Refusal.accountSuffix) ? .account : .device
        refusedSinceMilliseconds = UInt64(text.prefix(while: \.isNumber))
    }

    /// Notes after each answer of the server what it refuses; nil if nothing.
    ///
    /// A device without account is refused, too: only the answer to a request that puts the circle
    /// back tells the two apart, so no other one replaces it.
    func noteRefusal(_ refused: Refusal?, by step: SyncMachine.Step? = nil) throws {
        guard refused != refusal else { return }
        if refused == .device, refusal != nil, step != .returnCircle { return }
        let time = refused.map { _ in refusedSinceMilliseconds ?? clock() }
        try database.write { database in
            if let time, let refused {
                let suffix = refused == .account ? Refusal.accountSuffix : ""
                let bytes = Array((String(time) + suffix).utf8)
                try self.accountValues.save(bytes, as: .refusedSince, in: database)
            } else {
                try self.accountValues.delete(.refusedSince, in: database)
            }
        }
        (refusal, refusedSinceMilliseconds) = (refused, time)
    }
}
