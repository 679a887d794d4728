internal import KSImporting

// What single programs put into their cells.

extension TableRow {
    // MARK: Cells beyond the header

    mutating func finishCells(_ notes: inout NoteList) {
        switch header.layout.furtherCells {
        case .none: break
        case .roboForm:
            let start = header.names.firstIndex { $0.lowercased().hasPrefix("rf") }
            for cell in cells.dropFirst(start ?? header.names.count) where !cell.isEmpty {
                entry.fields.removeAll { $0.text == cell && $0.name.lowercased().hasPrefix("rf") }
                takeRoboForm(cell, &notes)
            }
        case .enpass: takeEnpass(&notes)
        }
    }

    /// `NAME,,,KIND,VALUE`, whose value may have commas too.
    private mutating func takeRoboForm(_ cell: String, _ notes: inout NoteList) {
        let parts = cell.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5 else { return add(field: "field", "text", cell) }
        let (name, value) = (String(parts[0]), String(parts[4]))
        if name == "TOTP KEY$" { return add(code: value, 1, &notes) }
        let isKnown =
            name == "User ID$" && value == entry.userName
            || name == "Password$" && value == entry.secretText
        if isKnown || value.isEmpty { return }
        add(field: name, parts[3] == "pwd" ? "secret" : "text", value)
    }

    /// Names and values by turns behind the title, and a note at the end of an even row.
    private mutating func takeEnpass(_ notes: inout NoteList) {
        let isEven = cells.count.isMultiple(of: 2)
        if isEven, cells.count > 1, let last = cells.last, !last.isEmpty { note.append(last) }
        let pairs = cells.dropFirst().dropLast(isEven ? 1 : 0)
        let names = stride(from: pairs.startIndex, to: pairs.endIndex - 1, by: 2)
        let labels = Set(names.map { Self.label(pairs[$0]) })
        if labels.isSuperset(of: ["cardholder", "number"]) { entry.type = "card" }
        for index in names where !pairs[index + 1].isEmpty {
            takeEnpass(pairs[index], pairs[index + 1], &notes)
        }
    }

    private static func label(_ name: String) -> String {
        name.lowercased().drop { $0 == "*" }.withoutBlanksAround
    }

    private mutating func takeEnpass(_ name: String, _ value: String, _ notes: inout NoteList) {
        let label = Self.label(name)
        switch label {
        case "username" where entry.userName.isEmpty: entry.userName = value
        case "password" where entry.secret == nil && entry.type == "login":
            entry.secret = Array(value.utf8)
        case "url", "website": takeAddresses(value)
        case "totp", "totp secret key", "one-time code":
            add(code: value, entry.oneTimeCodes.count + 1, &notes)
        case "cardholder": add(field: "holder", "text", value)
        case "number" where entry.type == "card": add(field: "number", "secret", value)
        case "cvc": add(field: "code", "secret", value)
        case "expiry date": add(field: Bitwarden.expires, "month", value)
        default:
            let shown = String(name.drop { $0 == "*" }).withoutBlanksAround
            add(field: shown, name.hasPrefix("*") ? "secret" : "text", value)
        }
    }

    // MARK: Types

    mutating func finishType(_ notes: inout NoteList) {
        if entry.type == "card" || entry.type == "identity", note.count == 1,
            let members = note.first.flatMap(JSONTree.init(text:))?.members
        {
            note = []
            for member in members where !member.value.isEmpty { takeProton(member, &notes) }
        }
        if header.layout.noteAddress != nil, entry.type == "note", let text = note.first {
            takeLastPass(text)
        }
    }

    /// A member of Proton Pass's cards and identities, which stand in the note as JSON.
    private mutating func takeProton(_ member: JSONTree.Member, _ notes: inout NoteList) {
        guard let text = member.value.string else {
            return notes.add(.partNotHeld, "\"\(member.name)\" of the \(entry.type)")
        }
        switch member.name {
        case "note": note.append(text)
        case "cardholderName": add(field: "holder", "text", text)
        case "number": add(field: "number", "secret", text)
        case "verificationNumber": add(field: "code", "secret", text)
        case "pin": add(field: "pin", "secret", text)
        case "expirationDate":
            // `MMYYYY` beside the usual forms.
            let isBare = text.utf8.count == 6 && text.utf8.allSatisfy(\.isDigit)
            let date = isBare ? "\(text.prefix(2))/\(text.suffix(4))" : text
            add(field: Bitwarden.expires, "month", date)
        default: add(field: member.name, "text", text)
        }
    }

    /// A note of LastPass that is a card or a key: `NoteType:…`, then `NAME:VALUE` line by line.
    private mutating func takeLastPass(_ text: String) {
        let types = ["Credit Card": "card", "SSH Key": "ssh-key"]
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), first.hasPrefix("NoteType:"),
            let type = types[first.dropFirst("NoteType:".count).withoutBlanksAround]
        else { return }
        entry.type = type
        note = []
        while let line = lines.popFirst() {
            let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 1, let last = entry.fields.indices.last {
                // A key has several lines.
                entry.fields[last].value += Array("\n\(line)".utf8)
            } else if pair.count == 1 || pair[0] == "Notes" {
                let rest = [pair[pair.count - 1]] + lines
                note = [rest.joined(separator: "\n")].filter { !$0.isEmpty }
                return
            } else if !pair[1].isEmpty {
                takeLastPass(String(pair[0]), String(pair[1]))
            }
        }
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]

    private mutating func takeLastPass(_ name: String, _ value: String) {
        switch name {
        case "Name on Card": add(field: "holder", "text", value)
        case "Type": add(field: "brand", "text", value)
        case "Number": add(field: "number", "secret", value)
        case "Security Code": add(field: "code", "secret", value)
        case "Expiration Date":
            let parts = value.split(separator: ",").map(String.init)
            let month = parts.first.flatMap(Self.months.firstIndex(of:)).map { "\($0 + 1)" }
            let date = month.flatMap { month in parts.count == 2 ? "\(month)/\(parts[1])" : nil }
            if value != "," { add(field: Bitwarden.expires, "month", date ?? value) }
        case "Private Key": add(field: "private key", "secret", value)
        case "Public Key": add(field: "public key", "text", value)
        case "Passphrase", "Password": add(field: name.lowercased(), "secret", value)
        case "Start Date" where value == ",": break
        default: add(field: name, "text", value)
        }
    }
}
