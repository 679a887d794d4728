/// A text with references in double braces: `{{ keychain://SITE/ACCOUNT }}`.
///
/// Only braces that contain a reference mean anything. All other bytes stay as they are, whether
/// they are text or not, references without braces too. Spaces and tabs inside of the braces do not
/// count. A backslash in front keeps the braces: `\{{ keychain://a/b }}` becomes
/// `{{ keychain://a/b }}`, and two backslashes become one in front of a value.
package struct SecretTemplate: Sendable {
    private enum Part {
        case text(ArraySlice<UInt8>)
        case reference(SecretReference, ReferenceProblem.Place, written: String)
    }

    private var parts: [Part] = []
    private var malformed: [ReferenceProblem] = []

    package init(_ bytes: [UInt8]) {
        var counter = PositionCounter()
        var textStart = 0
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "{"),
                let enclosed = Enclosed(in: bytes, at: position)
            else {
                position += 1
                continue
            }
            let slashes = bytes[textStart..<position].reversed()
                .prefix { $0 == UInt8(ascii: "\\") }.count
            // Of each pair one stays; the one that keeps the braces goes.
            parts.append(.text(bytes[textStart..<position - (slashes + 1) / 2]))
            textStart = position
            let isKept = !slashes.isMultiple(of: 2)
            position = isKept ? position + 2 : enclosed.end
            guard !isKept else { continue }
            textStart = enclosed.end
            counter.advance(to: enclosed.reference.startIndex, in: bytes)
            add(enclosed, at: counter.place)
        }
        parts.append(.text(bytes[textStart...]))
    }

    private mutating func add(_ enclosed: Enclosed, at place: ReferenceProblem.Place) {
        let written = String(decoding: enclosed.reference, as: UTF8.self)
        func problem(_ reason: ReferenceProblem.Reason) -> ReferenceProblem {
            ReferenceProblem(place: place, reference: written, reason: reason)
        }
        guard enclosed.isClosed else { return malformed.append(problem(.notClosed)) }
        do throws(ReferenceError) {
            let reference = try SecretReference(parsing: enclosed.reference)
            parts.append(.reference(reference, place, written: written))
        } catch {
            malformed.append(problem(.malformed(error)))
        }
    }

    /// How many references it has, each time that one stands in it.
    package var referenceCount: Int {
        parts.count { if case .reference = $0 { true } else { false } }
    }

    /// The text with values in place of the references, or all problems in the order of the text.
    ///
    /// The resolver is asked only if there are references and all are well formed.
    package func filled<Failure: Error>(
        by resolve: ReferenceResolver<Failure>
    ) throws(Failure) -> Result<[UInt8], ReferenceProblems> {
        guard malformed.isEmpty else { return .failure(ReferenceProblems(malformed)) }
        var questions = ReferenceQuestions()
        for case .reference(let reference, _, _) in parts { questions.add(reference) }
        let answers = try questions.answers(by: resolve)
        var filled: [UInt8] = []
        var problems: [ReferenceProblem] = []
        for part in parts {
            switch part {
            case .text(let bytes): filled += bytes
            case .reference(let reference, let place, let written):
                switch answers(reference) {
                case .success(let value): filled += value
                case .failure(let failure):
                    let reason = ReferenceProblem.Reason.failed(failure)
                    problems.append(
                        ReferenceProblem(place: place, reference: written, reason: reason)
                    )
                }
            }
        }
        return problems.isEmpty ? .success(filled) : .failure(ReferenceProblems(problems))
    }
}

/// All that is wrong with references of one text or of one set of variables.
package struct ReferenceProblems: Error, Hashable, Sendable {
    package let problems: [ReferenceProblem]

    init(_ problems: [ReferenceProblem]) {
        self.problems = problems
    }
}

/// A pair of braces with a reference between them.
private struct Enclosed {
    let reference: ArraySlice<UInt8>
    /// Where the text goes on.
    let end: Int
    let isClosed: Bool

    /// Nil unless a brace stands at `start`, and another one and a reference follow.
    init?(in bytes: [UInt8], at start: Int) {
        let brace = UInt8(ascii: "{")
        guard start + 1 < bytes.count, bytes[start + 1] == brace else { return nil }
        let inner = bytes[(start + 2)...].drop(while: Self.isSpace)
        guard SecretReference.isReference(inner) else { return nil }
        let line = inner.prefix { $0 != UInt8(ascii: "\n") }
        let close = line.indices.first { index in
            line[index] == UInt8(ascii: "}") && line.indices.contains(index + 1)
                && line[index + 1] == UInt8(ascii: "}")
        }
        var text = line[..<(close ?? line.endIndex)]
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        reference = text
        end = close.map { $0 + 2 } ?? line.endIndex
        isClosed = close != nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains(byte)
    }
}

/// Counts lines and columns up to a position that only grows.
private struct PositionCounter {
    private var line = 1
    private var column = 1
    private var position = 0

    mutating func advance(to end: Int, in bytes: [UInt8]) {
        for byte in bytes[position..<end] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                // Bytes that continue a scalar of UTF-8 do not count.
                column += 1
            }
        }
        position = end
    }

    var place: ReferenceProblem.Place { .position(line: line, column: column) }
}

/// Collects references, each once.
struct ReferenceQuestions {
    private var numbers: [SecretReference: Int] = [:]
    private var references: [SecretReference] = []

    mutating func add(_ reference: SecretReference) {
        guard numbers[reference] == nil else { return }
        numbers[reference] = references.count
        references.append(reference)
    }

    func answers<Failure: Error>(
        by resolve: ReferenceResolver<Failure>
    ) throws(Failure) -> (SecretReference) -> Result<[UInt8], ReferenceFailure> {
        let results = references.isEmpty ? [] : try resolve(references)
        precondition(results.count == references.count, "each reference needs one answer")
        return { [numbers] in numbers[$0].map { results[$0] } ?? .failure(.missing) }
    }
}
