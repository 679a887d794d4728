internal import KSAgent

/// The line on standard error about items that the same options may find.
///
/// `security` has no such line: there, no two items of one keychain differ only in whether they are
/// synchronized.
enum TwinNote {
    /// What the command has done to the item that it names.
    enum Command {
        case add
        case update
        case delete
    }

    static func text(_ twins: [FoundItem], _ itemClass: ToolClass, after command: Command) -> String
    {
        let isOne = twins.count == 1
        let place = itemClass == .genericPassword ? "service" : "server"
        let which = twins.map(description).joined(separator: "; ")
        let subject = isOne ? "another item has" : "\(twins.count) other items have"
        let newest = isOne ? "the newer one" : "the newest one"
        let advice =
            switch command {
            case .add where isOne:
                "Find shows the newer one; with -U that item is changed instead of adding one."
            case .add:
                "Find shows the newest one; with -U it is changed instead of adding one."
            case .update:
                "\(isOne ? "It is" : "They are") unchanged, and find shows \(newest)."
            case .delete where isOne:
                "Find now shows that item; delete again to remove it too."
            case .delete:
                "Find now shows the newest one; delete again to remove them too."
            }
        return "security: note: \(subject) the same \(place) and account (\(which)). \(advice)\n"
    }

    /// What distinguishes a twin from the item that was named.
    private static func description(_ item: FoundItem) -> String {
        var parts = [item.isSynced ? "synchronized" : "on this device only"]
        for (name, words) in [("ptcl", "protocol"), ("sdmn", "security domain"), ("path", "path")] {
            switch item.attributes[name] {
            case .string(let text): parts += shown(Array(text.utf8), as: words)
            case .data(let bytes): parts += shown(bytes, as: words)
            default: break
            }
        }
        if let port = item.attributes["port"]?.integer, port != 0 { parts.append("port \(port)") }
        return parts.joined(separator: ", ")
    }

    private static func shown(_ bytes: [UInt8], as words: String) -> [String] {
        bytes.isEmpty ? [] : ["\(words) \(PrintBuffer.text(bytes))"]
    }
}

extension FoundItem {
    /// Whether the account's other devices have it too.
    var isSynced: Bool {
        let isSynchronizable = attributes["sync"] == 1 || attributes["sync"] == true
        // The protection classes that bind an item to this device end in u.
        return isSynchronizable && attributes["pdmn"]?.string?.hasSuffix("u") != true
    }
}
