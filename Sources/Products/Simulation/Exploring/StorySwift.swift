internal import KSKeyValues

/// Lines of a story in Swift, as the body of a test.
package struct StorySwift {
    private let seed: UInt64

    /// `seed`: that of the story.
    package init(seed: UInt64) { self.seed = seed }

    /// The statements for these lines; a line that has no form becomes a comment.
    package func text(of lines: [String]) -> [String] {
        var statements: [String] = []
        var variables: [String: String] = [:]
        /// The devices whose users may hear that a disk has failed.
        var failing: Set<String> = []
        for (index, line) in lines.enumerated() {
            // Comments and empty lines have no form, and neither have lines with a mistake.
            guard let file = try? StoryFile(parsing: line), let step = file.steps.first else {
                statements.append("// \(line)")
                continue
            }
            let new = step.arguments.texts("NAME")
            for name in new {
                variables[name] = Self.variable(name, taken: Array(variables.values))
            }
            if index == 0, step.form.pattern == "devices NAME..." {
                let list = new.map(Self.literal).joined(separator: ", ")
                let end = seed == 1 ? "" : ", seed: \(seed)"
                statements.append("let story = try Story(devices: [\(list)]\(end))")
            } else {
                let statement = Self.statement(step, variables)
                let isOfFailing = failing.contains(step.arguments.text("DEVICE"))
                let mayFail = isOfFailing && statement.hasPrefix("try ")
                statements.append(mayFail ? "try? " + statement.dropFirst(4) : statement)
            }
            switch step.form.pattern {
            case "DEVICE disk-full", "DEVICE crash-at-write NUMBER":
                failing.insert(step.arguments.text("DEVICE"))
            case "DEVICE disk-free": failing.remove(step.arguments.text("DEVICE"))
            default: break
            }
            for name in new where step.form.pattern == "devices NAME..." {
                let variable = variables[name] ?? name
                statements.append("let \(variable) = try story[\(Self.literal(name))]")
            }
        }
        if statements.first?.hasPrefix("let story") != true {
            let end = seed == 1 ? "" : "seed: \(seed)"
            statements.insert("let story = try Story(\(end))", at: 0)
        }
        return statements
    }

    private static func statement(
        _ step: StoryFile.Step,
        _ variables: [String: String]
    ) -> String {
        guard let template = templates[step.form.pattern] else { return "// \(step.text)" }
        var statement = ""
        var rest = template[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            statement += rest[..<start]
            let place = String(rest[rest.index(after: start)..<end])
            statement += filling(of: place, step.arguments, variables)
            rest = rest[rest.index(after: end)...]
        }
        return statement + rest
    }

    /// What stands in a place of a template.
    private static func filling(
        of place: String,
        _ arguments: StoryArguments,
        _ variables: [String: String]
    ) -> String {
        let parts = place.split(separator: " ").map(String.init)
        let name = parts.last ?? ""
        let tokens = arguments.tokens[name] ?? []
        let text = arguments.text(name)
        switch place {
        case "duration": return duration(arguments)
        case "share": return "\(Double(arguments.number("PERCENT")) / 100)"
        case "type": return "\(StoryMergeType(rawValue: arguments.text("TYPE")) ?? .register)"
        case "reason": return UnsentReason(rawValue: arguments.text("REASON")).text
        case "pause": return PauseReason(rawValue: arguments.text("PAUSE")).text
        case "answer": return StoryAnswer(rawValue: arguments.text("ANSWER")).map { ".\($0)" } ?? ""
        case "expected": return arguments.expected.first.map { literal($0.property) } ?? "nil"
        case "expected list": return list(arguments.expected.map { literal($0.property) })
        case "expected text":
            return arguments.expectedTexts.first.map { literal($0.property) } ?? "nil"
        case "expected texts": return list(arguments.expectedTexts.map { literal($0.property) })
        default: break
        }
        switch parts.dropLast().joined(separator: " ") {
        case "name of": return variables[text] ?? text
        case "raw": return text
        case "value": return literal(arguments.value(name).property)
        case "values": return list(tokens.map { literal($0.value.property) })
        case "texts": return list(tokens.map { literal($0.text) })
        default: return literal(text)
        }
    }

    // MARK: Literals

    private static func list(_ elements: [String]) -> String {
        "[\(elements.joined(separator: ", "))]"
    }

    static func literal(_ text: String) -> String {
        var literal = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            case "\t": literal += "\\t"
            default:
                if scalar.value < 32 || scalar.value == 0x7F {
                    literal += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    literal.unicodeScalars.append(scalar)
                }
            }
        }
        return "\"\(literal)\""
    }

    static func literal(_ value: PropertyValue) -> String {
        switch value {
        case .string(let text): literal(text)
        case .array(let values): list(values.map(literal))
        case .dictionary(let fields):
            fields.entries.isEmpty
                ? "[:]" : list(fields.entries.map { "\(literal($0.key)): \(literal($0.value))" })
        case .bool, .integer, .unsigned, .real, .date, .data: StoryValue(value).description
        }
    }

    private static func duration(_ arguments: StoryArguments) -> String {
        let milliseconds = arguments.duration().signedMilliseconds
        return milliseconds % 1000 == 0
            ? ".seconds(\(milliseconds / 1000))" : ".milliseconds(\(milliseconds))"
    }

    /// A device's name as a variable: `my-phone` is `myPhone`.
    static func variable(_ name: String, taken: [String]) -> String {
        let parts = name.split(separator: "-")
        var variable =
            parts.prefix(1).map { $0.lowercased() }.joined()
            + parts.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        let keywords: Set = [
            "story", "let", "var", "func", "in", "is", "as", "do", "if", "for", "try", "case",
            "self", "switch", "default", "return", "while", "import", "class", "struct", "enum",
        ]
        if variable.first?.isNumber ?? true || keywords.contains(variable) {
            variable = "device" + variable.prefix(1).uppercased() + variable.dropFirst()
        }
        while taken.contains(variable) { variable += "2" }
        return variable
    }
}

extension UnsentReason? {
    fileprivate var text: String { map { ".\($0)" } ?? "nil" }
}

extension PauseReason? {
    fileprivate var text: String { map { ".\($0)" } ?? "nil" }
}
