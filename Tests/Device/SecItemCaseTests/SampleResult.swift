import Foundation
import KSAgent
import KSRPC
import KSTestBench

/// Compares a result with the sample's description of it.
enum SampleResult {
    /// The difference; nil without one.
    static func fault(_ result: AgentValue?, of sample: SampleCase) -> String? {
        guard let prose = sample.result else {
            return result == .null ? nil : "there should be no result"
        }
        if let fault = kindFault(result, prose) { return fault }
        return handWritten[sample.id].flatMap { $0(result) ? nil : "the hand-written check fails" }
    }

    private static func kindFault(_ result: AgentValue?, _ prose: String) -> String? {
        let isGood: Bool
        switch prose {
        case _ where prose.hasPrefix("NULL"): isGood = result == .null
        // Any result will do.
        case _ where prose.hasPrefix("found"): isGood = true
        case "data (persistent reference)": isGood = data(result)?.count == 20
        case "data = DER of the certificate":
            isGood =
                data(result) == TestObjects.shared.object(named: "cert:A")?["certificate"]?.data
        case _ where prose.hasPrefix("data \""):
            isGood = data(result) == Array(prose.dropFirst(6).dropLast().utf8)
        case "data": isGood = data(result) != nil
        case _ where prose.hasPrefix("dictionary"):
            isGood = result?.dictionary.map { $0["$data"] == nil && $0["$ref"] == nil } ?? false
        case _ where prose.hasPrefix("array of "):
            let count = prose.dropFirst(9).prefix { $0.isNumber }
            isGood = result?.array?.count == Int(count)
        case "array": isGood = result?.array != nil
        case "certificate reference": isGood = reference(result)?.hasPrefix("cert") == true
        case "identity reference": isGood = reference(result)?.hasPrefix("identity") == true
        default: return "no check knows \"\(prose)\""
        }
        return isGood ? nil : "the result is not \(prose)"
    }

    private static func data(_ value: AgentValue?) -> [UInt8]? {
        guard let text = value?.dictionary?["$data"]?.string else { return nil }
        let coding = RPCCoding()
        // A missing value means the result is not data.
        return try? coding.value(["$data": .string(text)]).data
    }

    private static func reference(_ value: AgentValue?) -> String? {
        value?.dictionary?["$ref"]?.string
    }

    /// What the description says beyond the type.
    private static let handWritten: [String: @Sendable (AgentValue?) -> Bool] = [
        "si78-1": { result in
            guard let item = result?.array?.first?.dictionary else { return false }
            return item.count == 2 && data(item["kSecValueData"]) == Array("secret".utf8)
                && data(item["kSecValuePersistentRef"])?.count == 20
        },
        "si78-2": { data($0?.array?.first) == Array("secret".utf8) },
        "si78-3": { data($0?.array?.first)?.count == 20 },
        "si80-1": { result in
            guard let item = result?.array?.first?.dictionary else { return false }
            return item["kSecAttrAccount"] == "a1" && item["kSecAttrService"] == "s1"
                && item["kSecValueData"] == nil
        },
        "api-server-data": {
            data($0?.dictionary?["kSecAttrServer"]) == Array("host.example".utf8)
        },
        "api-host-1": { $0?.dictionary?["kSecAttrServer"] == "origin.example.com" },
        "ent-assoc-1": { $0?.dictionary?["kSecAttrAccessGroup"] == "assoc-id" },
        "cry-1": { $0?.dictionary?["kSecValueData"] == nil },
        "add-1": { result in
            guard
                let date = result?.dictionary?["kSecAttrCreationDate"]?.dictionary?["$date"],
                let seconds = seconds(date)
            else { return false }
            return abs(seconds - Date().timeIntervalSinceReferenceDate) < 60
        },
        "add-3": {
            $0?.dictionary?["kSecAttrAccessible"] == "kSecAttrAccessibleWhenUnlocked"
                && $0?.dictionary?["kSecAttrSynchronizable"] == 0
        },
        "add-4": { $0?.dictionary?["kSecAttrAccessible"] == "kSecAttrAccessibleAlways" },
    ]

    private static func seconds(_ value: AgentValue) -> Double? {
        switch value {
        case .double(let seconds): seconds
        case .integer(let seconds): Double(seconds)
        default: nil
        }
    }
}
