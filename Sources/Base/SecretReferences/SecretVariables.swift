/// The variables of a program that is to be started, some of which are references.
///
/// A value is a reference if all of it is one; any other value passes as it is.
package struct SecretVariables: Sendable {
    /// A variable whose value is known.
    package struct Resolved: Hashable, Sendable {
        package let name: [UInt8]
        package let value: [UInt8]
        /// Whether the value came from the keychain.
        package let isSecret: Bool

        /// As `execve` takes it, without the zero byte at its end.
        package var entry: [UInt8] { name + [UInt8(ascii: "=")] + value }
    }

    private var names: [[UInt8]] = []
    private var values: [[UInt8]: [UInt8]] = [:]

    /// - Parameter entries: a process's own environment, as `NAME=value`. Of a name that stands
    ///   twice the first one counts, as for `getenv`.
    package init(inherited entries: [[UInt8]] = []) {
        for entry in entries {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = Array(entry[..<equals])
            guard values[name] == nil else { continue }
            set(name, to: Array(entry[(equals + 1)...]))
        }
    }

    /// Sets a variable, whether or not it is there already.
    package mutating func set(_ name: [UInt8], to value: [UInt8]) {
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }

    package mutating func set(_ file: EnvironmentFile) {
        for entry in file.entries { set(Array(entry.name.utf8), to: entry.value) }
    }

    /// All variables with their values, or all problems.
    ///
    /// The resolver is asked only if there are references and all are well formed.
    package func resolved<Failure: Error>(
        by resolve: ReferenceResolver<Failure>
    ) throws(Failure) -> Result<[Resolved], ReferenceProblems> {
        var problems: [ReferenceProblem] = []
        func report(_ name: [UInt8], _ reason: ReferenceProblem.Reason) {
            let place = ReferenceProblem.Place.variable(String(decoding: name, as: UTF8.self))
            let written = String(decoding: values[name] ?? [], as: UTF8.self)
            problems.append(ReferenceProblem(place: place, reference: written, reason: reason))
        }
        var questions = ReferenceQuestions()
        var references: [[UInt8]: SecretReference] = [:]
        for name in names {
            guard let value = values[name], SecretReference.isReference(value) else { continue }
            do throws(ReferenceError) {
                let reference = try SecretReference(parsing: value)
                references[name] = reference
                questions.add(reference)
            } catch {
                report(name, .malformed(error))
            }
        }
        guard problems.isEmpty else { return .failure(ReferenceProblems(problems)) }
        let answers = try questions.answers(by: resolve)
        var resolved: [Resolved] = []
        for name in names {
            switch references[name].map(answers) {
            case nil: resolved.append(.init(name: name, value: values[name] ?? [], isSecret: false))
            case .success(let value) where value.contains(0): report(name, .failed(.zeroByte))
            case .success(let value):
                resolved.append(.init(name: name, value: value, isSecret: true))
            case .failure(let failure): report(name, .failed(failure))
            }
        }
        return problems.isEmpty ? .success(resolved) : .failure(ReferenceProblems(problems))
    }
}
