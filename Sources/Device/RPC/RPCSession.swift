package import KSAgent
internal import Glibc
internal import KSSecurityNames

/// Who carries requests out: the daemon, or a keychain made for a test.
package protocol RPCKeychain: AnyObject {
    /// What requests may name; nil for nothing.
    var objects: (any RPCObjects)? { get }

    /// One of the four calls.
    func answer(_ call: SecItemCall) -> SecItemReply

    /// Anything else; nil when it is not known.
    func call(_ name: String, _ arguments: AgentDictionary) throws(RPCError) -> SecItemReply?
}

/// Answers requests, one line each.
package struct RPCSession {
    package let keychain: any RPCKeychain

    package init(keychain: any RPCKeychain) {
        self.keychain = keychain
    }

    private static let functions: [String: SecItemCall.Function] = [
        "SecItemAdd": .add, "SecItemCopyMatching": .copy, "SecItemUpdate": .update,
        "SecItemDelete": .delete,
    ]

    /// Answers the lines of standard input on standard output until there are no more.
    package func serve() {
        while let line = readLine() {
            if line.allSatisfy(\.isWhitespace) { continue }
            print(answer(line))
            fflush(nil)
        }
    }

    /// The answer to a line, without a line's end.
    package func answer(_ line: String) -> String {
        var answer = AgentDictionary()
        do throws(RPCError) {
            let request = try RPCJSON.object(line)
            answer["id"] = request["id"]
            let reply = try reply(to: request)
            answer["status"] = .integer(Int64(reply.status))
            let coding = RPCCoding(objects: keychain.objects)
            answer["result"] = reply.result.map(coding.json) ?? .null
        } catch {
            answer["status"] = .integer(Int64(SecStatus.errSecParam))
            answer["error"] = .string(error.sentence)
        }
        return JSONText.text(.dictionary(answer))
    }

    private func reply(to request: AgentDictionary) throws(RPCError) -> SecItemReply {
        guard let name = request["fn"]?.string else {
            throw RPCError("The request has no \"fn\", the name of a function.")
        }
        let coding = RPCCoding(objects: keychain.objects)
        guard let function = Self.functions[name] else {
            var arguments = request
            if let query = request["query"]?.dictionary {
                arguments["query"] = .dictionary(try coding.query(query))
            }
            guard let reply = try keychain.call(name, arguments) else {
                throw RPCError("There is no function \"\(name)\".")
            }
            return reply
        }
        let query = try coding.query(try Self.dictionary("query", of: request))
        guard function == .update else { return keychain.answer(SecItemCall(function, query)) }
        let update = try coding.query(try Self.dictionary("update", of: request))
        return keychain.answer(SecItemCall(function, query, update: update))
    }

    private static func dictionary(
        _ name: String,
        of request: AgentDictionary
    ) throws(RPCError) -> AgentDictionary {
        guard let dictionary = request[name]?.dictionary else {
            throw RPCError("The request has no object \"\(name)\".")
        }
        return dictionary
    }
}

/// The daemon of a home, started when it does not run.
package final class DaemonKeychain: RPCKeychain {
    private let link: AgentLink
    private let warn: (String) -> Void
    package let objects: (any RPCObjects)? = nil

    /// `warn` hears why the daemon cannot be asked.
    package init(home: String?, warn: @escaping (String) -> Void) {
        link = AgentLink(home: home)
        self.warn = warn
    }

    package func answer(_ call: SecItemCall) -> SecItemReply {
        do throws(AgentError) {
            return try link.call(call)
        } catch {
            if case .failed = error {} else { warn(error.sentence) }
            return SecItemReply(status: error.status)
        }
    }

    package func call(_ name: String, _ arguments: AgentDictionary) -> SecItemReply? { nil }
}
