internal import KSImporting

// KeePassXC's table, as KeePassXC 2.7 writes and reads it.
extension EntryFormat {
    private static let keepassxcColumns: TableLogin.Columns = [
        .title, .note, .oneTimeCode, .folder, .times, .anyEntry,
    ]

    static let keepassxc = EntryFormat(
        name: "keepassxc",
        isFormat: nil,
        read: { file throws(MovingError) in
            try ReadEntries(table: file.bytes, format: .keepassxc)
        },
        write: { entries, target in writeKeePassXC(entries, target.time) }
    )

    private static func writeKeePassXC(_ entries: EntryList, _ time: Int64) -> WrittenEntries {
        var notes = NoteList()
        var written = WrittenEntries()
        var writer = CSVWriter(quotes: .always)
        writer.write([
            "Group", "Title", "Username", "Password", "URL", "Notes", "TOTP", "Icon",
            "Last Modified", "Created",
        ])
        var logins: [TableLogin] = []
        for (index, entry) in entries.enumerated() {
            guard let login = TableLogin(entry, index + 1, keepassxcColumns, &notes) else {
                continue
            }
            logins.append(login)
            // A note's text is no password there.
            let isNote = entry.type == "note"
            let texts = [isNote ? login.password : "", entry.note].filter { !$0.isEmpty }
            let changed = entry.changed ?? time
            writer.write([
                (["Root"] + entry.tags.prefix(1)).joined(separator: "/"), entry.shownTitle,
                entry.userName, isNote ? "" : login.password, login.address,
                texts.joined(separator: "\n"), login.oneTimeCode, "0",
                Timestamp.text(changed, withMilliseconds: false) ?? "",
                Timestamp.text(entry.created ?? changed, withMilliseconds: false) ?? "",
            ])
        }
        written.files = [writer.bytes]
        written.notes = notes.notes
        written.noteUnheld(logins, keepassxcColumns)
        return written
    }
}
