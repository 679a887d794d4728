package import KSAgent
internal import KSImporting
internal import KSKeychain

extension CallHandler {
    /// Items a transaction: few enough that other programs need not wait, enough for one disk sync
    /// to carry many.
    private static let batchItems = 500
    /// A file of which every row is broken should not become an answer too large to send.
    private static let findingsMax = 10_000

    /// Reads a file of passwords and adds what is in it.
    package func importFile(
        _ arguments: AgentDictionary,
        _ reportProgress: ReportProgress
    ) async throws -> AgentValue {
        guard let bytes = arguments["file"]?.data else { throw CommandFailure.malformedCall }
        var format: ImportFormat?
        if let name = arguments["format"]?.string {
            guard let named = ImportFormat(rawValue: name) else {
                throw CommandFailure.malformedCall
            }
            format = named
        }
        let isDryRun = arguments["dryRun"]?.bool ?? false
        let plan = try ImportPlan(bytes: bytes, format: format)
        var counts = ImportCounts()
        var start = 0
        while start < plan.items.count {
            guard !Task.isCancelled else { break }
            let end = min(start + Self.batchItems, plan.items.count)
            do {
                counts += try await owner.add(plan.items[start..<end], isDryRun: isDryRun)
            } catch {
                guard start > 0 else { throw error }
                throw CommandFailure(stoppedImport: error, doneItems: start)
            }
            start = end
            reportProgress(
                AgentProgress(
                    done: UInt64(end),
                    total: UInt64(plan.items.count),
                    text: "Importing"
                )
            )
        }
        try Task.checkCancellation()
        return value(plan, counts, isDryRun: isDryRun)
    }

    private func value(
        _ plan: ImportPlan,
        _ counts: ImportCounts,
        isDryRun: Bool
    ) -> AgentValue {
        var findings = plan.findings.map { finding in
            Finding(
                row: finding.row,
                reason: finding.reason.rawValue,
                isImported: finding.reason.isImported,
                sentence: finding.sentence
            )
        }
        for row in counts.tooLarge {
            let sentence = "Row \(row): not imported: it is larger than an item may be (64 KiB)."
            findings.append(
                Finding(row: row, reason: "too_large", isImported: false, sentence: sentence)
            )
        }
        for row in counts.taken {
            let sentence =
                "Row \(row): not imported: an item that stays on this device has its key."
            findings.append(
                Finding(row: row, reason: "taken", isImported: false, sentence: sentence)
            )
        }
        for row in counts.leftOut {
            let sentence =
                "Row \(row): imported, but a further password of its login is left out: it needs a"
                + " history, so sign up first and import again."
            findings.append(
                Finding(row: row, reason: "no_history", isImported: true, sentence: sentence)
            )
        }
        findings.sort { $0.row < $1.row }
        let refused = plan.refusedRowCount + counts.tooLarge.count + counts.taken.count
        return [
            "format": .string(plan.format.rawValue),
            "dryRun": .bool(isDryRun),
            "rows": .integer(Int64(plan.rowCount)),
            "items": .integer(Int64(plan.items.count)),
            "added": .integer(Int64(counts.added)),
            "unchanged": .integer(Int64(counts.unchanged)),
            "kept": .integer(Int64(counts.kept)),
            "equalRows": .integer(Int64(plan.equalRowCount)),
            "superseded": .integer(Int64(plan.supersededSecretCount)),
            "withoutHistory": .integer(Int64(counts.leftOut.count)),
            "refusedRows": .integer(Int64(refused)),
            "findings": .array(findings.prefix(Self.findingsMax).map(\.value)),
        ]
    }

    /// Something to tell of one row.
    private struct Finding {
        let row: Int
        let reason: String
        let isImported: Bool
        let sentence: String

        var value: AgentValue {
            [
                "row": .integer(Int64(row)),
                "reason": .string(reason),
                "imported": .bool(isImported),
                "sentence": .string(sentence),
            ]
        }
    }
}
