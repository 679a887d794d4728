internal import Foundation
internal import GRDB
internal import KSRecords
internal import KSStore
internal import KSSyncEngine

// How the events of a story run: only as far as it says.

extension World {
    /// Longer than any wait of a device that has something to do.
    private static let quietMillisecondsMax: UInt64 = 2 * 3_600_000
    private static let storyEventsMax = 20_000
    /// How often devices that missed the news of writes ask again.
    private static let roundsMax = 50

    /// Why a device cannot sync until the story says otherwise; nil if it can.
    func obstacle(of device: SimulatedDevice) throws -> UnsentReason? {
        let server = servers[device.server]
        if device.isStopped { return .killed }
        if device.disk.isFull { return .diskFull }
        if !device.isOnline { return .offline }
        if isServerAway { return .serverAway }
        if device.link.losesAnswers { return .oneWay }
        if server.isEmpty { return .serverEmpty }
        if try device.replica.state().hold != nil { return .paused }
        return try server.hasMember(device.member) ? nil : .revoked
    }

    /// Runs the events of this time.
    func advance(milliseconds: UInt64) throws {
        let end = clock.milliseconds + milliseconds
        letProgramsRun()
        while let next = events.next(until: end) {
            try step(next)
            letProgramsRun()
        }
        clock.milliseconds = max(end, clock.milliseconds)
    }

    /// Lets each device ask what is new, and runs events until none has anything to do.
    ///
    /// - Throws: ``StoryError/notQuiet(_:)``.
    func syncAll() throws {
        let end = clock.milliseconds + Self.quietMillisecondsMax
        var count = 0
        var rounds = 0
        var behind = devices
        letProgramsRun()
        while !behind.isEmpty {
            rounds += 1
            guard rounds < Self.roundsMax else { throw StoryError.notQuiet(try reasons(behind)) }
            for device in behind where try obstacle(of: device) == nil {
                device.replica.wake()
                try poll(device)
            }
            while try !isAtRest() {
                count += 1
                guard count < Self.storyEventsMax, let next = events.next(until: end) else {
                    throw StoryError.notQuiet(
                        try reasons(devices.filter { !$0.isResting })
                    )
                }
                try step(next)
                letProgramsRun()
            }
            // A device that lost the news of a write does not know that it is behind.
            behind = try devices.filter { device in
                let seq = try servers[device.server].newestSeq()
                return try obstacle(of: device) == nil
                    && device.replica.state().cursor?.seq ?? 0 < seq
            }
        }
    }

    private func isAtRest() throws -> Bool {
        let isMessageUnderWay = events.contains { event in
            switch event {
            case .request(let device, _, let route, _, _):
                route == devices[device].route && !isServerAway
            case .notice(let device, _, _, _), .circleNotice(let device, _, _):
                devices[device].isReachable
            case .action, .poll, .answer: false
            }
        }
        // What a device's tables say takes longer to find out.
        return try !isMessageUnderWay
            && devices.allSatisfy {
                try $0.isResting || obstacle(of: $0) != nil || waitsForRoom($0)
            }
    }

    /// Whether the server has no room for what a device sends.
    func waitsForRoom(_ device: SimulatedDevice) -> Bool {
        device.isRefusedForRoom && servers[device.server].disk.isFull
    }

    /// Who waits for what.
    func reasons(_ devices: [SimulatedDevice]) throws -> [String] {
        try devices.compactMap { device in
            guard try obstacle(of: device) == nil else { return nil }
            let unsent = try device.replica.counts().unsent
            let isBehind =
                try device.replica.state().cursor?.seq ?? 0 < servers[device.server].newestSeq()
            guard !device.isResting || unsent > 0 || isBehind else { return nil }
            let parts = [
                waiting(device), unsent > 0 ? "with \(unsent) unsent" : nil,
                isBehind ? "behind the server" : nil, network(of: device),
            ]
            return "\(device.name) \(parts.compactMap(\.self).joined(separator: ", "))"
        }
    }

    private func waiting(_ device: SimulatedDevice) -> String {
        switch device.lastRequest {
        case .send(let request):
            return "waits for the answer to its \(message(request.request, from: device).text)"
        case .waitUntil(let milliseconds):
            let time = device.clock.worldMilliseconds(at: milliseconds)
            let seconds = (time - min(time, clock.milliseconds)) / 1000
            return "waits for its next try, in \(seconds) s"
        case .awaitAnswer: return "waits for an answer"
        case .rest: return "has nothing to do"
        }
    }

    /// What the network of a device does, if the story has changed it.
    private func network(of device: SimulatedDevice) -> String? {
        if let share = device.link.lossProbability, share > 0 {
            return "on a network that loses \(Int((share * 100).rounded())) % of its messages"
        }
        return device.link.delayMilliseconds.map {
            "on a network where each message takes \($0) ms"
        }
    }
}

extension SimulatedDevice {
    /// Gives up a request that was lost, and tries again.
    func noticeNetwork() {
        guard !isStopped else { return }
        replica.giveUpRequest()
        replica.wake()
    }
}

extension SimulatedServer {
    /// The seq of the newest write; 0 without the account.
    func newestSeq() throws -> UInt64 { try store.account(account)?.cursor.seq ?? 0 }

    /// Whether this member is in its circle; faster than ``knows(_:)``, which reads the whole one.
    func hasMember(_ member: MemberID) throws -> Bool {
        try database.unsafeRead { database in
            let statement = try database.cachedStatement(
                sql: "SELECT count(*) FROM member WHERE id = ?"
            )
            return try Int.fetchOne(statement, arguments: [Data(member.bytes)]) == 1
        }
    }

    /// How many records it has, living or deleted.
    func recordCount(isDeleted: Bool) throws -> Int {
        try database.unsafeRead { database in
            try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM record WHERE is_deleted = ?",
                arguments: [isDeleted]
            ) ?? 0
        }
    }

    /// Whether these bytes stand anywhere in its database.
    func holds(_ bytes: [UInt8]) throws -> Bool {
        try database.unsafeRead { database in
            let tables = try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"
            )
            return try tables.contains { table in
                try Row.fetchAll(database, sql: "SELECT * FROM \(table)").contains { row in
                    row.databaseValues.contains { value in
                        switch value.storage {
                        case .blob(let data): Array(data).contains(bytes)
                        case .string(let text): Array(text.utf8).contains(bytes)
                        case .null, .int64, .double: false
                        }
                    }
                }
            }
        }
    }
}
