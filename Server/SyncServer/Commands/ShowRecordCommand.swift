internal import ArgumentParser
internal import KSBytes
internal import KSCausality
internal import KSDigests
internal import KSPostgreSQLStore
internal import KSRecords
internal import KSStore

struct ShowRecordCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show-record",
        abstract: "Prints all that the store holds of one record, byte for byte.",
        discussion: "It only reads, also while a server runs. A client sealed these bytes."
    )

    @OptionGroup
    var place: PlaceOptions

    var directory: DataDirectory? { place.directory }

    @Option(help: "The account's name.")
    var account: String

    @Option(
        help: """
            The number of the record's latest write in the account's order of writes; by default \
            the newest.
            """
    )
    var seq: UInt64?

    func validate() throws {
        // A seq has 40 bits in the store.
        guard (seq ?? 1) >= 1, (seq ?? 1) < 1 << 40 else {
            throw ValidationError("--seq takes a number above 0.")
        }
    }

    func perform() async throws {
        let record: PageAnswer.Record?
        if let database = try place.database() {
            defer { database.close() }
            record = try database.record(of: database.namedAccount(account), seq: seq)
        } else {
            let store = try SQLiteStore(
                reading: place.existingDirectory().existingStorePath(),
                random: SystemRandomSource(),
                clockSeconds: WallClock.system.seconds
            )
            record = try store.record(of: store.namedAccount(account), seq: seq)
            try store.close()
        }
        guard let record else { throw ExitReason(.refused, "There is no such record.") }
        print(RecordText(record).text, terminator: "")
    }
}

/// A record as text, with its bytes in hexadecimal.
struct RecordText {
    let text: String

    init(_ record: PageAnswer.Record) {
        var lines = ["record \(String(hexadecimal: record.id.bytes)), seq \(record.seq)"]
        for envelope in record.siblings {
            let replaced = envelope.replaced.map(Self.name)
            lines.append(
                "  write \(Self.name(envelope.dot))"
                    + ", replaces \(replaced.isEmpty ? "none" : replaced.joined(separator: " "))"
                    + ", generation \(envelope.generation)"
                    + (envelope.isTombstone ? ", tombstone" : "")
                    + ", a box of \(counted(envelope.box.count, "byte")):"
            )
            lines += Self.dump(envelope.box)
        }
        text = lines.map { $0 + "\n" }.joined()
    }

    private static func name(_ dot: Dot) -> String {
        "\(String(dot.actor.rawValue, radix: 16)):\(dot.counter)"
    }

    /// Sixteen bytes a line: their offset, hexadecimal, and ASCII.
    static func dump(_ bytes: [UInt8]) -> [String] {
        stride(from: 0, to: bytes.count, by: 16).map { start in
            let line = bytes[start..<min(start + 16, bytes.count)]
            let digits = line.map { String(hexadecimal: [$0]) }.joined(separator: " ")
            let characters = line.map { byte in
                (0x20...0x7E).contains(byte) ? String(UnicodeScalar(byte)) : "."
            }
            let offset = [start >> 16, start >> 8, start].map { UInt8(truncatingIfNeeded: $0) }
            let padding = String(repeating: " ", count: 48 - digits.count)
            return "  \(String(hexadecimal: offset))  \(digits)\(padding)|\(characters.joined())|"
        }
    }
}
