internal import KSAgent

/// `protect` and `unprotect`: files that can be read only while this device allows it.
struct ProtectCommand {
    let call: Invocation

    private static let levels = ["complete", "unless-open", "until-first-unlock", "none"]

    /// The file stands first, before the options, or after them.
    func run(_ first: [UInt8]?, isProtecting: Bool) throws -> Int32 {
        let names = (first.map { [$0] } ?? []) + call.options.operands
        guard let name = names.first, names.count == 1 else { throw UsageError() }
        let file = path(name)
        let resolved = call.tool.surroundings.resolve(file) ?? inItsFolder(file)
        let output = call.options["o"].map { inItsFolder(path($0)) }
        let level = call.options.protection ?? ""
        guard !isProtecting || Self.levels.contains(level) else { throw UsageError() }
        do throws(AgentError) {
            let service = try call.tool.connect(call.home)
            if isProtecting {
                _ = try service.call(ProtectFile(path: resolved, output: output, class: level))
            } else {
                _ = try service.call(UnprotectFile(path: resolved, output: output))
            }
            return 0
        } catch {
            // These calls tell what is wrong in a sentence of their own.
            call.say("security: \(error.sentence)\n", .error)
            return error.status
        }
    }

    /// The path with its folder as the system knows it, which may go up by two dots.
    private func inItsFolder(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"),
            let folder = call.tool.surroundings.resolve(String(path[...slash]))
        else { return path }
        return (folder.hasSuffix("/") ? folder : folder + "/") + path[path.index(after: slash)...]
    }

    /// As the daemon, with another working directory, has to say it.
    private func path(_ name: [UInt8]) -> String {
        let text = String(decoding: name, as: UTF8.self)
        guard !text.hasPrefix("/"), let folder = call.tool.surroundings.workingDirectory() else {
            return text
        }
        return folder + "/" + (text.hasPrefix("./") ? String(text.dropFirst(2)) : text)
    }
}
