package import KSDaemon

/// The contents of a kit: all that a new device needs beside the password.
package struct KitContents: Equatable {
    package var account: String
    package var server: String
    /// Empty if certificate authorities vouch for the server.
    package var pins: [String]
    package var accountKey: String

    package init(account: String, server: String, pins: [String], accountKey: String) {
        self.account = account
        self.server = server
        self.pins = pins
        self.accountKey = accountKey
    }

    /// Many times the size of a kit.
    package static let bytesMax = 64 << 10
    package static let title =
        "Keychain Sync: the key to your account. Print it or keep it in a safe place.\n"

    private static let accountLabel = "Account"
    private static let serverLabel = "Server"
    private static let pinLabel = "Pin"
    private static let keyLabel = "Account Key"
    /// The width of a label with the blanks after it.
    private static let labelWidth = 13

    /// What a new device needs, line by line.
    var rows: [(label: String, value: String)] {
        [(Self.accountLabel, account), (Self.serverLabel, server)]
            + pins.map { (Self.pinLabel, $0) } + [(Self.keyLabel, accountKey)]
    }

    /// The rows alone, which are a kit too.
    var lines: String {
        rows.map { label, value in
            label + String(repeating: " ", count: Self.labelWidth - label.count) + value + "\n"
        }.joined()
    }

    /// The text of the file that a sign-up writes.
    package var text: String {
        """
        \(Self.title)
        \(lines)
        \(Self.advice.joined(separator: "\n"))

        """
    }

    static let advice = [
        "A new device needs your password and this file (sync-client login --kit FILE), or what",
        "is in it. Only you and your devices have the Account Key. The password is not in this",
        "file.",
    ]

    /// Reads a kit from a file; `-` is standard input.
    init(file: String) throws(CommandFailure) {
        try self.init(reading: FileInput.read(file, bytesMax: Self.bytesMax), of: file)
    }

    /// Reads a kit, which the user may have retyped or annotated.
    ///
    /// - Throws: ``CommandFailure`` if it lacks something, or has something twice: two kits in one
    ///   file are two accounts.
    package init(reading bytes: [UInt8], of file: String) throws(CommandFailure) {
        var values: [String: [String]] = [:]
        let text = String(decoding: bytes, as: UTF8.self)
        for line in text.split(whereSeparator: \.isNewline) {
            guard let (label, value) = Self.row(String(line)) else { continue }
            values[label, default: []].append(value)
        }
        func one(_ label: String) throws(CommandFailure) -> String {
            let found = values[label] ?? []
            guard let value = found.first, found.count == 1 else {
                let how = found.isEmpty ? "has no line" : "has several lines"
                throw .usage(
                    "\(file) is not a kit: it \(how) \(label). Name the file that signup --kit"
                        + " wrote, or give --server, --account and --account-key-file."
                )
            }
            return value
        }
        account = try one(Self.accountLabel)
        server = try one(Self.serverLabel)
        accountKey = try one(Self.keyLabel)
        pins = values[Self.pinLabel] ?? []
    }

    /// "Account Key" comes before "Account", with which it begins.
    private static let labels = [keyLabel, accountLabel, serverLabel, pinLabel]

    private static func row(_ line: String) -> (label: String, value: String)? {
        let isBlank = { (character: Character) in character.isWhitespace }
        let trimmed = line.drop(while: isBlank)
        for label in labels where trimmed.hasPrefix(label) {
            let rest = trimmed.dropFirst(label.count)
            guard let first = rest.first, isBlank(first) || first == ":" else { continue }
            let value = rest.drop { isBlank($0) || $0 == ":" }
            guard let end = value.lastIndex(where: { !isBlank($0) }) else { continue }
            return (label, String(value[...end]))
        }
        return nil
    }
}
