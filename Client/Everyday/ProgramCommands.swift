internal import Glibc
internal import KSAgent
internal import KSRunning
internal import KSSecretReferences

// `run`, `inject` and `read`: secrets for programs, without a file in the clear.
extension Everyday {
    static let runOptions = WordOptions.Accepted(
        flags: ["no-masking"],
        valued: ["env-file", "env"],
        letters: ["e": "env"],
        takesProgram: true
    )
    static let injectOptions = WordOptions.Accepted(
        flags: ["force"],
        valued: ["input", "output"],
        letters: ["i": "input", "o": "output"]
    )

    /// Runs a program with secrets in its environment; ends with the program's exit code.
    func runProgram(_ options: WordOptions) throws {
        guard let words = options.rest, !words.isEmpty, options.operands.isEmpty else {
            throw EverydayFailure.usage("give the program after --")
        }
        let variables = try resolved(try variables(options), options)
        let end: ProgramEnd
        do throws(RunError) {
            let program = try Program(arguments: words, environment: variables.map(\.entry))
            guard !options.has("no-masking") else { try program.replaceThisProcess() }
            end = try program.run(masking: variables.filter(\.isSecret).map(\.value))
        } catch {
            throw EverydayFailure(error.description, status: error.exitCode)
        }
        end.endByItsSignal()
        // The program has said why.
        guard end.exitCode == 0 else { throw SilentEnd(status: end.exitCode) }
    }

    private func variables(_ options: WordOptions) throws -> SecretVariables {
        var variables = SecretVariables(inherited: Program.ownEnvironment)
        for path in options.texts("env-file") {
            let bytes = try read(path)
            do throws(EnvironmentFileError) {
                variables.set(try EnvironmentFile(parsing: bytes))
            } catch {
                throw EverydayFailure("\(path): \(error.description)")
            }
        }
        for assignment in options.all("env") {
            guard let sign = assignment.firstIndex(of: UInt8(ascii: "=")), sign > 0 else {
                throw EverydayFailure.usage("a variable is given as NAME=keychain://SITE/USER")
            }
            let (name, value) = (Array(assignment[..<sign]), Array(assignment[(sign + 1)...]))
            // The shell sets plain values; here one would be a slip that the program gets.
            guard SecretReference.isReference(value) else {
                let name = String(decoding: name, as: UTF8.self)
                throw EverydayFailure.usage(
                    "\(name) is no reference; give it as \(name)=keychain://SITE/USER, as in"
                        + " keychain://mail.example.org/ann"
                )
            }
            variables.set(name, to: value)
        }
        return variables
    }

    private func resolved(
        _ variables: SecretVariables,
        _ options: WordOptions
    ) throws -> [SecretVariables.Resolved] {
        switch try variables.resolved(by: { try values(of: $0, options) }) {
        case .success(let resolved): return resolved
        case .failure(let problems):
            throw Self.failure(problems, "nothing was started")
        }
    }

    /// Fills in a template; writes nothing if a reference has no value.
    func inject(_ options: WordOptions) throws {
        guard options["output"] != nil || !options.has("json") else {
            throw EverydayFailure.usage(
                "--json needs -o FILE: without it, standard output has the text"
            )
        }
        let template = SecretTemplate(
            try options.text("input").map { try read($0) } ?? console.readAll()
        )
        switch try template.filled(by: { try values(of: $0, options) }) {
        case .success(let text):
            guard let path = options.text("output") else {
                return console.write(text, to: .output)
            }
            try writeNew(text, to: path, options)
            guard options.has("json") else { return }
            answer([("file", .text(path)), ("references", .number(Int64(template.referenceCount)))])
        case .failure(let problems):
            throw Self.failure(problems, "nothing was written")
        }
    }

    /// Prints the value of each reference, or none.
    func readReferences(_ options: WordOptions) throws {
        guard !options.operands.isEmpty else { throw EverydayFailure.usage("give a reference") }
        let references = try options.operands.map { word in
            do throws(ReferenceError) {
                return try SecretReference(parsing: word)
            } catch {
                throw EverydayFailure(
                    "\(String(decoding: word, as: UTF8.self)): \(error.explanation)"
                )
            }
        }
        let values = try zip(options.names, try values(of: references, options)).map {
            typed,
            value in
            switch value {
            case .success(let bytes): return (typed, bytes)
            case .failure(let failure):
                var end = EverydayFailure(
                    "\(typed): \(failure.explanation)",
                    status: failure.status
                )
                end.refused = [
                    .init(reference: typed, reason: failure.explanation, failure.references)
                ]
                throw end
            }
        }
        guard !options.has("json") else {
            let list = values.map { typed, value in
                JSONValue.object([("reference", .text(typed)), ("value", .bytes(value))])
            }
            return say(JSONValue.list(list).text + "\n")
        }
        for (_, value) in values { console.write(value + Array("\n".utf8), to: .output) }
    }

    private func values(
        of references: [SecretReference],
        _ options: WordOptions
    ) throws -> [Result<[UInt8], ReferenceFailure>] {
        try call(ReadReferences(references.map(\.asked)), options).map { answer in
            if let value = answer.value { return .success(value) }
            return .failure(answer.failure)
        }
    }

    private static func failure(
        _ problems: ReferenceProblems,
        _ end: String
    ) -> EverydayFailure {
        var failure = EverydayFailure(
            problems.problems.map(\.description).joined(separator: "\nkeychain: ")
                + "\nkeychain: \(end)",
            status: problems.problems.map(\.status).min() ?? EverydayFailure.notFoundStatus
        )
        failure.refused = problems.problems.map { problem in
            .init(
                place: problem.place.text,
                reference: problem.reference,
                reason: problem.explanation,
                problem.references
            )
        }
        return failure
    }
}

extension ReferenceFailure {
    /// The low byte of Apple's status.
    fileprivate var status: Int32 {
        self == .locked ? EverydayFailure.lockedStatus : EverydayFailure.notFoundStatus
    }
}

extension ReferenceProblem {
    fileprivate var status: Int32 {
        if case .failed(let failure) = reason { return failure.status }
        return EverydayFailure.notFoundStatus
    }
}

extension SecretReference {
    fileprivate var asked: ReadReferences.Reference {
        .init(place: site, account: account, field: field)
    }
}

extension ReferenceValue {
    fileprivate var failure: ReferenceFailure {
        switch problem {
        case .noSuchField: .noSuchField
        case .locked: .locked
        case .ambiguous: .ambiguous(count: Int(count ?? 2), references: references ?? [])
        case .missing, nil: .missing
        }
    }
}
