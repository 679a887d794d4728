internal import KSRedaction

/// What a reader did not understand of an entry, or a writer's format cannot hold.
package struct EntryNote: Hashable, Sendable, Codable {
    /// `--json` shows the raw values; they are stable and contain no user data.
    package enum Reason: String, CaseIterable, Sendable, Codable {
        // Of a whole entry.
        case noEntry = "no_entry"
        case unknownType = "unknown_type"
        case typeNotHeld = "type_not_held"
        case inTrash = "in_trash"
        case noPassword = "no_password"
        case noAddress = "no_address"
        case noName = "no_name"
        case notText = "not_text"
        case tooLong = "too_long"
        case sameLogin = "same_login"
        case row = "row"
        case tooLarge = "too_large"
        case taken
        case deviceOnly = "device_only"
        // Of a part.
        case partNotHeld = "not_held"
        case wrongType = "wrong_type"
        case unknownMember = "unknown_member"
        case passkey
        case noHistory = "no_history"
        case beyondHistory = "beyond_history"
        case itemFull = "item_full"
        case present
        // Of a part that is held in another form.
        case otherForm = "other_form"
        case renamed
        case earlier

        /// Whether the whole entry is left out.
        package var isOfEntry: Bool {
            switch self {
            case .noEntry, .unknownType, .typeNotHeld, .inTrash, .noPassword, .noAddress, .noName,
                .notText, .tooLong, .sameLogin, .row, .tooLarge, .taken, .deviceOnly:
                true
            case .partNotHeld, .wrongType, .unknownMember, .passkey, .noHistory, .beyondHistory,
                .itemFull, .present, .otherForm, .renamed, .earlier:
                false
            }
        }

        /// Whether something of the entry is missing afterwards.
        package var isLoss: Bool {
            switch self {
            case .otherForm, .renamed, .earlier: false
            default: true
            }
        }
    }

    /// The entry's place in its file, from 1.
    package var entry: Int
    package var title: String
    /// The part that it is about, such as `field "pin"`; empty for the whole entry.
    package var part: String
    package var reason: Reason
    /// The rest of the sentence, where the reason alone does not say it.
    package var detail: String

    package init(
        _ entry: Int,
        title: String,
        part: String = "",
        _ reason: Reason,
        detail: String = ""
    ) {
        (self.entry, self.title, self.part) = (entry, title, part)
        (self.reason, self.detail) = (reason, detail)
    }

    /// One sentence for the user.
    package var sentence: String { sentence(of: "Entry") }

    /// `unit`: what the file has, `Entry` or `Row`.
    package func sentence(of unit: String) -> String {
        let name = title.isEmpty ? "" : " (\(title))"
        let outcome = reason.isOfEntry ? "left out: " : ""
        return "\(unit) \(entry)\(name): \(outcome)\(text)."
    }

    private var text: String {
        switch reason {
        case .noEntry: "it is no entry"
        case .unknownType: "it is of a type that is not known here\(detail)"
        case .typeNotHeld: "this format does not hold the type \(detail)"
        case .inTrash: "it is in the trash"
        case .noPassword: "it has no password"
        case .noAddress: "it has no web address"
        case .noName: "it has neither a title nor an address"
        case .notText: "its password is no text"
        case .tooLong: "\(detail)"
        case .sameLogin: "another entry has the same address and user name, which here are one"
        case .row: detail
        case .tooLarge: "it is larger than an item may be"
        case .taken: "an item that stays on this device has its site and user name"
        case .deviceOnly: "it never leaves this device (ThisDeviceOnly)"
        case .partNotHeld: "not held: \(part)\(detail)"
        case .wrongType: "not taken: \(part), which is of another type than expected"
        case .unknownMember: "not taken: \(part), which is not known here"
        case .passkey: "not taken: the passkey, which no program signs with here"
        case .noHistory: "not taken: \(part), since without an account there is no history"
        case .beyondHistory: "not taken: \(part), for which the history has no room"
        case .itemFull: "not taken: \(part): \(detail)"
        case .present: "not taken: \(part): the present one stays"
        case .otherForm: "\(part) \(detail)"
        case .renamed: "\(part) is called \(detail)"
        case .earlier: "\(part) goes to the history, and the present one stays current"
        }
    }
}

