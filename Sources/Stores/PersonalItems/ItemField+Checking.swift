package import KSKeychain

extension ItemField {
    /// The same field in the form that items keep.
    ///
    /// Cards have their last month as `05/27`.
    package var inStoredForm: ItemField {
        guard kind == .month, let text = String(validating: value, as: UTF8.self),
            let month = Self.month(printed: text)
        else { return self }
        return ItemField(name: name, kind: kind, value: Array(month.utf8))
    }

    /// `2027-05` for `05/27`, `5/27` and `05/2027`, also with blanks around the slash.
    private static func month(printed text: String) -> String? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { part in
            String(part.filter { $0 != " " })
        }
        guard parts.count == 2, (1...2).contains(parts[0].count), [2, 4].contains(parts[1].count),
            parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } })
        else { return nil }
        let year = parts[1].count == 2 ? "20" + parts[1] : parts[1]
        return year + "-" + (parts[0].count == 1 ? "0" : "") + parts[0]
    }

    /// Checks the value against the kind of the field, and a key of an item for SSH keys.
    func check(checksKey: Bool) throws(ItemEditError) {
        if kind == .file {
            guard value.count <= ItemLimits.attachmentBytesMax else {
                throw .attachmentTooLarge(field: name, bytes: value.count)
            }
            return
        }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw .noText(field: name)
        }
        guard value.count <= ItemLimits.textBytesMax else {
            throw .textTooLong(field: name, bytes: value.count)
        }
        let expected = expectation(of: text) ?? (checksKey ? expectation(ofKey: text) : nil)
        guard let expected else { return }
        throw .wrongValue(field: name, expected: expected)
    }

    /// What the value should look like; nil if it does.
    private func expectation(of text: String) -> String? {
        switch kind {
        case .date:
            Self.isDate(text) ? nil : "a date as 2027-05-31"
        case .month:
            Self.isDate(text + "-01") ? nil : "a month as 2027-05 or 05/27"
        case .email:
            text.contains("@") && !text.contains(" ") ? nil : "an e-mail address as ann@example.org"
        case .phone:
            text.contains { $0.isNumber } ? nil : "a telephone number"
        case .url:
            text.contains(".") || text.contains(":") ? nil : "an address as https://example.org"
        default: nil
        }
    }

    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    // MARK: SSH keys

    /// The form that the field needs; nil if it has that form, or is no key.
    ///
    /// Only the first line is looked at: ssh says what is wrong with the rest.
    private func expectation(ofKey text: String) -> String? {
        let line = text.drop(while: \.isWhitespace).prefix { !$0.isNewline }
        guard !text.isEmpty else { return nil }
        switch name.lowercased() {
        case "private key":
            return Self.isPrivateKey(line)
                ? nil : "a private key, which begins with -----BEGIN … PRIVATE KEY-----"
        case "public key":
            return Self.isPublicKey(line) ? nil : "a line such as \"ssh-ed25519 AAAA…\""
        default: return nil
        }
    }

    private static func isPrivateKey(_ line: Substring) -> Bool {
        // SSH2's own form, and PuTTY's, which both convert.
        line.hasPrefix("-----BEGIN ") && line.contains("PRIVATE KEY-----")
            || line.hasPrefix("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY")
            || line.hasPrefix("PuTTY-User-Key-File-")
    }

    private static func isPublicKey(_ line: Substring) -> Bool {
        if line.hasPrefix("---- BEGIN SSH2 PUBLIC KEY") { return true }
        if line.hasPrefix("-----BEGIN ") { return line.contains("PUBLIC KEY-----") }
        let words = line.split(whereSeparator: \.isWhitespace)
        // A line of `authorized_keys` may have options first.
        return zip(words, words.dropFirst()).contains { kind, key in
            ["ssh-", "ecdsa-", "sk-"].contains { kind.hasPrefix($0) } && key.hasPrefix("AAAA")
        }
    }
}
