import Foundation
import KSAgent
import KSRPC
import KSTestBench

/// One line of the sample.
struct SampleCase: Sendable, CustomStringConvertible {
    let id: String
    let platform: String
    let setup: [AgentDictionary]
    let call: AgentDictionary
    let status: Int64
    /// The result in prose; nil for none.
    let result: String?

    var description: String { id }

    init(_ line: String) throws {
        let object = try RPCJSON.object(line)
        guard let id = object["id"]?.string, let platform = object["platform"]?.string,
            let setup = object["setup"]?.array, let call = object["call"]?.dictionary,
            let expected = object["expect"]?.dictionary,
            let status = expected["status"]?.integer
        else { throw SampleError.malformed(line) }
        self.id = id
        self.platform = platform
        self.setup = setup.compactMap(\.dictionary)
        self.call = call
        self.status = status
        result = expected["result"]?.string
    }

    /// Why a line is not run here; nil if it is.
    var reasonToSkip: Reason? {
        switch platform {
        case "macos": .clientOfMacOS
        case "macos-file": .fileKeychain
        case "macos-cli": .command
        default: (setup + [call]).contains { Self.isCloud($0) } ? .cloudRecord : nil
        }
    }

    /// All reasons.
    enum Reason: String, CaseIterable {
        case clientOfMacOS = "the client layer of macOS, which asks two keychains"
        case fileKeychain = "the keychain in a file of its own, through its older functions"
        case command = "the command, which has tests of its own"
        case cloudRecord = "records that come from Apple's cloud"
    }

    private static func isCloud(_ step: AgentDictionary) -> Bool {
        step["fn"]?.string?.hasPrefix("Sync.") == true
    }

    static let all: [SampleCase] = {
        do {
            guard
                let url = Bundle.module.url(
                    forResource: "secitem-cases",
                    withExtension: "jsonl",
                    subdirectory: "Vectors"
                )
            else { throw SampleError.missing }
            return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
                .map { try SampleCase(String($0)) }
        } catch {
            // A test counts them.
            return []
        }
    }()
}

enum SampleError: Error {
    case missing
    case malformed(String)
    case noSavedResult(String)
}
