package import KSAgent
internal import KSKeychain
internal import KSSealing
internal import SyncEngine

extension CallHandler {
    /// Looks at everything that is kept here, and tells nothing secret of it; before that it does
    /// with what was set aside as it was told.
    package func doctor(_ arguments: AgentDictionary) async throws -> AgentValue {
        var treatment: AgentDictionary = [:]
        if arguments["restore"]?.bool == true {
            let count = try await owner.restoreQuarantined()
            treatment["restored"] = .integer(Int64(count))
        }
        if arguments["discard"]?.bool == true {
            treatment["discarded"] = .integer(Int64(try await owner.discardDamaged()))
        }
        if let code = arguments["replace"]?.string {
            guard let code = ItemCode(parsing: code) else { throw CommandFailure.malformedCode }
            let engine = try await accounts.engine()
            guard try await engine.giveUpUnreadable(beginning: code.bytes) > 0 else {
                throw CommandFailure.nothingToReplace
            }
            treatment["replaced"] = true
        }
        let inspection = try await owner.inspect()
        let files = await owner.inspectKeyFiles()
        var answer = await lockStatus()
        for entry in treatment.entries { answer[entry.key] = entry.value }
        answer["damages"] = .array(inspection.damages.map { .string($0) })
        answer["readable"] = .integer(Int64(inspection.readable))
        answer["locked"] = .integer(Int64(inspection.locked))
        answer["unreadable"] = .array(
            inspection.unreadable.map { row in
                [
                    "class": .string(row.itemClass.rawValue),
                    "reference": .string(hexadecimal(row.persistentReference)),
                ]
            }
        )
        answer["quarantinedRows"] = .array(
            inspection.quarantined.map { row in
                ["class": .string(row.table), "time": .date(row.seconds)]
            }
        )
        answer["keyFiles"] = .array(
            files.map { file, problem in
                [
                    "file": .string(file.rawValue),
                    "problem": problem.map { .string(CommandFailure($0).sentence) } ?? .null,
                ]
            }
        )
        if let rows = try await owner.inspectSync() {
            answer["unreadableSync"] = [
                "known": .integer(Int64(rows.mirror)), "unsent": .integer(Int64(rows.outbox)),
                "sent": .integer(Int64(rows.batch)), "received": .integer(Int64(rows.waiting)),
            ]
        }
        let running = await accounts.started()
        answer["account"] = await accounts.problem.map { .string($0.sentence) } ?? .null
        var quarantined: AgentDictionary = [:]
        if let running {
            let status = try await running.engine.status()
            for (reason, count) in status.quarantined {
                quarantined[reason.rawValue] = .integer(Int64(count))
            }
            for entry in AgentDictionary(status.open).entries { answer[entry.key] = entry.value }
            // What is wrong now may be well on the server, or be taken by a newer one.
            if !status.open.isEmpty { try await running.engine.askAgain() }
            answer["waiting"] = .integer(Int64(status.waiting))
            answer["held"] =
                status.state.hold.map { .string(CommandFailure($0).sentence) } ?? .null
        }
        answer["quarantinedRecords"] = .dictionary(quarantined)
        return .dictionary(answer)
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
        as: UTF8.self
    )
}
