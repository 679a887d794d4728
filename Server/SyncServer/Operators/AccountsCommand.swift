internal import ArgumentParser
internal import Foundation
internal import KSBytes
internal import KSRecords
internal import KSStore

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Lists accounts, limits, suspends and deletes them, also while a server runs.",
        subcommands: [
            AccountsListCommand.self, AccountsShowCommand.self, AccountsQuotaCommand.self,
            AccountsSuspendCommand.self, AccountsResumeCommand.self, AccountsDeleteCommand.self,
        ]
    )
}

/// An account as the commands show it.
private struct ShownAccount: Encodable {
    struct Member: Encodable {
        let id: String
        let kind: String
        let silentSeconds: UInt64
        let dormant: Bool
        /// How many writes it has not applied yet.
        let behind: UInt64
    }

    let name: String
    let id: String
    let suspended: Bool
    /// Nil for that of the server; 0 for no limit.
    let quotaBytes: UInt64?
    let records: UInt64
    let storedBytes: UInt64
    let writes: UInt64
    let circleVersion: UInt64
    let devices: Int
    /// Of the device that was heard of last; nil without a device.
    let silentSeconds: UInt64?
    let members: [Member]

    init(_ account: AccountSummary) {
        name = account.name
        id = Shown.id(account.id.bytes)
        suspended = account.isSuspended
        quotaBytes = account.quotaBytes.map { $0 == AccountSummary.unlimitedBytes ? 0 : $0 }
        records = account.records
        storedBytes = account.storedBytes
        writes = account.seq
        circleVersion = account.circleVersion
        let present = account.members.filter { $0.kind == MemberKind.device.rawValue }
        devices = present.count
        silentSeconds = present.map(\.silentSeconds).min()
        members = account.members.map { member in
            Member(
                id: Shown.code(member.id),
                kind: Self.kind(member.kind),
                silentSeconds: member.silentSeconds,
                dormant: member.isDormant,
                behind: account.seq - min(account.seq, member.appliedSeq)
            )
        }
    }

    private static func kind(_ number: UInt64) -> String {
        switch MemberKind(rawValue: number) {
        case .device: "device"
        case .credentials: "password"
        case .recovery: "recovery"
        case nil: "unknown"
        }
    }
}

struct AccountsListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists all accounts: devices, records, size, quota, and how long all were silent."
    )

    @OptionGroup
    var options: OperatorOptions

    func perform() async throws {
        let accounts = try withStore { store in
            var accounts: [AccountSummary] = []
            try store.forEachAccount { accounts.append(try store.summary(of: $0)) }
            return accounts.sorted { $0.name < $1.name }
        }
        var table = TextTable(
            ["NAME", "DEVICES", "RECORDS", "SIZE", "QUOTA", "SILENT", "STATE"],
            numbers: [1, 2, 3, 4, 5]
        )
        let shown = accounts.map(ShownAccount.init)
        for (account, line) in zip(accounts, shown) {
            table.add([
                account.name.printable, String(line.devices), String(line.records),
                Shown.bytes(line.storedBytes), Shown.quota(account.quotaBytes),
                line.silentSeconds.map(Shown.silence) ?? "-",
                line.suspended ? "suspended" : "",
            ])
        }
        try show(shown, accounts.isEmpty ? ["This server has no account."] : table.lines)
    }
}

struct AccountsShowCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one account with its members. Their names are sealed."
    )

    @Argument(help: "The account's name.")
    var name: String
    @OptionGroup
    var options: OperatorOptions

    func perform() async throws {
        let account = try withStore { try $0.summary(of: $0.namedAccount(name)) }
        let shown = ShownAccount(account)
        var members = TextTable(["MEMBER", "KIND", "SILENT", "BEHIND", "STATE"], numbers: [2, 3])
        for member in shown.members {
            let isDevice = member.kind == "device"
            members.add([
                member.id, member.kind, Shown.silence(member.silentSeconds),
                isDevice ? String(member.behind) : "-", member.dormant ? "dormant" : "",
            ])
        }
        let lines = [
            "name     \(account.name.printable)",
            "state    \(account.isSuspended ? "suspended" : "in use")",
            "records  \(account.records)",
            "writes   \(account.seq)",
            "size     \(Shown.bytes(account.storedBytes))",
            "quota    \(Shown.quota(account.quotaBytes))",
            "circle   version \(account.circleVersion)",
            "",
        ]
        try show(shown, lines + members.lines)
    }
}

