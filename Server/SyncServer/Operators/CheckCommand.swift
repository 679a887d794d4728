internal import ArgumentParser
internal import Foundation
internal import KSBytes
internal import KSRecords
internal import KSStore

struct CheckCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reads all that the store holds, and names what is damaged.",
        discussion: """
            It checks the chain of each account's circle, the number and size of its records, and \
            the hash of each box, also while a server runs. The exit status is 1 if something is \
            damaged. --repair leaves that out: a device that has the record keeps it, and puts it \
            back with its next change. To have all of it back at once, restore a backup instead.
            """
    )

    @OptionGroup
    var options: OperatorOptions
    @Option(help: "Check only the account of this name.")
    var account: String?
    @Flag(help: "Leave out what is damaged.")
    var repair = false

    private struct Findings: Encodable {
        struct Account: Encodable {
            let name: String
            let damages: [String]
            let repaired: Bool
        }

        var accounts = 0
        var entries: UInt64 = 0
        var records: UInt64 = 0
        var damaged: [Account] = []
    }

    func perform() async throws {
        var shown = Findings()
        try withStore { store in
            if let account {
                try check(store.namedAccount(account), of: store, &shown)
            } else {
                try store.forEachAccount { try check($0, of: store, &shown) }
            }
        }
        try show(shown, Self.lines(shown))
        if shown.damaged.contains(where: { !$0.repaired }) {
            throw ExitCode(ExitReason.Code.failure.rawValue)
        }
    }

    private func check(
        _ id: AccountID,
        of store: any Store,
        _ shown: inout Findings
    ) throws {
        let result = try store.check(id, repairs: repair)
        shown.accounts += 1
        shown.entries += result.entries
        shown.records += result.records
        guard !result.damages.isEmpty else { return }
        shown.damaged.append(
            Findings.Account(
                name: try store.summary(of: id).name,
                damages: result.damages.map(Self.words),
                repaired: result.isRepaired
            )
        )
    }

    private static func lines(_ shown: Findings) -> [String] {
        var lines: [String] = []
        for account in shown.damaged {
            let name = account.name.printable
            lines += account.damages.map { "\(name): \($0)" }
            guard account.repaired else { continue }
            lines.append(
                "\(name): left out; a device that has it puts it back with its next change"
            )
        }
        lines.append(
            "checked \(counted(shown.accounts, "account")) with"
                + " \(counted(Int(clamping: shown.records), "record")):"
                + (shown.damaged.isEmpty
                    ? " nothing is damaged" : " \(shown.damaged.count) damaged")
        )
        if shown.damaged.contains(where: { !$0.repaired }) {
            lines.append("sync-server check --repair leaves out what is damaged")
        }
        return lines
    }

    private static func words(_ damage: AccountDamage) -> String {
        switch damage {
        case .circle(version: 1):
            "the circle's first entry is damaged: delete the account, and run sync-client server"
                + " rebuild on one of its devices"
        case .circle(let version): "the circle is damaged from version \(version) on"
        case .record(let seq): "the record of write \(seq) is damaged"
        case .vector(let seq): "the record of write \(seq) has a write that nobody made"
        case .counts: "the number or the size of the records is wrong"
        }
    }
}
