package import KSRecords
package import KSSyncEngine

/// Finds the devices that a person names, by code or by name.
///
/// A code wins over names, so that a thief who names a device after another one, or after its code,
/// keeps neither from being removed.
package struct DeviceChoice {
    private let present: [AccountDevice]
    private let former: [AccountDevice]

    /// `former`: devices that were removed, the last one last.
    package init(among present: [AccountDevice], former: [AccountDevice] = []) {
        self.present = present
        self.former = former
    }

    /// The devices that these words name, each once.
    ///
    /// - Throws: ``CommandFailure`` if a word names none or several.
    package func devices(_ words: [String]) throws(CommandFailure) -> [AccountDevice] {
        var found: [AccountDevice] = []
        for word in words {
            let device = try device(word)
            if !found.contains(where: { $0.id == device.id }) { found.append(device) }
        }
        return found
    }

    /// The code by which a device is shown: 8 letters and digits, or all 26 where others have the
    /// same 8.
    package func code(of id: MemberID) -> String {
        let short = ItemCode(id)
        let isShared = (present + former).contains { $0.id != id && ItemCode($0.id) == short }
        return isShared ? ItemCode.longText(of: id) : short.text
    }

    private func device(_ word: String) throws(CommandFailure) -> AccountDevice {
        let byCode = present.filter { Self.isCode(word, of: $0.id) }
        if let device = byCode.first {
            guard byCode.count == 1 else { throw ambiguous(word, byCode) }
            return device
        }
        let named =
            present.filter { $0.name == word } + former.filter { Self.isCode(word, of: $0.id) }
        if let device = named.first {
            guard named.count == 1 else { throw ambiguous(word, named) }
            return device
        }
        // A command may be repeated because its answer was lost.
        guard let gone = former.last(where: { $0.name == word }) else { throw unknown(word) }
        return gone
    }

    private static func isCode(_ word: String, of id: MemberID) -> Bool {
        word.utf8.count >= ItemCode.letterCount
            && ItemCode.longText(of: id).hasPrefix(word.lowercased())
    }

    private func unknown(_ word: String) -> CommandFailure {
        .other(
            "The account has no device of the name or code \(word), but these: \(list(present))."
                + " Nothing was changed."
        )
    }

    private func ambiguous(_ word: String, _ devices: [AccountDevice]) -> CommandFailure {
        .usage(
            "Several devices have the name or code \(word): give the code of the one you mean"
                + " (\(list(devices))). Nothing was changed."
        )
    }

    private static let listedMax = 10

    /// Names with codes, for a sentence.
    package func list(_ devices: [AccountDevice]) -> String {
        let shown = devices.prefix(Self.listedMax).map { device in
            // A line break in a name could pass for a sentence of ours.
            let name = device.name.flatMap { $0.contains(where: \.isNewline) ? nil : $0 }
            return "\(name ?? "(unreadable name)") (\(code(of: device.id)))"
        }
        let more = devices.count - shown.count
        return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}
