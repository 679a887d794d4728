internal import KSImporting

extension ReadEntries {
    /// Reads a table of comma-separated values, whose rows are logins.
    ///
    /// `format`: the layout; nil to detect it from the header.
    ///
    /// - Throws: ``MovingError/table(_:)`` if there is no readable table.
    init(table bytes: [UInt8], format: ImportFormat?) throws(MovingError) {
        let plan: ImportPlan
        do throws(ImportError) {
            plan = try ImportPlan(bytes: bytes, format: format)
        } catch {
            throw .table(error)
        }
        self.init(format: plan.format.rawValue)
        count = plan.rowCount
        var notes = NoteList()
        for item in plan.items {
            let number = item.rows.first ?? 0
            notes.begin(number, item.label)
            append(Entry(item, &notes), number: number)
        }
        self.notes =
            plan.findings.map { finding in
                EntryNote(
                    finding.row,
                    title: "",
                    part: finding.reason.isImported ? "its name" : "",
                    finding.reason.isImported ? .otherForm : .row,
                    detail: finding.reason.text
                )
            } + notes.notes
        for remark in plan.remarks where remark.reason != .httpsAssumed {
            let part =
                remark.reason == .pathLeftOut
                ? "the path of its address" : "the column \(remark.column)"
            self.notes += remark.rows.map {
                EntryNote($0, title: "", part: part, .partNotHeld)
            }
        }
        self.notes.sort { $0.entry < $1.entry }
    }
}

extension Entry {
    /// A login of a table, which may have several passwords.
    fileprivate init(_ item: ImportedItem, _ notes: inout NoteList) {
        self.init()
        title = item.label
        userName = item.account
        note = item.comment
        realm = item.securityDomain.isEmpty ? nil : item.securityDomain
        secret = item.secrets.first
        let times = item.secretTimes
        history = zip(item.secrets, times).dropFirst().map { .init(value: $0, time: $1) }
        changed = times.first ?? nil
        if let code = item.protocolCode {
            let scheme = code == "http" ? "http://" : "https://"
            let host = item.server.contains(":") ? "[\(item.server)]" : item.server
            addresses = [.init(scheme + host + (item.port == 0 ? "" : ":\(item.port)"))]
        } else if item.server != title {
            addresses = [.init(item.server)]
        }
        for (index, code) in item.oneTimeCodes.enumerated() {
            let name = index == 0 ? "one-time code" : "one-time code \(index + 1)"
            fields.append(OneTimeCodeText.field(name, code, &notes))
        }
    }
}
