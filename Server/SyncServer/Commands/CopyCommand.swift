internal import ArgumentParser
internal import KSBytes
internal import KSFiles
internal import KSMerging
internal import KSRecords
internal import KSStore

struct CopyCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies a whole store into an empty data directory or database.",
        discussion: """
            No server may be running on either side. Devices notice nothing: accounts, sessions \
            and invitations stay valid. Both sides are compared at the end, and the exit status is \
            1 if an account differs. The source stays unchanged. A copy that was cut off is no \
            store: repeat it, and it starts again. The server's certificate and key are not copied.
            """
    )

    @Option(
        name: .customLong("from"),
        help: "The data directory, or the URI of the PostgreSQL database, that holds the store."
    )
    var source: StorePlace

    @Option(
        name: .customLong("to"),
        help: """
            The data directory that gets the copy, which is new or empty, or the URI of the \
            database.
            """
    )
    var target: StorePlace

    @Flag(help: "Print JSON.")
    var json = false

    var directory: DataDirectory? { nil }

    private struct Copied: Encodable {
        let accounts: UInt64
        let records: UInt64
        let equal: Bool
        /// The ids of accounts that are not the same on both sides.
        let differing: [String]
        /// Files that the server needs too.
        let notCopied: [String]
    }

    func perform() async throws {
        let from = try naming("--from", source) { try source.opened() }
        let to = try naming("--to", target) { try target.begun(from: from) }
        let progress = CopyProgress()
        let result: StoreCopy.Result
        do throws(StoreCopy.Failure) {
            defer { progress.clear() }
            result = try StoreCopy(from: from, to: to, showProgress: progress.show).run()
        } catch {
            to.giveUp()
            throw ExitReason(error.error).about(error.isOfSource ? "--from" : "--to")
        }
        let copied = Copied(
            accounts: result.accounts,
            records: result.records,
            equal: result.isEqual,
            differing: result.differing.map { Shown.id($0.bytes) },
            notCopied: source.certificateFiles
        )
        try Shown.show(copied, Self.lines(copied), json: json)
        if !copied.equal { throw ExitCode(ExitReason.Code.failure.rawValue) }
    }

    private static func lines(_ copied: Copied) -> [String] {
        guard copied.equal else {
            let differing = copied.differing.map { "the account \($0) differs" }
            return (differing.isEmpty ? ["what belongs to no account differs"] : differing)
                + ["the copy is no store: check the disks, and repeat it"]
        }
        return [
            "copied \(counted(Int(clamping: copied.accounts), "account")) with"
                + " \(counted(Int(clamping: copied.records), "record")): both sides are equal",
            copied.notCopied.isEmpty
                ? "not copied: the server's certificate and key; use the same ones"
                : "not copied: \(copied.notCopied.joined(separator: ", ")); devices know the server"
                    + " by its key: copy these files into the new directory of --data, or name them"
                    + " in --tls-cert and --tls-key",
            "start no server on the old store: devices would send to it what the copy lacks",
        ]
    }

    /// Names the option in the error of its place.
    private func naming<Value>(
        _ option: String,
        _ place: StorePlace,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw ExitReason(error).about(option)
        } catch let error as ExitReason {
            throw error.about(option)
        } catch let error as FileError {
            guard case .directory(let directory) = place else { throw error }
            throw directory.cannotBeWritten(error).about(option)
        }
    }
}

extension ExitReason {
    /// The same, of one of two places.
    fileprivate func about(_ option: String) -> ExitReason {
        ExitReason(code, "\(option): \(sentence)")
    }
}
