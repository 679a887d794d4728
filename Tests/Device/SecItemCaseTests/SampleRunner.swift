import KSAgent
import KSRPC
import KSTestBench
import Testing

/// Runs a case's calls, each as a line of `rpc`, on a new keychain.
struct SampleRunner {
    let session: RPCSession
    private var saved: [String: AgentValue] = [:]

    init() throws {
        session = RPCSession(keychain: try TestKeychain())
    }

    /// The answer to the case's call.
    ///
    /// `insteadBefore`: expected statuses of earlier calls that differ from the sample's.
    mutating func run(
        _ sample: SampleCase,
        insteadBefore: [Int: Int64]
    ) throws -> AgentDictionary {
        for (place, step) in sample.setup.enumerated() {
            let answer = try answer(to: step)
            let expected = insteadBefore[place] ?? step["expect_status"]?.integer ?? 0
            #expect(
                answer["status"]?.integer == expected,
                "\(sample.id), before the call: \(step["fn"]?.string ?? "") gave \(answer)"
            )
        }
        return try answer(to: sample.call)
    }

    private mutating func answer(to step: AgentDictionary) throws -> AgentDictionary {
        var request = step
        for name in ["query", "update"] {
            if let dictionary = step[name] { request[name] = try substituted(dictionary) }
        }
        let line = session.answer(JSONText.text(.dictionary(request)))
        let answer = try RPCJSON.object(line)
        if let name = step["save"]?.string { saved[name] = answer["result"] }
        return answer
    }

    /// A value with `$saved`, `$merge` and `$remove` carried out.
    private func substituted(_ value: AgentValue) throws -> AgentValue {
        switch value {
        case .array(let elements): return .array(try elements.map(substituted))
        case .dictionary(let dictionary):
            if let name = dictionary["$saved"]?.string {
                guard let result = saved[name] else { throw SampleError.noSavedResult(name) }
                return result
            }
            if let parts = dictionary["$merge"]?.array {
                let removed = dictionary["$remove"]?.array?.compactMap(\.string) ?? []
                return .dictionary(try merged(parts, without: removed))
            }
            var result = AgentDictionary()
            for entry in dictionary.entries { result[entry.key] = try substituted(entry.value) }
            return .dictionary(result)
        default: return value
        }
    }

    private func merged(
        _ parts: [AgentValue],
        without removed: [String]
    ) throws -> AgentDictionary {
        var result = AgentDictionary()
        for part in parts {
            for entry in try substituted(part).dictionary?.entries ?? [] {
                result[entry.key] = entry.value
            }
        }
        for key in removed {
            result[key] = nil
            result[RPCNames.name(ofKey: key, isOfKey: false)] = nil
        }
        return result
    }
}
