/// Makes entries of the files of a `pass` folder, once they are decrypted.
///
/// The first line is the password; lines such as `login: ann` and `url: …` are the usual fields;
/// addresses of one-time codes may stand anywhere; the rest is the note.
package struct PassEntries {
    package static let formatName = "pass"
    /// As large as an attachment of an item may be, in bytes.
    package static let fileBytesMax = 1 << 20

    /// Why a file is not taken.
    package enum Fault: Sendable {
        case notDecrypted
        /// Nobody gave the passphrase.
        case noPassphrase
        case noSecretKey
        case outside
        case linkedFolder
        case tooLarge
    }

    private var read = ReadEntries(format: formatName)
    private var notes = NoteList()

    private static let userNames: Set = ["login", "user", "username", "user name"]
    private static let addresses: Set = ["url", "uri", "website", "site", "link"]
    private static let codes: Set = ["otp", "totp", "otpauth"]

    package init() {}

    /// What the files gave, in the order of the calls.
    package var result: ReadEntries {
        var result = read
        result.notes = notes.notes
        return result
    }

    /// Names a file that is not taken.
    ///
    /// `path`: below the folder, without `.gpg`.
    package mutating func leaveOut(_ path: String, _ fault: Fault) {
        read.count += 1
        notes.begin(read.count, path)
        switch fault {
        case .notDecrypted: notes.add(.row, "", "gpg cannot decrypt it")
        case .noPassphrase: notes.add(.row, "", "nobody gave the passphrase of its key")
        case .noSecretKey: notes.add(.row, "", "gpg has no key that decrypts it")
        case .outside: notes.add(.row, "", "it is a link that leads out of the folder")
        case .linkedFolder: notes.add(.row, "", "it is a link to a folder, which is not followed")
        case .tooLarge: notes.add(.tooLarge)
        }
    }

    /// `path`: below the folder, without `.gpg`.
    ///
    /// `isEncrypted`: false for a file that everybody can read as it is.
    package mutating func add(_ path: String, _ contents: [UInt8], isEncrypted: Bool = true) {
        read.count += 1
        notes.begin(read.count, path)
        if !isEncrypted {
            notes.add(.otherForm, "its file", "is not encrypted: change this password")
        }
        var entry = Entry()
        let (site, folder) = name(&entry, path)
        guard let text = String(validating: contents, as: UTF8.self),
            !contents.contains(0)
        else {
            entry.type = "note"
            let name = path.split(separator: "/").last.map(String.init) ?? "file"
            entry.fields.append(.init(name, "file", contents))
            notes.add(.otherForm, "its contents", "are no text, and become an attachment")
            return finish(entry, folder)
        }
        if text.hasPrefix("-----BEGIN "), text.prefix(64).contains("PRIVATE KEY-----") {
            entry.type = "ssh-key"
            entry.fields.append(.init("private key", "secret", SSHKeyText.repaired(text)))
            return finish(entry, folder)
        }
        take(text, &entry)
        if entry.addresses.isEmpty, let site { entry.addresses.append(.init(site)) }
        finish(entry, folder)
    }

    private mutating func finish(_ entry: Entry, _ folder: String) {
        var entry = entry
        if !folder.isEmpty { entry.tags = [folder] }
        notes.rename(entry.title)
        read.append(entry, number: read.count)
    }

    /// A folder or file that is called as a host is the site.
    ///
    /// - Returns: the site, and the folders above.
    private func name(_ entry: inout Entry, _ path: String) -> (site: String?, folder: String) {
        let parts = path.split(separator: "/").map(String.init)
        let index = parts.lastIndex(where: Self.isHost)
        guard let index, index >= parts.count - 2 else {
            entry.title = parts.last ?? path
            return (nil, parts.dropLast().joined(separator: "/"))
        }
        entry.title = parts[index]
        if index < parts.count - 1 { entry.userName = parts[index + 1] }
        return (parts[index], parts[..<index].joined(separator: "/"))
    }

    private static func isHost(_ name: String) -> Bool {
        let host = name.split(separator: ":", omittingEmptySubsequences: false)[0]
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = host.utf8
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
            && bytes.allSatisfy {
                $0.isDigit || "-._".utf8.contains($0) || $0 > 0x7F
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
            }
    }

    // MARK: Contents

    private mutating func take(_ text: String, _ entry: inout Entry) {
        // A carriage return belongs to the line's end.
        let text = text.replacing("\r\n", with: "\n")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var rest: [Substring] = []
        var hasUser = false
        for (index, line) in lines.enumerated() {
            if Self.isCode(line) {
                addCode(String(line), &entry)
            } else if index == 0 {
                if !line.isEmpty { entry.secret = Array(line.utf8) }
            } else if let (key, value) = Self.pair(line), !value.isEmpty {
                if Self.userNames.contains(key), !hasUser {
                    hasUser = true
                    // The name of the file says less.
                    if !entry.userName.isEmpty, entry.userName != value {
                        entry.title += "/" + entry.userName
                    }
                    entry.userName = value
                } else if Self.addresses.contains(key) {
                    entry.addresses.append(.init(value))
                } else if Self.codes.contains(key) || Self.isCode(value[...]) {
                    addCode(value, &entry)
                } else {
                    rest.append(line)
                }
            } else {
                rest.append(line)
            }
        }
        while rest.last?.isEmpty == true { rest.removeLast() }
        entry.note = rest.joined(separator: "\n")
    }

    private static func isCode(_ line: Substring) -> Bool {
        line.lowercased().hasPrefix("otpauth://")
    }

    private mutating func addCode(_ text: String, _ entry: inout Entry) {
        let count = entry.oneTimeCodes.count
        let name = count == 0 ? "one-time code" : "one-time code \(count + 1)"
        entry.fields.append(OneTimeCodeText.field(name, text, &notes))
    }

    private static func pair(_ line: Substring) -> (key: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return (line[..<colon].lowercased(), String(value))
    }
}
