package import KSAgent
package import KSKeychain

// The results of the `SecItem` calls.

/// An item or an identity in the result of a call.
protocol CallResult {
    /// The value of `kSecClass`.
    var classLetters: String { get }
    var secret: [UInt8]? { get }
    var persistentReference: [UInt8]? { get }
    /// The Security object for the result; nil if it has none.
    var referenceObject: AgentValue? { get }

    /// All attributes that were opened, by their names.
    func attributesResult(withSecret: Bool) -> AgentDictionary
}

extension SecItemQuery {
    /// One result in the form that the query asks for; nil if it has nothing of that form.
    func result(_ found: some CallResult) -> AgentValue? {
        switch returns {
        case []: return nil
        case .data: return isByIdentity ? nil : .data(found.secret ?? [])
        case .persistentReference: return found.persistentReference.map { .data($0) }
        case .reference: return found.referenceObject
        default:
            let givesSecret = returns.contains(.data) && !isByIdentity
            var dictionary =
                returns.contains(.attributes)
                ? found.attributesResult(withSecret: givesSecret) : AgentDictionary()
            if returns.contains(.reference) {
                dictionary["class"] = .string(found.classLetters)
                dictionary["v_Ref"] = found.referenceObject
            }
            if givesSecret { dictionary["v_Data"] = found.secret.map { .data($0) } }
            if returns.contains(.persistentReference) {
                dictionary["v_PersistentRef"] = found.persistentReference.map { .data($0) }
            }
            return .dictionary(dictionary)
        }
    }

    /// The results as the limit demands: the first alone for a limit of one, else a list.
    func shaped(_ results: [AgentValue?]) -> AgentValue? {
        guard matches.limit != 1 else { return results.first ?? nil }
        return .array(results.compactMap(\.self))
    }
}

extension Item: CallResult {
    var classLetters: String { itemClass.rawValue }

    func attributesResult(withSecret: Bool) -> AgentDictionary {
        var result = AgentDictionary()
        var flags: Int64 = 0
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            if name == .accessControl {
                if case .integer(let number) = value { flags = number }
            } else {
                result[name.text] = AgentValue(value)
            }
        }
        result["accc"] = [
            "$ref": "accc", "protection": .string(accessibility.letters),
            "flags": .integer(flags),
        ]
        // Attributes that are sealed with the secret are returned only with it. An addition has the
        // whole item at hand, so they are removed here.
        if !withSecret {
            for description in itemClass.attributes where description.isWithSecret {
                result[description.name.text] = nil
            }
        }
        return result
    }

    /// The Security object of the item.
    ///
    /// Nil for a password, a certificate that cannot be parsed and a key of unknown class: as with
    /// Apple's keychain, the result then leaves the object out.
    var referenceObject: AgentValue? {
        switch itemClass {
        case .genericPassword, .internetPassword: return nil
        case .certificate:
            return certificateBytes.map { ["$ref": "cert", "certificate": .data($0)] }
        case .key:
            guard var object = keyObject else { return nil }
            object["$ref"] = "keys"
            for name in [AttributeName.applicationLabel, .applicationTag, .label] {
                guard let value = attributes[name], value != .data([]) else { continue }
                object[name.text] = AgentValue(value)
            }
            return .dictionary(object)
        }
    }

    /// The certificate in DER; nil if the secret is not a certificate.
    var certificateBytes: [UInt8]? {
        guard let secret, CertificateAttributes.parsed(secret) != nil else { return nil }
        return secret
    }

    /// The key as a dictionary with its class and type; nil if its class is unknown.
    var keyObject: AgentDictionary? {
        let keyClass = text(of: .keyClass)
        guard ["0", "1", "2"].contains(keyClass) else { return nil }
        return [
            "key": .data(secret ?? []), "kcls": .string(keyClass),
            "type": .string(text(of: .type)), "bsiz": .integer(number(of: .keySize)),
        ]
    }

    /// The attribute as text: a number in decimal, a string unchanged, "0" for any other value.
    package func text(of name: AttributeName) -> String {
        switch attributes[name] {
        case .integer(let number): String(number)
        case .string(let text): text
        default: "0"
        }
    }

    private func number(of name: AttributeName) -> Int64 {
        guard case .integer(let number) = attributes[name] else { return 0 }
        return number
    }
}

extension AgentValue {
    /// An attribute's value as programs get it.
    package init(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .data(let bytes): self = .data(bytes)
        case .integer(let number): self = .integer(number)
        case .date(let seconds): self = .date(seconds)
        }
    }
}
