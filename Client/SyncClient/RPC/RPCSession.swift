internal import KSAgent
internal import KSSecurityNames

/// Who carries requests out: the daemon, or a keychain made for a test.
protocol RPCKeychain: AnyObject {
    /// What requests may name.
    var objects: any RPCObjects { get }

    /// One of the four calls, by the daemon's name for it.
    func call(
        _ function: String,
        query: AgentDictionary,
        update: AgentDictionary?
    ) -> RPCReply

    /// Anything else; nil when it is not known.
    func call(_ name: String, _ arguments: AgentDictionary) throws(RPCError) -> RPCReply?
}

/// How a call ended.
struct RPCReply: Equatable {
    var status: Int32
    var result: AgentValue?
}

/// Answers requests, one line each.
struct RPCSession {
    let keychain: any RPCKeychain

    private static let functions = [
        "SecItemAdd": "add", "SecItemCopyMatching": "copy", "SecItemUpdate": "update",
        "SecItemDelete": "delete",
    ]
    /// What is said to a line that is no request.
    private static let notARequest: Int32 = -50

    /// The answer to a line, without a line's end.
    func answer(_ line: String) -> String {
        var answer = AgentDictionary()
        do throws(RPCError) {
            let request = try RPCJSON.object(line)
            answer["id"] = request["id"]
            let reply = try reply(to: request)
            answer["status"] = .integer(Int64(reply.status))
            let coding = RPCCoding(objects: keychain.objects)
            answer["result"] = reply.result.map(coding.json) ?? .null
        } catch {
            answer["status"] = .integer(Int64(Self.notARequest))
            answer["error"] = .string(error.sentence)
        }
        return JSONText.text(.dictionary(answer))
    }

    private func reply(to request: AgentDictionary) throws(RPCError) -> RPCReply {
        guard let name = request["fn"]?.string else {
            throw RPCError("There is no \"fn\" that says what to do.")
        }
        let coding = RPCCoding(objects: keychain.objects)
        guard let function = Self.functions[name] else {
            var arguments = request
            if let query = request["query"]?.dictionary {
                arguments["query"] = .dictionary(try coding.query(query))
            }
            guard let reply = try keychain.call(name, arguments) else {
                throw RPCError("There is no function \"\(name)\" here.")
            }
            return reply
        }
        let query = try coding.query(try Self.dictionary("query", of: request))
        guard function == "update" else {
            return keychain.call(function, query: query, update: nil)
        }
        let update = try coding.query(try Self.dictionary("update", of: request))
        return keychain.call(function, query: query, update: update)
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
final class DaemonKeychain: RPCKeychain {
    private let link: AgentLink
    let objects: any RPCObjects = NoObjects()

    init(home: String?) {
        link = AgentLink(home: home)
    }

    func call(
        _ function: String,
        query: AgentDictionary,
        update: AgentDictionary?
    ) -> RPCReply {
        var arguments: AgentDictionary = [
            "fn": .string(function), "query": .dictionary(query),
        ]
        arguments["update"] = update.map(AgentValue.dictionary)
        do throws(AgentError) {
            let answer = try link.call("secitem", arguments, mayRepeat: function == "copy")
            let status = Int32(truncatingIfNeeded: answer.dictionary?["status"]?.integer ?? -26276)
            return RPCReply(status: status, result: answer.dictionary?["result"])
        } catch {
            if case .failed = error {} else { Console.warn(error.sentence) }
            return RPCReply(status: error.status)
        }
    }

    func call(_ name: String, _ arguments: AgentDictionary) -> RPCReply? { nil }
}
