internal import KSOneTimeCodes

/// One-time codes in the forms of other programs.
enum OneTimeCodeText {
    /// A field with the code.
    ///
    /// A code that does not work here is kept as hidden text.
    static func field(_ name: String, _ text: String, _ notes: inout NoteList) -> Entry.Field {
        if let url = url(text) { return .init(name, "otp", text: url) }
        notes.add(.otherForm, "the \(name)", "is no code that works here, and is kept as text")
        return .init(name, "secret", text: text)
    }

    /// The address of a code as items keep it; nil for a wrong one.
    static func url(_ text: String) -> String? {
        // The error says no more than that it is wrong.
        (try? OneTimeCode(keeOtp(text) ?? text))?.url
    }

    /// The form `key=…&step=…&size=…&otpHashMode=…` as an address; nil for another.
    private static func keeOtp(_ text: String) -> String? {
        var parts: [Substring: Substring] = [:]
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { parts[pair[0]] = pair[1] }
        }
        guard let key = parts["key"], text.hasPrefix("key=") || text.contains("&key=") else {
            return nil
        }
        var url = "otpauth://totp/?secret=\(key)"
        if let step = parts["step"] { url += "&period=\(step)" }
        if let size = parts["size"] { url += "&digits=\(size)" }
        if let hash = parts["otpHashMode"] { url += "&algorithm=\(hash)" }
        return url
    }

    /// Steam's codes have an address of their own in Bitwarden.
    static func bitwardenText(_ url: String) -> String {
        guard url.contains("encoder=steam"), let start = url.firstRange(of: "secret=") else {
            return url
        }
        return "steam://" + url[start.upperBound...].prefix { $0 != "&" }
    }
}
