import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// `sync-client kv` commands that change one element or field.
    struct KeyValuePartTests {
        private func expect(
            _ device: Device,
            _ arguments: String...,
            output: String = "",
            status: Int32 = 0,
            saying part: String = ""
        ) async throws {
            // An option that follows two hyphens would be an element.
            let words = ["kv", arguments[0], "--home", device.home] + arguments.dropFirst()
            let result = try await device.start("sync-client", words, namesHome: false).result()
            #expect(result.output == output && result.status == status, "\(arguments): \(result)")
            #expect(part.isEmpty || result.errors.contains(part), "\(arguments): \(result)")
        }

        private func value(_ device: Device, _ key: String) async throws -> String {
            let result = try await device.client("kv", "get", "app", key)
            #expect(result.status == 0, "\(result)")
            return result.output.trimmingCharacters(in: .newlines)
        }

        @Test
        func `elements are added to sets and lists, and removed`() async throws {
            try await World.withDevice { _, device in
                try await expect(device, "add", "app", "tags", #""b""#, #""a""#, "--type", "set")
                try await expect(device, "add", "app", "tags", "a", "c", "--text")
                #expect(try await value(device, "tags") == #"["a","b","c"]"#)
                try await expect(device, "remove", "app", "tags", #""a""#, #""c""#)
                #expect(try await value(device, "tags") == #"["b"]"#)

                try await expect(device, "add", "app", "tasks", "1", "2", "--type", "list")
                try await expect(device, "add", "app", "tasks", "2", "1", "--", "-5")
                #expect(try await value(device, "tasks") == "[1,2,2,1,-5]")
                try await expect(device, "remove", "app", "tasks", "2", "1", "2")
                #expect(try await value(device, "tasks") == "[1,-5]")
                // A plain array becomes what --type says.
                try await expect(device, "set", "app", "plain", "[3,1]")
                try await expect(device, "add", "app", "plain", "2", "--type", "list")
                #expect(try await value(device, "plain") == "[3,1,2]")
            }
        }

        @Test
        func `what cannot be added or removed changes nothing`() async throws {
            try await World.withDevice { _, device in
                try await expect(device, "add", "app", "tags", "1", "2", "--type", "set")
                try await expect(device, "add", "app", "tasks", "1", "--type", "list")
                try await expect(device, "set", "app", "plain", "[1]")
                try await expect(device, "increment", "app", "n")
                for key in ["tags", "tasks"] {
                    let part = "It does not have the element 7."
                    try await expect(
                        device,
                        "remove",
                        "app",
                        key,
                        "1",
                        "7",
                        status: 1,
                        saying: part
                    )
                }
                let none = #"no key "none""#
                try await expect(device, "remove", "app", "none", "1", status: 1, saying: none)
                for key in ["none", "plain"] {
                    try await expect(device, "add", "app", key, "1", status: 64, saying: "--type")
                }
                try await expect(device, "add", "app", "x", "1", "--type", "map", status: 64)
                try await expect(device, "add", "app", "x", "y", "--type", "set", status: 64)
                try await expect(device, "add", "app", "n", "1", status: 77, saying: "a counter")
                try await expect(device, "remove", "app", "n", "1", status: 77, saying: "a counter")
                try await expect(device, "remove", "app", "plain", "1", status: 77)
                try await expect(device, "add", "app", "tags", "1", "--type", "list", status: 77)
                let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
                try await expect(device, "add", "app", "tags", deep, status: 77, saying: "nesting")
                try await expect(
                    device,
                    "export",
                    "app",
                    output: #"{"n":{"type":"counter","value":1},"#
                        + #""plain":{"type":"register","value":[1]},"#
                        + #""tags":{"type":"set","value":[1,2]},"#
                        + #""tasks":{"type":"list","value":[1]}}"# + "\n"
                )
            }
        }

        @Test
        func `fields of a map are set, counted and removed one by one`() async throws {
            try await World.withDevice { _, device in
                try await expect(device, "set-field", "app", "me", "name", "Ada", "--text")
                try await expect(device, "set-field", "app", "me", "age", "36")
                try await expect(device, "increment", "app", "me", "--field", "age", "--by", "1")
                try await expect(device, "set-field", "app", "me", "low", "--", "-5")
                #expect(try await value(device, "me") == #"{"age":37,"low":-5,"name":"Ada"}"#)
                try await expect(device, "remove-field", "app", "me", "low")
                try await expect(
                    device,
                    "remove-field",
                    "app",
                    "me",
                    "low",
                    status: 1,
                    saying: #"It has no field "low"."#
                )
                try await expect(device, "remove-field", "app", "none", "low", status: 1)
                #expect(try await value(device, "me") == #"{"age":37,"name":"Ada"}"#)
                try await expect(device, "increment", "app", "n")
                for command in ["set-field", "remove-field"] {
                    let arguments = ["kv", command, "app", "n", "f"]
                    let result = try await device.start(
                        "sync-client",
                        arguments + (command == "set-field" ? ["1"] : [])
                    ).result()
                    #expect(result.status == 77 && result.errors.contains("not a map"), "\(result)")
                }
            }
        }

        /// The same with `kv get` and `kv set` would remove what arrives between the two.
        @Test
        func `a script that changes one part keeps what other devices add meanwhile`() async throws
        {
            try await World.withDevices("laptop", "phone") { _, devices in
                let (laptop, phone) = (devices[0], devices[1])
                func sync() async throws {
                    for device in [laptop, phone, laptop] {
                        #expect(try await device.sync().status == 0)
                    }
                }
                try await expect(laptop, "add", "app", "tags", "1", "2", "--type", "set")
                try await expect(laptop, "add", "app", "tasks", "1", "2", "--type", "list")
                try await expect(laptop, "set-field", "app", "me", "a", "1")
                try await sync()
                // The script on the laptop reads; then the phone's changes arrive.
                #expect(try await value(laptop, "tags") == "[1,2]")
                try await expect(phone, "add", "app", "tags", "3")
                try await expect(phone, "add", "app", "tasks", "3")
                try await expect(phone, "remove", "app", "tasks", "1")
                try await expect(phone, "set-field", "app", "me", "b", "2")
                try await sync()
                try await expect(laptop, "remove", "app", "tags", "1")
                try await expect(laptop, "add", "app", "tasks", "4")
                try await expect(laptop, "set-field", "app", "me", "a", "5")
                try await sync()
                for device in devices {
                    #expect(try await value(device, "tags") == "[2,3]")
                    #expect(try await value(device, "tasks") == "[2,3,4]")
                    #expect(try await value(device, "me") == #"{"a":5,"b":2}"#)
                }
            }
        }
    }
}
