extension StoryForm {
    static let expectationForms = [
        expect("DEVICE kv KEY is VALUE", "programs see this value, or `nothing`") {
            .init($1.expected.first, try $0.keyValues.value($1.text("KEY")))
        },
        expect("DEVICE kv KEY conflicts VALUE...", "these values are not shown, or `nothing`") {
            .init($1.expected, try $0.keyValues.conflicts($1.text("KEY")))
        },
        expect("DEVICE kv KEY history VALUE...", "these were replaced, or `nothing`") {
            .init($1.expected, try $0.keyValues.history($1.text("KEY")))
        },
        expect("DEVICE kv KEY by OTHER", "this device wrote last") {
            .init($1.text("OTHER"), try $0.keyValues.writer($1.text("KEY")) ?? "nobody")
        },
        expect("DEVICE shows ITEM", "it shows the item") {
            let isSo = try $0.shows($1.text("ITEM"))
            return .init($1.text("ITEM"), isSo: isSo, else: list(try $0.items()))
        },
        expect("DEVICE lacks ITEM", "it does not show the item") {
            let isSo = try !$0.shows($1.text("ITEM"))
            return .init("no \($1.text("ITEM"))", isSo: isSo, else: list(try $0.items()))
        },
        expect("DEVICE ITEM FIELD is VALUE", "it shows this value, or `nothing`") {
            let shown = try $0.value($1.text("FIELD"), of: $1.text("ITEM"))
            return .init($1.expectedTexts.first, shown.map { StoryValue($0) })
        },
        expect("DEVICE ITEM FIELD conflicts VALUE...", "these are in conflict, or `nothing`") {
            let versions = try $0.conflicts($1.text("FIELD"), of: $1.text("ITEM"))
            return .init($1.expectedTexts, versions.map { StoryValue($0.value) })
        },
        expect("DEVICE ITEM FIELD history VALUE...", "these were replaced, or `nothing`") {
            let versions = try $0.history($1.text("FIELD"), of: $1.text("ITEM"))
            return .init($1.expectedTexts, versions.map { StoryValue($0.value) })
        },
        expect("DEVICE ITEM FIELD by OTHER", "this device set what is shown") {
            let writer = try $0.writer($1.text("FIELD"), of: $1.text("ITEM"))
            return .init($1.text("OTHER"), writer ?? "nobody")
        },
        expect("DEVICE deleted-elsewhere ITEM", "it is here although another device deleted it") {
            let isSo = try $0.isDeletedElsewhere($1.text("ITEM"))
            return .init("deleted elsewhere", isSo: isSo, else: "not deleted elsewhere")
        },
        expect("DEVICE unsent NUMBER", "so many items and keys are not on the server") {
            .init("\($1.number())", "\(try $0.unsentCount())")
        },
        expect(
            "DEVICE unsent because REASON",
            "why: \(UnsentReason.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))"
        ) { .init($1.text("REASON"), try $0.unsentReason()?.rawValue ?? "nothing") },
        expect("DEVICE pause PAUSE", "why it asks its user: `circle`, `deletions`, `nothing`") {
            .init($1.text("PAUSE"), try $0.pauseReason()?.rawValue ?? "nothing")
        },
        expect(
            "DEVICE answered ANSWER",
            "how it answered the last line of its user: `done`, `disk-full`, or `nothing`, since"
                + " its power failed"
        ) { .init($1.text("ANSWER"), $0.lastAnswer.rawValue) },
        expectAll("agreement", "all devices that reach the server show the same") { story, _ in
            let difference = try story.difference()
            return .init("agreement", isSo: difference == nil, else: difference ?? "")
        },
        expectAll("server records NUMBER", "the server holds so many living records") {
            .init("\($1.number())", "\(try $0.server.recordCount())")
        },
        expectAll("server deleted NUMBER", "the server holds so many deleted records") {
            .init("\($1.number())", "\(try $0.server.deletedRecordCount())")
        },
        expectAll("server cannot-read TEXT", "the text stands nowhere in its database") {
            let canRead = try $0.server.canRead($1.text("TEXT"))
            return .init("nothing readable", isSo: !canRead, else: $1.text("TEXT"))
        },
    ]

    private static func list(_ items: [String]) -> String {
        items.isEmpty ? "nothing" : items.joined(separator: ", ")
    }

    private static func expectAll(
        _ pattern: String,
        _ meaning: String,
        _ compare: @escaping @Sendable (Story, StoryArguments) throws -> StoryComparison
    ) -> StoryForm {
        StoryForm(.expectations, "expect \(pattern)", meaning, .compare(compare))
    }

    private static func expect(
        _ pattern: String,
        _ meaning: String,
        _ compare: @escaping @Sendable (Story.Device, StoryArguments) throws -> StoryComparison
    ) -> StoryForm {
        expectAll(pattern, meaning) { try compare($1.device($0), $1) }
    }
}

extension StoryArguments {
    /// The expected values; the word `nothing` stands for none.
    var expected: [StoryValue] {
        let tokens = tokens["VALUE"] ?? []
        let isNothing = tokens.count == 1 && tokens[0].isWord && tokens[0].text == "nothing"
        return isNothing ? [] : tokens.map(\.value)
    }

    /// The same for a field of an item, which holds texts only.
    var expectedTexts: [StoryValue] {
        expected.isEmpty ? [] : texts("VALUE").map { StoryValue($0) }
    }

    func place(_ name: String = "PLACE") -> Int { Int(number(name)) }
}
