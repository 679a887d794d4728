import Foundation
import Testing

/// Reads the files under `Vectors`, whose README names their sources.
enum PublishedVectors {
    static func data(_ path: String) throws -> Data {
        let folder = try #require(Bundle.module.resourceURL)
        return try Data(contentsOf: folder.appending(path: "Vectors/" + path))
    }

    static func json<Value: Decodable>(_ path: String, as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: data(path))
    }

    /// The blocks of a `name = value` file, each up to `lastName`.
    static func blocks(_ path: String, endingWith lastName: String) throws -> [[String: String]] {
        var blocks: [[String: String]] = []
        var block: [String: String] = [:]
        for line in String(decoding: try data(path), as: UTF8.self).split(
            whereSeparator: \.isNewline
        ) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !line.hasPrefix("#") else { continue }
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            block[name] = parts[1].trimmingCharacters(in: .whitespaces)
            if name == lastName {
                blocks.append(block)
                block = [:]
            }
        }
        return blocks
    }

    static func lines(_ path: String) throws -> [String] {
        String(decoding: try data(path), as: UTF8.self).split(whereSeparator: \.isNewline).map(
            String.init
        )
    }
}

/// Bytes written as hexadecimal digits.
struct Hex: Decodable {
    let bytes: [UInt8]

    init(_ text: String) throws {
        bytes = try stride(from: 0, to: text.utf8.count, by: 2).map { offset in
            let start = text.index(text.startIndex, offsetBy: offset)
            let end = text.index(start, offsetBy: 2)
            return try #require(UInt8(text[start..<end], radix: 16))
        }
    }

    init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }
}

/// Wycheproof's files: groups of cases.
struct Wycheproof<Group: Decodable>: Decodable {
    let testGroups: [Group]
}

/// The expected result of a case.
enum WycheproofResult: String, Decodable {
    case valid
    case invalid
    case acceptable
}
