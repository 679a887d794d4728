/// What must be true in every story, whatever happens in it.
public struct StoryInvariant: Sendable {
    /// What is promised, as a few words.
    let name: String
    /// Whether it holds after each step, or only once everything is online and synced.
    let isAlways: Bool
    /// What is wrong; nil if it holds.
    let check: @Sendable (Story) throws -> String?

    /// Must be true after each step.
    ///
    /// - Parameters:
    ///   - name: what is promised.
    ///   - holds: asks the story. A ``StoryError``, such as of a locked device, is no break.
    /// - Returns: the invariant.
    public static func always(
        _ name: String,
        _ holds: @escaping @Sendable (Story) throws -> Bool
    ) -> StoryInvariant {
        StoryInvariant(name: name, isAlways: true) { try holds($0) ? nil : "does not hold" }
    }

    /// Must be true once every device is online, unlocked and in sync.
    public static func atRest(
        _ name: String,
        _ holds: @escaping @Sendable (Story) throws -> Bool
    ) -> StoryInvariant {
        StoryInvariant(name: name, isAlways: false) { try holds($0) ? nil : "does not hold" }
    }

    /// All devices show the same once they are in sync.
    public static let agreement = StoryInvariant(
        name: "agreement",
        isAlways: false
    ) { try $0.difference() }

    /// What is wrong in a story; nil if it holds.
    func breach(in story: Story) throws -> String? {
        do {
            return try check(story).map { "\(name): \($0)" }
        } catch is StoryError {
            return nil
        }
    }
}

/// A story in which an invariant does not hold, as short as possible.
public struct StoryFinding: Error, Equatable, Sendable {
    /// The seed of its story; with it, the lines repeat.
    public let seed: UInt64
    /// The invariant, and what is wrong.
    public let breach: String
    /// Its lines, from `devices` on.
    public let lines: [String]

    /// The story as a file for `sync-simulate run`.
    public var file: String {
        "# seed \(seed): \(breach)\n" + lines.map { $0 + "\n" }.joined()
    }

    /// The story in Swift, as the body of a test.
    public var swift: String {
        "// \(breach)\n" + StorySwift(seed: seed).text(of: lines).map { $0 + "\n" }.joined()
    }
}

extension StoryFinding: CustomStringConvertible {
    /// The breach, and the story in both forms.
    public var description: String {
        "\(breach)\n\nAs a file, with --seed \(seed):\n\n\(file)\nIn Swift:\n\n\(swift)"
    }
}
