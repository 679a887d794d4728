internal import KSSecurityNames

/// Translates between what Apple's constants are called and what they hold.
package enum RPCNames {
    /// What a name stands for; any other text stands for itself.
    package static func raw(_ text: String) -> String {
        text.hasPrefix("kSec") ? SecConstants.value(of: text) ?? text : text
    }

    /// The name of a dictionary's key; a key without one stays as it is.
    package static func name(ofKey key: String, isOfKey: Bool) -> String {
        (isOfKey ? keyAttributes[key] : nil) ?? keys[key] ?? key
    }

    /// The name of an attribute's value, where its values are constants.
    package static func name(ofValue value: String, ofKey key: String, isOfKey: Bool) -> String {
        guard let prefix = key == "type" && !isOfKey ? nil : prefixes[key] else { return value }
        return values[prefix]?[value] ?? value
    }

    /// Two attributes of keys share their string with one of passwords.
    private static let keyAttributes = [
        "crtr": "kSecAttrKeyCreator", "type": "kSecAttrKeyType",
    ]

    private static let keys: [String: String] = {
        let entries = SecConstants.classes.prefix(1) + SecConstants.attributes
        var names: [String: String] = [:]
        for entry in entries + SecConstants.queries { names[entry.value] = entry.name }
        names["crtr"] = "kSecAttrCreator"
        names["type"] = "kSecAttrType"
        return names
    }()

    /// What the names of an attribute's values begin with.
    private static let prefixes = [
        "class": "kSecClass", "pdmn": "kSecAttrAccessible", "kcls": "kSecAttrKeyClass",
        "type": "kSecAttrKeyType", "ptcl": "kSecAttrProtocol",
        "atyp": "kSecAttrAuthenticationType", "tkid": "kSecAttrTokenID",
    ]

    /// The first of several names for one string, except where another is the usual one.
    private static let values: [String: [String: String]] = {
        var values: [String: [String: String]] = [:]
        let entries = SecConstants.classes.dropFirst() + SecConstants.values
        for prefix in prefixes.values.sorted() {
            var names: [String: String] = [:]
            for entry in entries + SecConstants.protocols where entry.name.hasPrefix(prefix) {
                names[entry.value] = names[entry.value] ?? entry.name
            }
            values[prefix] = names
        }
        values["kSecAttrKeyType"]?["73"] = "kSecAttrKeyTypeECSECPrimeRandom"
        return values
    }()
}
