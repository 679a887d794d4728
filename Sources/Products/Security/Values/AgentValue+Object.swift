internal import KSAgent
internal import Foundation

// Converts what programs pass into values for the daemon.
extension AgentDictionary {
    /// Stands for a key that is not a string, which the daemon refuses.
    private static let foreignKey = ""

    /// Converts a dictionary without checks; the daemon reports what is wrong with it.
    init(_ dictionary: NSDictionary) {
        self.init()
        for (key, value) in dictionary {
            self[key as? String ?? Self.foreignKey] = AgentValue(value)
        }
    }
}

extension AgentValue {
    /// The key that makes a dictionary stand for an object.
    static let referenceKey = "$ref"

    /// Stands for an object of any other type, which the daemon refuses.
    private static let foreignObject: AgentValue = [referenceKey: "other"]

    init(_ value: Any) {
        // The only number type of Swift that does not become an NSNumber on Linux.
        if type(of: value) == CGFloat.self, let number = value as? CGFloat {
            self = .double(Double(number))
        } else if type(of: value) == Data.self, let data = value as? Data {
            self = .data([UInt8](data))
        } else {
            self.init(object: value as AnyObject)
        }
    }

    private init(object: AnyObject) {
        switch object {
        case let number as NSNumber: self.init(number: number)
        case let text as NSString: self = .string(text as String)
        case let data as NSData: self = .data(data.copiedBytes)
        case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
        case let identifier as NSUUID: self = .string(identifier.uuidString)
        case is NSNull: self = .null
        case let array as NSArray: self = .array(array.map(AgentValue.init))
        case let dictionary as NSDictionary: self = .dictionary(AgentDictionary(dictionary))
        case let object as any KeychainObject: self = .dictionary(object.reference)
        default: self = Self.foreignObject
        }
    }

    private init(number: NSNumber) {
        // Only identity distinguishes a boolean from a number: `as?` and `is` take 1 for a Bool.
        if number === kCFBooleanTrue {
            self = .bool(true)
        } else if number === kCFBooleanFalse {
            self = .bool(false)
        } else {
            switch unsafe number.objCType.pointee {
            case Self.letter("d"), Self.letter("f"): self = .double(number.doubleValue)
            case Self.letter("Q") where number.uint64Value > UInt64(Int64.max):
                self = .double(number.doubleValue)
            default: self = .integer(number.int64Value)
            }
        }
    }

    private static func letter(_ letter: Unicode.Scalar) -> CChar {
        CChar(truncatingIfNeeded: letter.value)
    }
}

// Converts the answers of the daemon into objects for programs.
extension AgentValue {
    /// An object of Foundation or of this module, which programs can cast as on Apple systems.
    var object: AnyObject {
        switch self {
        case .null: NSNull()
        // `as? Int` fails for a boxed Bool; a number can be cast to both.
        case .bool(let value): NSNumber(value: value ? 1 : 0)
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .date(let value): NSDate(timeIntervalSinceReferenceDate: value)
        case .string(let value): value as NSString
        case .data(let value): Data(value) as NSData
        case .array(let values): values.map(\.object) as NSArray
        case .dictionary(let dictionary): Self.object(of: dictionary)
        }
    }

    private static func object(of dictionary: AgentDictionary) -> AnyObject {
        if let kind = dictionary[referenceKey]?.string,
            let object = keychainObject(kind, dictionary)
        {
            return object
        }
        let result = NSMutableDictionary()
        for entry in dictionary.entries {
            result.setObject(entry.value.object, forKey: entry.key as NSString)
        }
        return result
    }

    private static func keychainObject(
        _ kind: String,
        _ dictionary: AgentDictionary
    ) -> AnyObject? {
        switch kind {
        case SecCertificate.referenceKind: SecCertificate(dictionary)
        case SecKey.referenceKind: SecKey(dictionary)
        case SecIdentity.referenceKind: SecIdentity(dictionary)
        case SecAccessControl.referenceKind: SecAccessControl(dictionary)
        default: nil
        }
    }
}

/// An object of this module, sent to the daemon as a dictionary with the key `$ref`.
protocol KeychainObject: AnyObject {
    var reference: AgentDictionary { get }
}