struct AccountsQuotaCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Gives one account a quota of its own.",
        discussion: """
            An account that holds more keeps it: it can delete, but not add. A running server \
            needs no restart.
            """
    )

    @Argument(help: "The account's name.")
    var name: String
    @Argument(help: "How many MiB it may hold; none for no limit, default for that of serve.")
    var quota: String
    @OptionGroup
    var options: OperatorOptions

    func validate() throws { _ = try bytes() }

    private func bytes() throws -> UInt64? {
        switch quota {
        case "default": return nil
        case "none": return AccountSummary.unlimitedBytes
        default:
            guard let count = UInt64(quota), count > 0, count <= 1 << 40 else {
                throw ValidationError("The quota is a number of MiB above 0, none or default.")
            }
            return count << 20
        }
    }

    func perform() async throws {
        let summary = try withStore { store in
            let account = try store.namedAccount(name)
            try store.setQuota(try bytes(), of: account)
            return try store.summary(of: account)
        }
        let line =
            "\(summary.name.printable) holds \(Shown.bytes(summary.storedBytes));"
            + " its quota is \(Shown.quota(summary.quotaBytes))"
        try show(ShownAccount(summary), [line])
    }
}

struct AccountsSuspendCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Shuts an account out until accounts resume; nothing of it is removed.",
        discussion: """
            Its devices go on by themselves and say why nothing syncs. Streams that are open end \
            within a minute.
            """
    )

    @Argument(help: "The account's name.")
    var name: String
    @OptionGroup
    var options: OperatorOptions

    func perform() async throws { try setSuspended(true, name) }
}

struct AccountsResumeCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets a suspended account in again."
    )

    @Argument(help: "The account's name.")
    var name: String
    @OptionGroup
    var options: OperatorOptions

    func perform() async throws { try setSuspended(false, name) }
}

extension OperatorCommand {
    fileprivate func setSuspended(_ isSuspended: Bool, _ name: String) throws {
        let summary = try withStore { store in
            let account = try store.namedAccount(name)
            try store.setSuspended(isSuspended, account)
            return try store.summary(of: account)
        }
        let state = isSuspended ? "suspended" : "in use"
        try show(ShownAccount(summary), ["\(summary.name.printable) is \(state)"])
    }
}

struct AccountsDeleteCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes an account with all that the server holds of it.",
        discussion: """
            Its devices keep what they have. One of them can make the account here again \
            (sync-client server rebuild), unless --registration forbids it.
            """
    )

    @Argument(help: "The account's name.")
    var name: String
    @OptionGroup
    var options: OperatorOptions
    @Flag(help: "Delete without asking.")
    var yes = false

    func perform() async throws {
        try withStore { store in
            let account = try store.namedAccount(name)
            let summary = try store.summary(of: account)
            let what =
                "\(summary.name.printable) with"
                + " \(counted(Int(clamping: summary.records), "record"))"
                + " (\(Shown.bytes(summary.storedBytes)))"
            if !yes { try ask(about: what, name: summary.name) }
            try store.deleteAccount(account)
            try show(ShownAccount(summary), ["deleted \(what)"])
        }
    }

    private func ask(about what: String, name: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ExitReason(.usage, "This would delete \(what): give --yes.")
        }
        print("Delete \(what)? Type the account's name: ", terminator: "")
        fflush(nil)
        guard readLine() == name else { throw ExitReason(.refused, "Nothing was deleted.") }
    }
}
