internal import KSAgent
internal import KSMatching

/// Ends a command for people: a sentence for standard error, and the exit status.
package struct EverydayFailure: Error, Equatable {
    /// Without the program's name before it, and without its end.
    package let sentence: String
    package let status: Int32
    /// Whether the command's usage is shown too.
    package var showsUsage = false
    /// The references that cannot be used.
    package var refused: [RefusedReference] = []
    /// The code of its message in docs/Messages.md; nil for that of the status.
    private var messageCode: String?

    package init(_ sentence: String, status: Int32 = 1) {
        self.sentence = sentence
        self.status = status
    }

    package static func usage(_ sentence: String) -> EverydayFailure {
        var failure = EverydayFailure(sentence, status: 2)
        failure.showsUsage = true
        return failure
    }

    /// The status of a command that finds nothing: the low byte of Apple's.
    package static let notFoundStatus: Int32 = 44
    /// The same of a locked keychain.
    package static let lockedStatus: Int32 = 36

    /// Why a call failed.
    init(_ error: AgentError) {
        func withoutEnd(_ sentence: String) -> String {
            sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
        }
        if case .failed(let failure) = error {
            let status = failure.code & 0xFF
            let said = failure.hint.isEmpty
            let text = said ? Self.text(of: failure.code) ?? failure.status : failure.hint
            // A hint says what is wrong with what was typed.
            self.init(
                withoutEnd(text),
                status: said || status == Self.notFoundStatus ? status : 1
            )
        } else {
            self.init(withoutEnd(error.sentence), status: error.status & 0xFF)
        }
        messageCode = error.messageCode.isEmpty ? nil : error.messageCode
    }

    /// What Apple's statuses mean for people.
    private static func text(of status: Int32) -> String? {
        switch status {
        case -25308: "the keychain is locked; unlock it with \"sync-client unlock\""
        case -25300:
            "the item is no longer there; \"keychain restore\" makes a deleted item again"
        case -25299: "there is such an item already"
        case -34018: "this program may not see the keychain"
        case -26275: "the item cannot be read; see \"sync-client doctor\""
        case -67868: "the item would be too large"
        default: nil
        }
    }

    /// Of a word that is no command; the nearest one is named.
    static func unknownCommand(_ name: String, others: [String]) -> EverydayFailure {
        let known = EverydayCommand.table.map(\.name).filter { $0 != "names" } + others
        let meant =
            EverydayCommand.otherNames[name]
            ?? NearWord.find(name, in: known).map { "keychain \($0)" }
        let end = meant.map { "did you mean \"\($0)\"?" } ?? "\"keychain help\" lists all"
        return EverydayFailure("there is no command \"\(name)\"; \(end)")
    }

    /// The sentence with its end.
    static func whole(_ sentence: String) -> String {
        let isWhole = sentence.contains("\n") || [".", "?"].contains(sentence.suffix(1))
        return isWhole ? sentence : sentence + "."
    }

    /// The failure as `sync-client --json` prints its own.
    var json: JSONValue {
        .object(
            [
                ("code", .number(Int64(status))), ("message", .text(Self.whole(sentence))),
                (
                    "next",
                    .object([
                        ("code", .text(messageCode ?? codeOfStatus)),
                        (
                            "command",
                            status == Self.lockedStatus ? .text("sync-client unlock") : .null
                        ),
                    ])
                ),
            ] + (refused.isEmpty ? [] : [("refused", .list(refused.map(\.json)))])
        )
    }

    private var codeOfStatus: String {
        switch status {
        case 2: "wrong_usage"
        case Self.lockedStatus: "item_locked"
        case Self.notFoundStatus: "no_such_item"
        default: "failed"
        }
    }
}

/// A reference that cannot be used, and why.
package struct RefusedReference: Equatable {
    /// The variable, or the line and column, in which it stands; nil for one of the command line.
    private let place: String?
    private let reference: String
    private let reason: String
    /// References of one item each that may have been meant.
    private let meant: [String]

    init(place: String? = nil, reference: String, reason: String, _ meant: [String]) {
        (self.place, self.reference, self.reason) = (place, reference, reason)
        self.meant = meant
    }

    fileprivate var json: JSONValue {
        .object([
            ("place", place.map { .text($0) } ?? .null), ("reference", .text(reference)),
            // Its further lines are the references.
            ("reason", .text(String(reason.prefix { !$0.isNewline }))),
            ("references", .list(meant.map { .text($0) })),
        ])
    }
}
