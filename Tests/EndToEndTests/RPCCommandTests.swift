import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `keychain rpc`, which the client's program answers.
    struct RPCCommandTests {
        private static let lines =
            #"{"fn":"SecItemAdd","query":{"kSecClass":"kSecClassGenericPassword","#
            + #""kSecAttrService":"s","kSecAttrAccount":"a","kSecValueData":{"$data":"utf8:pw"}}}"#
            + "\nnonsense\n"
            + #"{"fn":"SecItemCopyMatching","id":"x","query":{"kSecClass":"#
            + #""kSecClassGenericPassword","kSecAttrService":"s","kSecReturnData":true}}"# + "\n"
        private static let answers = [
            #"{"result":null,"status":0}"#,
            #"{"error":"The JSON is not valid at line 1, column 2.","status":-50}"#,
            #"{"id":"x","result":{"$data":"hex:7077"},"status":0}"#,
        ]

        @Test
        func `requests use the device's keychain, or a private one`() async throws {
            try await World.with { world in
                let device = world.device("laptop")
                try await device.startDaemon()
                let test = try await device.start("keychain", ["rpc", "--test"], input: Self.lines)
                    .result()
                #expect(test.output.split(separator: "\n").map(String.init) == Self.answers)
                #expect(test.status == 0)
                let none = try await device.keychain("find-generic-password", "-s", "s", "-w")
                #expect(none.status == 44)

                let real = try await device.start("keychain", ["rpc"], input: Self.lines).result()
                #expect(real.output.split(separator: "\n").map(String.init) == Self.answers)
                let found = try await device.keychain("find-generic-password", "-s", "s", "-w")
                #expect(found.output == "pw\n")
            }
        }
    }
}
