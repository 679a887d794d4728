import GRDB
import KSCausality
import KSRecords
import KSResolution
import KSSealing

import KSSyncEngine

/// A second kind of record, as small as possible: notes with a name and a text.
struct NoteStore: SyncedStore {
    struct Note: SyncedEntry, Equatable {
        let name: String
        let text: String

        var canonicalKey: [UInt8] { Array(name.utf8) }
        var values: [ValueName: [UInt8]] {
            [NoteStore.name: Array(name.utf8), NoteStore.text: Array(text.utf8)]
        }
        var protection: ProtectionClass { .afterFirstUnlock }
        var changedMilliseconds: UInt64 { 0 }
    }

    private static let name = ValueName.field("name")
    private static let text = ValueName.field("text")

    /// A number that no kind of the product has.
    static let kind = RecordKind(number: 1 << 40)

    static func makeTable(in database: DatabaseQueue) throws {
        try database.write {
            try $0.execute(sql: "CREATE TABLE note (name TEXT PRIMARY KEY, text TEXT NOT NULL)")
        }
    }

    static func entry(of state: RecordState) -> Note? {
        guard let name = state.shown(name), let text = state.shown(text) else { return nil }
        return Note(
            name: String(decoding: name, as: UTF8.self),
            text: String(decoding: text, as: UTF8.self)
        )
    }

    static func conflictingStamps(of state: RecordState) -> [Stamp] {
        state.conflictingValues(of: text).map(\.stamp)
    }

    func show(_ note: Note, isAlive: Bool, in database: Database) throws -> ShownChange {
        let before = try entries(in: database).first { $0.name == note.name }
        guard before != (isAlive ? note : nil) else { return .unchanged }
        if isAlive {
            try write(note, in: database)
        } else {
            try delete(note, in: database)
        }
        return .changed
    }

    func entries(in database: Database) throws -> [Note] {
        try Row.fetchAll(database, sql: "SELECT name, text FROM note ORDER BY name")
            .map { Note(name: $0["name"], text: $0["text"]) }
    }

    func isDeleted(_ note: Note, in database: Database) throws -> Bool { false }

    func write(_ note: Note, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO note (name, text) VALUES (?, ?)",
            arguments: [note.name, note.text]
        )
    }

    func delete(_ note: Note, in database: Database) throws {
        try database.execute(sql: "DELETE FROM note WHERE name = ?", arguments: [note.name])
    }
}

// MARK: The user

extension ReplicaHome {
    /// Writes a note, or deletes it without a text, as a program would.
    func note(_ name: String, _ text: String?) throws {
        try database.write { try note(name, text, in: $0) }
    }

    func note(_ name: String, _ text: String?, in database: Database) throws {
        let (store, clock, news) = (NoteStore(), clock, device.news)
        let outbox = Outbox<NoteStore>(
            keys: device.keys,
            clock: { clock.milliseconds },
            whenCommitted: { news.raise() }
        )
        let before = try store.entries(in: database).first { $0.name == name }
        let after = text.map { NoteStore.Note(name: name, text: $0) }
        switch (before, after) {
        case (nil, nil): break
        case (nil, let after?):
            try store.write(after, in: database)
            try outbox.note(.added(after), in: database)
        case (let before?, let after?):
            try store.write(after, in: database)
            try outbox.note(.edited(before: before, after: after), in: database)
        case (let before?, nil):
            try store.delete(before, in: database)
            try outbox.note(.deleted(before: before), in: database)
        }
    }

    func notes() throws -> [String: String] {
        let notes = try database.read { try NoteStore().entries(in: $0) }
        return Dictionary(uniqueKeysWithValues: notes.map { ($0.name, $0.text) })
    }

    /// The kinds of the rows in a table of sync.
    func kinds(in table: String) throws -> [Int64] {
        try database.read {
            try Int64.fetchAll($0, sql: "SELECT kind FROM \(table) ORDER BY kind")
        }
    }
}
