package import KSAgent
internal import KSBytes

/// An item's attributes as `security` prints them.
package enum AttributeBlock {
    /// The block of an item as the daemon returns it; `keychain` is the keychain's path if the item
    /// does not name one.
    package static func text(item: FoundItem, keychain: String) -> String {
        let itemClass = ToolClass(rawValue: item.class) ?? .genericPassword
        let attributes = item.attributes
        var lines = [
            "keychain: \"\(item.keychain ?? keychain)\"",
            "version: 512",
            "class: \(className(itemClass, attributes))",
            "attributes:",
        ]
        for line in Self.lines(of: itemClass) {
            let value = line.name.flatMap { shown($0, of: itemClass, attributes) }
            let kind = line.kind == .number ? .uint32 : line.kind
            lines.append("    \(line.tag)<\(kind)>=\(text(value, as: line))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The shown value of an attribute.
    ///
    /// As in `security`, a certificate without an alias shows its label as one, and one of version
    /// 3 shows the number 1, for X.509.
    private static func shown(
        _ name: String,
        of itemClass: ToolClass,
        _ attributes: AgentDictionary
    ) -> AgentValue? {
        let value = attributes[name]
        guard itemClass == .certificate else { return value }
        switch (name, value) {
        case ("alis", .none), ("alis", .null): return attributes["labl"] ?? ""
        case ("ctyp", .integer(3)): return 1
        default: return value
        }
    }

    /// Passwords have their class as four characters, others the number of their record type.
    private static func className(_ itemClass: ToolClass, _ attributes: AgentDictionary) -> String {
        switch itemClass {
        case .genericPassword, .internetPassword: "\"\(itemClass.rawValue)\""
        case .certificate: "0x80001000 "
        case .key: "0x000000\(keyClass(attributes["kcls"])) "
        }
    }

    private static func keyClass(_ value: AgentValue?) -> String {
        let number = value?.integer ?? value?.string.flatMap { Int64($0) } ?? 1
        return number == 0 ? "0F" : number == 1 ? "10" : "11"
    }

    private static func lines(of itemClass: ToolClass) -> [Line] {
        switch itemClass {
        case .genericPassword: genericPasswordLines
        case .internetPassword: internetPasswordLines
        case .certificate: certificateLines
        case .key: keyLines
        }
    }

    private static func text(_ value: AgentValue?, as line: Line) -> String {
        guard let value, let bytes = bytes(of: value, as: line.kind) else { return "<NULL>" }
        // Items here hold an empty text where `security` has no value.
        if bytes.isEmpty, line.isNullWhenEmpty { return "<NULL>" }
        if line.name == "kcls" {
            return PrintBuffer.text([0, 0, 0, UInt8(keyClass(value), radix: 16) ?? 0])
        }
        return PrintBuffer.text(bytes)
    }

    private static func bytes(of value: AgentValue, as kind: Kind) -> [UInt8]? {
        switch value {
        case .string(let text):
            if kind == .number, let number = Int64(text) {
                return bytes(of: .integer(number), as: kind)
            }
            return Array(text.utf8)
        case .data(let bytes): return bytes
        case .date(let seconds):
            // In the file keychain's format; dates outside the years 1 to 9999 have no text.
            return String(calendarDigits: seconds).map { Array("\($0)Z\0".utf8) }
        case .integer(let number):
            return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * Int64($0))) }
        case .bool(let isTrue): return [0, 0, 0, isTrue ? 1 : 0]
        case .null, .double, .array, .dictionary: return nil
        }
    }

    enum Kind {
        case blob
        case uint32
        case sint32
        case timedate
        /// Shown as `uint32`; items here keep it as digits.
        case number
    }

    struct Line {
        /// In print-buffer form, which ends in a blank for the numeric ones.
        let tag: String
        let kind: Kind
        /// The attribute's name; nil for an attribute that our items do not have.
        let name: String?
        var isNullWhenEmpty = false
    }
}
