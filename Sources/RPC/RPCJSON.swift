package import KSAgent
internal import Foundation

/// Reads JSON (RFC 8259) into the values that travel to the daemon.
package enum RPCJSON {
    /// The object on a line.
    package static func object(_ line: String) throws(RPCError) -> AgentDictionary {
        let value: Any
        do {
            value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        } catch {
            throw RPCError("The text is no JSON object.")
        }
        guard case .dictionary(let object) = try Self.value(value, depth: 0) else {
            throw RPCError("The text is no JSON object.")
        }
        return object
    }

    private static func value(_ value: Any, depth: Int) throws(RPCError) -> AgentValue {
        guard depth < 24 else { throw RPCError("The values are nested too deeply.") }
        switch value {
        case is NSNull: return .null
        case let text as String: return .string(text)
        case let number as NSNumber: return Self.number(number)
        case let elements as [Any]:
            var values: [AgentValue] = []
            for element in elements { values.append(try Self.value(element, depth: depth + 1)) }
            return .array(values)
        case let members as [String: Any]:
            var dictionary = AgentDictionary()
            for (key, member) in members {
                dictionary[key] = try Self.value(member, depth: depth + 1)
            }
            return .dictionary(dictionary)
        default: throw RPCError("A value is not valid JSON.")
        }
    }

    private static func number(_ number: NSNumber) -> AgentValue {
        // Only object identity distinguishes a boolean from a number.
        if number === truth { return .bool(true) }
        if number === untruth { return .bool(false) }
        let double = number.doubleValue
        let integer = number.int64Value
        return Double(integer) == double ? .integer(integer) : .double(double)
    }

    private static let truth = NSNumber(value: true)
    private static let untruth = NSNumber(value: false)
}

/// Why a request is invalid.
package struct RPCError: Error, Equatable {
    package let sentence: String

    package init(_ sentence: String) {
        self.sentence = sentence
    }
}
