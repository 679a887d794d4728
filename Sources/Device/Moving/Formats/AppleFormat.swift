internal import KSImporting

// The table of Apple's Passwords.
extension EntryFormat {
    private static let appleColumns: TableLogin.Columns = [.title, .note, .oneTimeCode]

    static let apple = EntryFormat(
        name: "apple",
        isFormat: nil,
        read: { file throws(MovingError) in
            try ReadEntries(table: file.bytes, format: .apple)
        },
        write: { entries, target in writeApple(entries, target.time) }
    )

    private static func writeApple(_ entries: EntryList, _ time: Int64) -> WrittenEntries {
        var notes = NoteList()
        var written = WrittenEntries()
        var writer = CSVWriter(quotes: .whereNeeded)
        writer.write(["Title", "URL", "Username", "Password", "Notes", "OTPAuth"])
        var logins: [TableLogin] = []
        for (index, entry) in entries.enumerated() {
            guard let login = TableLogin(entry, index + 1, appleColumns, &notes) else { continue }
            logins.append(login)
            writer.write([
                entry.shownTitle, login.address, entry.userName, login.password, entry.note,
                login.oneTimeCode,
            ])
        }
        written.files = [writer.bytes]
        written.notes = notes.notes
        written.noteUnheld(logins, appleColumns)
        return written
    }
}
