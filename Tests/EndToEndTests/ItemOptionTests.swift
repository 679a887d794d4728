import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Attributes that an update keeps, and options that a search ignores.
    struct ItemOptionTests {
        private static let whole = [
            "-a", "a", "-s", "h", "-d", "dom", "-p", "/p", "-P", "80", "-r", "http", "-t", "dflt",
        ]

        @Test
        func `an update without a label sets the service's name, and keeps other attributes`()
            async throws
        {
            try await World.withDevice { _, device in
                let add = ["add-generic-password", "-a", "a", "-s", "s"]
                try await device.expect(add + ["-l", "lab", "-j", "c1", "-w", "pw"])
                try await device.expect(add + ["-U"], output: "", errors: "")
                let found = try await device.run(["find-generic-password", "-s", "s", "-g"])
                #expect(found.status == 0)
                #expect(found.errors == "password: \"pw\"\n")
                let lines = found.output.split(separator: "\n")
                #expect(lines.contains("    0x00000007 <blob>=\"s\""), "\(found)")
                #expect(lines.contains("    \"icmt\"<blob>=\"c1\""), "\(found)")
                // With an account and a service, other criteria are ignored.
                let other = ["-U", "-l", "new", "-j", "c2", "-D", "kind", "-w", "pw2"]
                try await device.expect(add + other)
                let find = ["find-generic-password", "-l", "new", "-j", "c2", "-D", "kind", "-w"]
                try await device.expect(find, output: "pw2\n")
                // A missing item is added.
                try await device.expect(["add-generic-password", "-a", "b", "-s", "s", "-U"])
                try await device.expect(["find-generic-password", "-a", "b", "-w"], output: "\n")
            }
        }

        @Test
        func `a whole primary key identifies an item, and a part does not`() async throws {
            try await World.withDevice { _, device in
                let add = ["add-internet-password"] + Self.whole
                try await device.expect(add + ["-j", "note", "-w", "pw"])
                let find = ["find-internet-password", "-w", "-j", "other"]
                try await device.expect(find + Self.whole, output: "pw\n")
                for index in stride(from: 0, to: Self.whole.count, by: 2) {
                    var part = Self.whole
                    part.removeSubrange(index...index + 1)
                    try await device.expect(find + part, status: 44, output: "")
                    let fitting = ["find-internet-password", "-w", "-j", "note"] + part
                    try await device.expect(fitting, output: "pw\n")
                }
            }
        }

        @Test
        func `without a criterion the first item is found`() async throws {
            try await World.withDevice { _, device in
                let kinds = ["generic", "internet"]
                for kind in kinds {
                    try await device.expect(["find-\(kind)-password"], status: 44, output: "")
                    for account in ["b", "a"] {
                        let add = ["add-\(kind)-password", "-s", "s", "-a", account, "-w"]
                        try await device.expect(add + ["\(kind) of \(account)"])
                    }
                }
                for kind in kinds {
                    try await device.expect(
                        ["find-\(kind)-password", "-w"],
                        output: "\(kind) of b\n"
                    )
                }
            }
        }
    }
}
