internal import KSRedaction
package import KSSecretReferences

// Calls about what a person or a program needs of an item at the moment.

/// Makes a password.
///
/// The daemon makes it, which has the randomness and the word list.
package struct GeneratePassword: AgentCall, Codable {
    package typealias Answer = GeneratedPassword
    package static let name = "items.generate"
    package static let permission = AgentPermission.seesAll
    package static let countsAsUse = false
    package var mayRepeat: Bool { true }

    package enum Style: String, Codable, Sendable {
        case characters
        case syllables
        case words
    }

    package var style = Style.characters
    /// Characters, groups of syllables or words; nil for a good number.
    package var length: Int64?
    package var hasUpper = true
    package var hasDigits = true
    package var hasSymbols = true
    package var leavesOutLookAlikes = false
    package var separator: String?
    package var isCapitalized = false
    /// Apple's passwordrules of a site, in place of the rest.
    package var rules: String?

    package init() {}
}

package struct GeneratedPassword: AgentCoded, Codable, Redacted {
    package var password: String
    /// The binary logarithm of the number of passwords that were as likely, rounded down.
    package var entropyBits: Int64

    package init(password: String, entropyBits: Int64) {
        (self.password, self.entropyBits) = (password, entropyBits)
    }
}

/// The one-time code of an item at this moment.
package struct GetOneTimeCode: AgentCall, Codable {
    package typealias Answer = OneTimeCodeNow
    package static let name = "items.code"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true
    package var mayRepeat: Bool { true }

    package var reference: [UInt8]
    /// Nil for the first field that has one.
    package var field: String?

    package init(_ reference: [UInt8], field: String? = nil) {
        (self.reference, self.field) = (reference, field)
    }
}

package struct OneTimeCodeNow: AgentCoded, Codable, Equatable, Redacted {
    package var code: String
    /// The one after it.
    package var next: String
    package var secondsLeft: Int64
    package var periodSeconds: Int64

    package init(code: String, next: String, secondsLeft: Int64, periodSeconds: Int64) {
        (self.code, self.next) = (code, next)
        (self.secondsLeft, self.periodSeconds) = (secondsLeft, periodSeconds)
    }
}

/// The values of references, all of one moment.
package struct ReadReferences: AgentCall, Codable {
    package typealias Answer = [ReferenceValue]
    package static let name = "items.read"
    package static let permission = AgentPermission.seesAll
    package static let failsByStatus = true
    package var mayRepeat: Bool { true }

    package struct Reference: Codable, Equatable, Sendable, Redacted {
        package var place: String
        /// Empty if it does not say which.
        package var account: String
        package var kind: Kind
        /// Of a field.
        package var name: String?

        package init(place: String, account: String, kind: Kind, name: String? = nil) {
            (self.place, self.account, self.kind, self.name) = (place, account, kind, name)
        }

        package init(place: String, account: String, field: SecretReference.Field) {
            let (kind, name): (Kind, String?) =
                switch field {
                case .password: (.password, nil)
                case .username: (.userName, nil)
                case .notes: (.note, nil)
                case .otp: (.oneTimeCode, nil)
                case .named(let name): (.field, name)
                }
            self.init(place: place, account: account, kind: kind, name: name)
        }

        /// The same as people write it.
        package var secretReference: SecretReference {
            let field: SecretReference.Field =
                switch kind {
                case .password: .password
                case .userName: .username
                case .note: .notes
                case .oneTimeCode: .otp
                case .field: .named(name ?? "")
                }
            return SecretReference(site: place, account: account, field: field)
        }
    }

    package enum Kind: String, Codable, Sendable {
        case password
        case userName
        case note
        /// The code of the moment, not the secret that it comes from.
        case oneTimeCode
        case field
    }

    package var references: [Reference]

    package init(_ references: [Reference]) { self.references = references }
}

/// The value of one reference, or why the reference has no value.
package struct ReferenceValue: AgentCoded, Codable, Redacted {
    package enum Problem: String, Codable, Sendable {
        case missing
        case noSuchField
        case locked
        case ambiguous
    }

    package var value: [UInt8]?
    package var problem: Problem?
    /// How many items it may mean.
    package var count: Int64?
    /// A reference that means one of them alone, for the first of them.
    package var references: [String]?

    package init(_ value: [UInt8]) { self.value = value }

    package init(_ problem: Problem, count: Int64? = nil, references: [String]? = nil) {
        (self.problem, self.count, self.references) = (problem, count, references)
    }
}
