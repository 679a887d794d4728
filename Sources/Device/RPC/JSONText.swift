package import KSAgent
internal import Foundation
internal import KSBytes

/// What a call answered, as JSON (RFC 8259) with its keys in order.
///
/// Dates become RFC 3339 text in UTC; bytes become text where they are, else base64 under the name
/// with "Base64" added.
package enum JSONText {
    package static func text(_ value: AgentValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): number.isFinite ? "\(number)" : "null"
        case .date(let seconds): Moment(secondsSince2001: seconds).iso8601.quotedAsJSON
        case .string(let text): text.quotedAsJSON
        case .data(let bytes): Data(bytes).base64EncodedString().quotedAsJSON
        case .array(let values): "[" + values.map(text).joined(separator: ",") + "]"
        case .dictionary(let dictionary):
            "{" + dictionary.entries.map(member).joined(separator: ",") + "}"
        }
    }

    private static func member(_ entry: AgentDictionary.Entry) -> String {
        guard case .data(let bytes) = entry.value else {
            return entry.key.quotedAsJSON + ":" + text(entry.value)
        }
        if let text = String(validating: bytes, as: UTF8.self) {
            return entry.key.quotedAsJSON + ":" + text.quotedAsJSON
        }
        return (entry.key + "Base64").quotedAsJSON + ":" + text(entry.value)
    }
}
