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
        (self.file, self.format, self.dryRun) = (file, format, dryRun)
    }

    /// Items in one transaction: few enough that other programs do not wait, and many enough that
    /// the time of a disk sync is spread over many.
    private static let batchItems = 500
    /// Keeps the answer small enough to send, even if every row of the file is broken.
    private static let findingsMax = 10_000
    /// Characters; no program's column has a longer name.
    private static let columnNameMax = 60

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
                AgentProgress(
                    done: UInt64(end),
                    total: UInt64(plan.items.count),
                    text: "Importing items"
                )
            )
        }
        try Task.checkCancellation()
        return answer(plan, counts)
    }

    private func answer(_ plan: ImportPlan, _ counts: ImportCounts) -> ImportedPasswords {
        var findings = plan.findings.map { finding in
            ReportedFinding(
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
                    ReportedFinding(
                        row: row,
                        reason: reason,
                        imported: imported,
                        sentence: sentence
                    )
                )
            }
        }
        let tooLarge = "not imported: it is larger than an item may be (64 KiB)."
        find(counts.tooLarge, "too_large", tooLarge)
        let taken = "not imported: an item that stays on this device has its key."
        find(counts.taken, "taken", taken)
        let leftOut =
            "not imported: its login has another password, and without an account there is no"
            + " history to keep this one in; sign up first and import again."
        find(counts.leftOut, "no_history", leftOut)
        let beyondHistory =
            "not imported: the history of its login has no room for so many earlier passwords."
        find(counts.beyondHistory, "beyond_history", beyondHistory)
        let otherComment = "imported, but its item has another comment already, which is kept."
        find(counts.otherComment, "other_comment", imported: true, otherComment)
        let wrongCode = "imported, but its one-time code is wrong, and is kept in the comment."
        find(counts.wrongCode, "wrong_code", imported: true, wrongCode)
        findings.sort { $0.row < $1.row }
        let refused = Set(findings.filter { !$0.imported }.map(\.row)).sorted()
        var answer = ImportedPasswords(format: plan.format.rawValue, dryRun: isDryRun)
        answer.separator = plan.separator.rawValue
        answer.columns = plan.columns
        answer.rows = plan.rowCount
        answer.items = plan.items.count
        answer.added = counts.added
        answer.unchanged = counts.unchanged
        answer.kept = counts.kept
        answer.equalRows = plan.equalRowCount
        answer.superseded = plan.supersededSecretCount - counts.beyondHistory.count
        answer.withoutHistory = counts.leftOut.count
        answer.oneTimeCodes = plan.oneTimeCodeCount - counts.wrongCode.count
        answer.refusedRows = refused.count
        answer.refusedRowNumbers = Array(refused.prefix(Self.findingsMax))
        answer.findings = Array(findings.prefix(Self.findingsMax))
        answer.remarks = remarks(plan)
        return answer
    }

    /// The remarks, with at most ``findingsMax`` numbers of rows in all.
    private func remarks(_ plan: ImportPlan) -> [ImportRemark] {
        var left = Self.findingsMax
        return plan.remarks.prefix(Self.findingsMax).map { remark in
            let rows = Array(remark.rows.prefix(left))
            left -= rows.count
            return ImportRemark(
                reason: remark.reason.rawValue,
                column: String(remark.column.prefix(Self.columnNameMax)),
                rows: rows,
                rowCount: remark.rows.count
            )
        }
    }
}

/// The result of an import.
package struct ImportedPasswords: AgentCoded, Codable {
    package var format: String
    package var dryRun: Bool
    package var separator = "comma"
    /// The names of the columns that were read.
    package var columns: [String] = []
    package var rows = 0
    package var items = 0
    package var added = 0
    package var unchanged = 0
    package var kept = 0
    package var equalRows = 0
    package var superseded = 0
    package var withoutHistory = 0
    package var oneTimeCodes = 0
    package var refusedRows = 0
    package var refusedRowNumbers: [Int] = []
    package var findings: [ReportedFinding] = []
    package var remarks: [ImportRemark] = []
}

/// Something to report about one row of an import.
package struct ReportedFinding: Codable, Sendable {
    package var row: Int
    package var reason: String
    package var imported: Bool
    package var sentence: String
}

/// Something to report about a column of an import, in some rows.
package struct ImportRemark: Codable, Sendable {
    package var reason: String
    package var column: String
    /// Perhaps not all, in a very large file.
    package var rows: [Int]
    package var rowCount: Int
}
