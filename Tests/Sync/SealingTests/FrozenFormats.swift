import KSDigests
import Foundation
import Testing

/// One format in Vectors/formats.json.
struct FrozenFormat {
    private let fields: [String: Any]

    init(_ name: String) throws {
        let folder = try #require(Bundle.module.resourceURL)
        let data = try Data(contentsOf: folder.appending(path: "Vectors/formats.json"))
        let all = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        fields = try #require(all[name] as? [String: Any])
    }

    func bytes(_ field: String) throws -> [UInt8] {
        try #require([UInt8](hex: string(field)))
    }

    func string(_ field: String) throws -> String {
        try #require(fields[field] as? String)
    }

    /// A list of pairs of byte strings.
    func pairs(_ field: String, _ first: String, _ second: String) throws -> [([UInt8], [UInt8])] {
        let list = try #require(fields[field] as? [[String: String]])
        return try list.map { element in
            let left = try #require(element[first].flatMap { [UInt8](hex: $0) })
            return (left, try #require(element[second].flatMap { [UInt8](hex: $0) }))
        }
    }
}

extension [UInt8] {
    init?(hex: String) {
        let digits = Array<Character>(hex)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[start...start + 1]), radix: 16) else { return nil }
            append(byte)
        }
    }

    /// This byte string with one bit of one byte changed.
    func flipping(_ index: Int, bit: UInt8 = 1) -> [UInt8] {
        var changed = self
        changed[index] ^= bit
        return changed
    }

    /// Bytes that count up from one, as the frozen formats use them.
    static func rising(from start: UInt8, count: Int = 32) -> [UInt8] {
        (0..<count).map { start &+ UInt8($0) }
    }
}

/// "Random" bytes that were chosen beforehand: each request gets the next ones.
final class ChosenBytes: RandomSource {
    private let chosen: [UInt8]

    init(_ chosen: [UInt8]) {
        self.chosen = chosen
    }

    func bytes(_ count: Int) -> [UInt8] {
        precondition(count == chosen.count)
        return chosen
    }
}
