internal import ArgumentParser
internal import Foundation
internal import KSBytes
internal import KSDigests
internal import KSMerging
internal import KSRecords
internal import KSPostgreSQLStore
internal import KSStore

/// What the commands of operators share, which work while a server runs.
protocol OperatorCommand: ServerCommand {
    var options: OperatorOptions { get }
}

/// The options of every command of operators.
struct OperatorOptions: ParsableArguments {
    @OptionGroup
    var place: PlaceOptions
    @Flag(help: "Print JSON.")
    var json = false
}

extension OperatorCommand {
    var directory: DataDirectory? { options.place.directory }

    /// Calls `body` with the database that is named, or else the store in the directory.
    func withStore<Value>(_ body: (any Store) throws -> Value) throws -> Value {
        if let database = try options.place.database() {
            defer { database.close() }
            return try body(database)
        }
        let file = try SQLiteStore(
            path: options.place.existingDirectory().existingStorePath(),
            random: SystemRandomSource(),
            clockSeconds: WallClock.system.seconds
        )
        let value = try body(file)
        try file.close()
        return value
    }

    /// Prints a value as JSON, or else the lines.
    func show(_ value: some Encodable, _ lines: [String]) throws {
        try Shown.show(value, lines, json: options.json)
    }
}

extension Shown {
    /// Prints a value as JSON, or else the lines.
    static func show(_ value: some Encodable, _ lines: [String], json: Bool) throws {
        guard json else {
            for line in lines { print(line) }
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

extension Store {
    /// The account of this name.
    func namedAccount(_ name: String) throws -> AccountID {
        guard let id = try accountID(named: name) else {
            throw ExitReason(
                .refused,
                "This server has no account of that name: sync-server accounts list shows all."
            )
        }
        return id
    }

    /// Calls `body` with each account, in the order of their ids.
    func forEachAccount(_ body: (AccountID) throws -> Void) throws {
        var last: AccountID?
        while true {
            let page = try accounts(after: last, countMax: 500)
            for account in page {
                do {
                    try body(account)
                } catch StoreError.notFound {
                    // It was deleted meanwhile.
                }
            }
            guard let next = page.last else { return }
            last = next
        }
    }
}

/// Rows of words under a head, each column as wide as its widest word.
struct TextTable {
    private var rows: [[String]]
    /// The columns whose words stand at the right.
    private let numbers: Set<Int>

    init(_ head: [String], numbers: Set<Int>) {
        rows = [head]
        self.numbers = numbers
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    var lines: [String] {
        let count = rows.first?.count ?? 0
        let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, word) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - word.count)
                line += (column == 0 ? "" : "  ")
                line += numbers.contains(column) ? padding + word : word + padding
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}

/// Sizes and times as people read them.
enum Shown {
    static func bytes(_ count: UInt64) -> String {
        var (value, unit) = (Double(count), 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        guard unit > 0 else { return "\(count) B" }
        let tenths = (value * 10).rounded() / 10
        return "\(tenths) \(units[unit])"
    }

    /// A quota of an account.
    static func quota(_ bytes: UInt64?) -> String {
        switch bytes {
        case nil: "default"
        case AccountSummary.unlimitedBytes: "none"
        case let bytes?: self.bytes(bytes)
        }
    }

    /// How long nobody was heard of; the store counts it each hour.
    static func silence(_ seconds: UInt64) -> String {
        switch seconds {
        case ..<7200: "now"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    /// The beginning of an id, enough to tell two apart in a list.
    static func id(_ bytes: [UInt8]) -> String {
        String(hexadecimal: bytes.prefix(4))
    }

    /// The code of a device, as `sync-client devices` shows it.
    static func code(_ member: MemberID) -> String {
        String(base32: member.bytes.prefix(5))
    }
}
