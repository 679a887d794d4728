package import KSAgent
internal import KSImporting
internal import KSRedaction

/// Adds the passwords of a file.
package struct ImportPasswords: HandledCall, Codable {
    package typealias Answer = ImportedPasswords
    package static let name = "import"
    package static let permission = AgentPermission.seesAll

    package var file: [UInt8]
    package var format: String?
    package var dryRun: Bool?

    package init(file: [UInt8], format: String? = nil, dryRun: Bool? = nil) {
        self.file = file
        self.format = format
        self.dryRun = dryRun
    }

    /// Items in one transaction: few enough that other programs do not wait, and many enough that
    /// the time of a disk sync is spread over many.
    private static let batchItems = 500
    /// Keeps the answer small enough to send, even if every row of the file is broken.
    private static let findingsMax = 10_000

    private var isDryRun: Bool { dryRun ?? false }

    /// Reads a file of passwords and adds what is in it.
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ImportedPasswords {
        let named = format.flatMap(ImportFormat.init(rawValue:))
        guard format == nil || named != nil else { throw CommandFailure.malformedCall }
        let plan = try ImportPlan(bytes: file, format: named)
        var counts = ImportCounts()
        var start = 0
        while start < plan.items.count {
            guard !Task.isCancelled else { break }
            let end = min(start + Self.batchItems, plan.items.count)
            do {
                counts += try await daemon.owner.add(plan.items[start..<end], isDryRun: isDryRun)
            } catch {
                guard start > 0 else { throw error }
                throw CommandFailure(stoppedImport: error, doneItems: start)
            }
            start = end
            caller.reportProgress(
                AgentProgress(done: UInt64(end), total: UInt64(plan.items.count), text: "Importing")
            )
        }
        try Task.checkCancellation()
        return answer(plan, counts)
    }

    private func answer(_ plan: ImportPlan, _ counts: ImportCounts) -> ImportedPasswords {
        var findings = plan.findings.map { finding in
            ImportFinding(
                row: finding.row,
                reason: finding.reason.rawValue,
                imported: finding.reason.isImported,
                sentence: finding.sentence
            )
        }
        func find(_ rows: [Int], _ reason: String, imported: Bool = false, _ sentence: String) {
            for row in rows {
                let sentence = "Row \(row): " + sentence
                findings.append(
                    ImportFinding(row: row, reason: reason, imported: imported, sentence: sentence)
                )
            }
        }
        let tooLarge = "not imported: it is larger than an item may be (64 KiB)."
        find(counts.tooLarge, "too_large", tooLarge)
        let taken = "not imported: an item that stays on this device has its key."
        find(counts.taken, "taken", taken)
        let leftOut =
            "imported, but a further password of its login is left out: it needs a history, so"
            + " sign up first and import again."
        find(counts.leftOut, "no_history", imported: true, leftOut)
        findings.sort { $0.row < $1.row }
        var answer = ImportedPasswords(format: plan.format.rawValue, dryRun: isDryRun)
        answer.rows = plan.rowCount
        answer.items = plan.items.count
        answer.added = counts.added
        answer.unchanged = counts.unchanged
        answer.kept = counts.kept
        answer.equalRows = plan.equalRowCount
        answer.superseded = plan.supersededSecretCount
        answer.withoutHistory = counts.leftOut.count
        answer.refusedRows = plan.refusedRowCount + counts.tooLarge.count + counts.taken.count
        answer.findings = Array(findings.prefix(Self.findingsMax))
        return answer
    }
}

/// The result of an import.
package struct ImportedPasswords: AgentCoded, Codable {
    package var format: String
    package var dryRun: Bool
    package var rows = 0
    package var items = 0
    package var added = 0
    package var unchanged = 0
    package var kept = 0
    package var equalRows = 0
    package var superseded = 0
    package var withoutHistory = 0
    package var refusedRows = 0
    package var findings: [ImportFinding] = []
}

/// Something to report about one row of an import.
package struct ImportFinding: Codable, Sendable {
    package var row: Int
    package var reason: String
    package var imported: Bool
    package var sentence: String
}
