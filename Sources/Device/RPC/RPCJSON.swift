package import KSAgent

/// Requests as JSON, each an object.
package enum RPCJSON {
    private static let depthMax = 24

    /// The object that the text is.
    package static func object(_ text: String) throws(RPCError) -> AgentDictionary {
        guard case .dictionary(let object) = try value(Array(text.utf8)) else {
            throw RPCError("The JSON is not an object.")
        }
        return object
    }

    /// What JSON text says.
    package static func value(_ bytes: [UInt8]) throws(RPCError) -> AgentValue {
        try JSONReader.value(of: bytes, depthMax: depthMax, readNumber: number)
    }

    /// The contents of a JSON file that people edit too, without unknown fields.
    ///
    /// - Throws: ``RPCError`` with the place of the first fault and what should be there.
    package static func file<Contents: Decodable>(
        _ bytes: [UInt8],
        as type: Contents.Type
    ) throws(RPCError) -> Contents {
        let value = try value(bytes)
        do {
            return try value.strictly(type)
        } catch let mismatch as AgentMismatch {
            throw RPCError(mismatch.sentence + ".")
        } catch {
            throw RPCError("The JSON has other contents than it should.")
        }
    }

    /// A number without a fraction is an integer, however it is written.
    private static func number(_ text: String) throws(RPCError) -> AgentValue {
        if let integer = Int64(text) { return .integer(integer) }
        let real = try RPCError.real(text)
        return Int64(exactly: real).map { .integer($0) } ?? .double(real)
    }
}

/// Why a request is invalid.
package struct RPCError: Error, Equatable {
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
}

extension RPCError {
    /// The real number that is nearest to a number of JSON.
    static func real(_ text: String) throws(RPCError) -> Double {
        guard let real = Double(text), real.isFinite else {
            throw RPCError("\(text) is beyond the largest real number, 1.7976931348623157e308.")
        }
        return real
    }
}
