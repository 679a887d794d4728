import Foundation
import KSTestPrograms
import Testing

/// An item as `keychain show --json` prints it.
struct EverydayItem: Decodable {
    struct Field: Decodable, Equatable {
        let name: String
        let kind: String
        /// Nil if it is hidden, or no text.
        let value: String?

        private enum Key: String, CodingKey {
            case name, kind, value
        }

        init(_ name: String, _ value: String?, kind: String = "text") {
            (self.name, self.kind, self.value) = (name, kind, value)
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            name = try members.decode(String.self, forKey: .name)
            kind = try members.decode(String.self, forKey: .kind)
            // Bytes that are no text are an object.
            value = try? members.decode(String.self, forKey: .value)
        }
    }

    struct Address: Decodable, Equatable {
        let url: String
        let match: String
    }

    /// A password as text, or its bytes in the words of JSON.
    struct Password: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            do {
                text = try value.decode(String.self)
            } catch DecodingError.typeMismatch {
                // Bytes that are no text are an object.
                text = "\(try value.decode([String: String].self))"
            }
        }
    }

    private enum CodingKeys: String, CodingKey {
        case item, type, title, userName, place, note, tags, addresses, fields, favorite, conflicts
        case secret = "password"
    }

    /// The code that `sync-client history` takes; nil without an account.
    let item: String?
    let type: String
    let title: String
    let userName: String
    let place: String
    private let secret: Password?
    let note: String
    let tags: [String]
    let addresses: [Address]
    let fields: [Field]
    let favorite: Bool
    let conflicts: [String]

    var password: String? { secret?.text }

    /// The value of a field; nil if the item has no such field.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension Device {
    /// An item with its secrets.
    func item(
        _ name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> EverydayItem {
        let result = try await run(["show", name, "--secrets", "--json"])
        try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
        return try JSONDecoder().decode(EverydayItem.self, from: Data(result.output.utf8))
    }

    /// The names of all items, as lists without a terminal print them: user, `@` and title.
    func itemNames(_ options: [String] = []) async throws -> [String] {
        let result = try await run(["list"] + options)
        // Filters may leave nothing.
        try #require(result.status == 0 || result.status == 44, "\(result)")
        return result.output.split(separator: "\n").map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
            return "\(cells[1])@\(cells[0])"
        }
        .sorted()
    }

    /// Saves a value of an item into a file, and reads it.
    func bytes(of field: String, in name: String, to path: String) async throws -> Data {
        let result = try await run(["show", name, "--field", field, "-o", path, "--force"])
        try #require(result.status == 0, "\(result)")
        return try Data(contentsOf: URL(filePath: path))
    }
}

extension World {
    /// Writes bytes that are no text and look random; the same ones each time.
    func writeBytes(_ count: Int, seed: UInt8 = 1, to name: String) throws -> String {
        var state = UInt32(seed)
        let bytes = (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// Writes a program of the shell.
    func writeScript(_ lines: String, to name: String) throws -> String {
        let file = try write("#!/bin/sh\n" + lines + "\n", to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        return file
    }
}

/// The permissions of a file, as in `chmod`.
func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

extension World {
    /// Two devices with an item that has something of everything.
    static func withBank(
        _ body: (World, Device, Device) async throws -> Void
    ) async throws {
        try await World.withDevices("laptop", "phone") { world, devices in
            let password = try world.write("one\n", to: "password")
            try await devices[0].expect([
                "new", "login", "--title", "Bank", "--site", "bank.example", "--user", "ada",
                "--password-file", password, "--field", "branch=Nord", "--secret", "PIN=1111",
                "--note", "first", "--tag", "money", "--address", "https://pay.example=exact",
            ])
            try await devices.exchange()
            try await body(world, devices[0], devices[1])
        }
    }
}
