internal import KSBytes
package import KSAgent
internal import Foundation

/// Turns what stands in a request into what the keychain takes, and back.
package struct RPCCoding {
    /// What a name such as `cert:A` stands for, and the name of an object; nil where nothing has a
    /// name.
    package var objects: (any RPCObjects)?

    package init(objects: (any RPCObjects)? = nil) {
        self.objects = objects
    }

    // MARK: From a request

    /// A query or an update.
    package func query(_ json: AgentDictionary) throws(RPCError) -> AgentDictionary {
        var query = AgentDictionary()
        for entry in json.entries {
            query[RPCNames.raw(entry.key)] = try value(entry.value)
        }
        return query
    }

    package func value(_ json: AgentValue) throws(RPCError) -> AgentValue {
        switch json {
        case .string(let text): return .string(RPCNames.raw(text))
        case .array(let elements):
            return .array(try elements.map { element throws(RPCError) in try value(element) })
        case .dictionary(let dictionary): return try special(dictionary)
        case .null, .bool, .integer, .double, .date, .data: return json
        }
    }

    private func special(_ json: AgentDictionary) throws(RPCError) -> AgentValue {
        if let data = json["$data"] {
            guard let text = data.string else { throw RPCError("$data is not a text.") }
            return .data(try bytes(text))
        }
        if let date = json["$date"] { return .date(try seconds(date)) }
        if let name = json["$ref"] {
            guard let name = name.string else { throw RPCError("$ref is not a text.") }
            return .dictionary(try object(name, json))
        }
        return .dictionary(try query(json))
    }

    private func bytes(_ text: String) throws(RPCError) -> [UInt8] {
        if text.hasPrefix("utf8:") { return Array(text.utf8.dropFirst(5)) }
        guard text.hasPrefix("hex:") else {
            throw RPCError("$data must begin with utf8: or hex:.")
        }
        if let known = objects?.bytes(named: String(text.dropFirst(4))) { return known }
        guard let bytes = [UInt8](hexadecimal: text.utf8.dropFirst(4)) else {
            throw RPCError("$data is not hexadecimal.")
        }
        return bytes
    }

    private func seconds(_ value: AgentValue) throws(RPCError) -> Double {
        switch value {
        case .integer(let seconds): return Double(seconds)
        case .double(let seconds): return seconds
        case .string(let text):
            if let known = objects?.seconds(named: text) { return known }
            return try Self.seconds(of: text)
        default: throw Self.notADate
        }
    }

    private static func seconds(of text: String) throws(RPCError) -> Double {
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard text.hasSuffix("Z"), parts.count <= 2 else { throw notADate }
        let whole = parts[0] + "Z"
        let fraction = parts.count == 2 ? parts[1] : "0"
        // Foundation takes February 30 for March 2, and gives a fraction only roughly: the whole
        // seconds have to be what it would write, and the fraction is read here. Its error says no
        // more than ours.
        guard let date = try? Date(String(whole), strategy: .iso8601),
            date.formatted(.iso8601) == whole, !fraction.isEmpty,
            fraction.utf8.allSatisfy(\.isDigit), let part = Double("0." + fraction)
        else { throw notADate }
        return date.timeIntervalSinceReferenceDate + part
    }

    private static let notADate = RPCError(
        "$date must be a number of seconds or a date in UTC such as 2026-02-28T23:59:59Z."
    )

    private func object(
        _ name: String,
        _ json: AgentDictionary
    ) throws(RPCError) -> AgentDictionary {
        if let known = objects?.object(named: name) { return known }
        if name.hasPrefix(Self.accessControl) {
            return try accessControl(name.dropFirst(Self.accessControl.count), json)
        }
        if name.hasPrefix("policy:") {
            return ["$ref": "policy", "name": .string(String(name.dropFirst(7)))]
        }
        // An object of an earlier answer, with all that belongs to it.
        guard json.count > 1 else { throw RPCError("There is no object \"\(name)\".") }
        return try query(json)
    }

    private static let accessControl = "access control"

    /// `… with protection ck`, `… with constraints`, or with its parts beside the name.
    private func accessControl(
        _ rest: Substring,
        _ json: AgentDictionary
    ) throws(RPCError) -> AgentDictionary {
        var protection = json["protection"]
        var flags = json["flags"] ?? 0
        if rest.hasPrefix(" with protection ") {
            protection = .string(String(rest.dropFirst(" with protection ".count)))
        } else if rest == " with constraints" {
            protection = protection ?? "kSecAttrAccessibleWhenUnlocked"
            flags = 1
        } else if !rest.isEmpty {
            throw RPCError("There is no object \"\(Self.accessControl)\(rest)\".")
        }
        // What is missing or of another type is for the call to refuse.
        let named = protection?.string.map { AgentValue.string(RPCNames.raw($0)) }
        return ["$ref": "accc", "protection": named ?? protection ?? .null, "flags": flags]
    }

    // MARK: To an answer

    /// A result, as it is printed.
    package func json(_ value: AgentValue) -> AgentValue {
        switch value {
        case .data(let bytes): ["$data": .string("hex:" + String(hexadecimal: bytes))]
        case .date(let seconds): ["$date": .double(seconds)]
        case .array(let elements): .array(elements.map(json))
        case .dictionary(let dictionary): json(dictionary)
        case .null, .bool, .integer, .double, .string: value
        }
    }

    private func json(_ dictionary: AgentDictionary) -> AgentValue {
        if let kind = dictionary["$ref"]?.string { return reference(kind, dictionary) }
        // Only keys have a class of keys.
        let isOfKey = dictionary["kcls"] != nil
        var members = AgentDictionary()
        for entry in dictionary.entries {
            let name = RPCNames.name(ofKey: entry.key, isOfKey: isOfKey)
            if let text = Self.constant(entry.value, ofKey: entry.key) {
                let value = RPCNames.name(ofValue: text, ofKey: entry.key, isOfKey: isOfKey)
                members[name] = value == text ? json(entry.value) : .string(value)
            } else {
                members[name] = json(entry.value)
            }
        }
        return .dictionary(members)
    }

    /// The text under which a constant may be found; some are kept as numbers.
    private static func constant(_ value: AgentValue, ofKey key: String) -> String? {
        switch value {
        case .string(let text): text
        case .integer(let number) where key == "kcls" || key == "type": String(number)
        default: nil
        }
    }

    private func reference(_ kind: String, _ dictionary: AgentDictionary) -> AgentValue {
        if let name = objects?.name(of: dictionary) { return ["$ref": .string(name)] }
        var members = AgentDictionary()
        for entry in dictionary.entries where entry.key != "$ref" {
            members[entry.key] = json(entry.value)
        }
        if kind == "accc" {
            members["$ref"] = .string(Self.accessControl)
            if let protection = dictionary["protection"]?.string {
                let name = RPCNames.name(ofValue: protection, ofKey: "pdmn", isOfKey: false)
                members["protection"] = .string(name)
            }
        } else {
            members["$ref"] = .string(kind)
        }
        return .dictionary(members)
    }
}

/// Things that requests may name.
package protocol RPCObjects {
    /// The object, as it travels.
    func object(named name: String) -> AgentDictionary?
    /// The name of an object, if it has one.
    func name(of object: AgentDictionary) -> String?
    /// Bytes that are known by what they are.
    func bytes(named name: String) -> [UInt8]?
    /// Seconds since 2001-01-01 00:00 UTC that are known by what they are.
    func seconds(named name: String) -> Double?
}