extension EntryNote: Redacted {
    package var shownPart: String { "\(entry), \(reason.rawValue)" }
}

/// Gathers the notes about one entry after the other.
struct NoteList {
    private(set) var notes: [EntryNote] = []
    /// The entry that notes are about.
    private var entry = 0
    private var title = ""

    mutating func begin(_ entry: Int, _ title: String) {
        (self.entry, self.title) = (entry, title)
    }

    mutating func rename(_ title: String) { self.title = title }

    mutating func add(_ reason: EntryNote.Reason, _ part: String = "", _ detail: String = "") {
        notes.append(EntryNote(entry, title: title, part: part, reason, detail: detail))
    }

    mutating func add(_ note: EntryNote) { notes.append(note) }

    /// Of a hostile file, each part of which is unknown.
    private static let notesMax = 200_000

    func check() throws(MovingError) {
        guard notes.count <= Self.notesMax else { throw .tooManyNotes(max: Self.notesMax) }
    }
}

extension Entry {
    /// Whether the formats of other programs hold it: it is no certificate or key, and its secret
    /// is a text.
    ///
    /// A note says why they do not.
    func isHeldElsewhere(_ notes: inout NoteList) -> Bool {
        guard !["certificate", "key"].contains(type) else {
            notes.add(.typeNotHeld, "", type)
            return false
        }
        guard secret == nil || secretText != nil else {
            notes.add(.notText)
            return false
        }
        return true
    }
}

/// What a reader made of a file.
package struct ReadEntries: Sendable {
    package var format: String
    package var entries: EntryList = []
    /// The place of each entry in the file, from 1.
    package var numbers: [Int] = []
    /// In the order of the file.
    package var notes: [EntryNote] = []
    /// The entries of the file, with those left out.
    package var count = 0
    /// Sentences about the file as a whole, which have none of its contents.
    package var remarks: [String] = []
    /// How a table is made; nil for another file.
    package var table: TableShape?
    /// Whether the file says of each login which realm it has, so that one without has none.
    package var namesRealms = false
    /// What the entries may take: a few bytes of a file can stand for many in each entry.
    private var bytesMax = Int.max

    /// What the file has: `Entry`, or `Row` with the header as row 1.
    package var unit: String { table == nil ? "Entry" : "Row" }

    package init(format: String) { self.format = format }

    /// `file`: what is read.
    init(format: String, of file: [UInt8]) {
        self.init(format: format)
        bytesMax = file.count + (16 << 20)
    }

    /// Appends an entry of a file.
    ///
    /// - Throws: ``MovingError/tooLarge`` if all entries take far more than their file.
    mutating func append(ofFile entry: Entry, number: Int) throws(MovingError) {
        append(entry, number: number)
        guard entries.bytesCount <= bytesMax else { throw .tooLarge }
    }

    /// The entries of the file of which nothing was taken.
    package var leftOutCount: Int { notes.leftOutCount }

    package mutating func append(_ entry: Entry, number: Int) {
        entries.append(entry)
        numbers.append(number)
    }
}

/// What a writer made of entries.
package struct WrittenEntries: Sendable {
    /// The contents of the files: several where a format limits one.
    package var files: [[UInt8]] = []
    package var notes: [EntryNote] = []
    /// What no entry of the format has, such as its times, with how many entries have it.
    package var unheld: [UnheldPart] = []

    package init() {}

    package var leftOutCount: Int { notes.leftOutCount }
}

/// A part that a format never holds.
package struct UnheldPart: Hashable, Sendable {
    package let part: String
    /// The entries that have it.
    package let count: Int

    package init(_ part: String, _ count: Int) { (self.part, self.count) = (part, count) }
}

extension [EntryNote] {
    /// The entries that are left out as a whole.
    package var leftOutCount: Int { Set(filter(\.reason.isOfEntry).map(\.entry)).count }

    /// Whether something is missing afterwards.
    package var hasLoss: Bool { contains(where: \.reason.isLoss) }
}

extension ReadEntries: Redacted {}
extension WrittenEntries: Redacted {}
