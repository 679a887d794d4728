internal import KSEveryday
internal import KSAgent

// `protect` and `unprotect`: files that can be read only while this device allows it.
extension Invocation {
    func protectFile() throws -> Int32 {
        let file = try fileToProtect()
        guard let level = options.protection.flatMap(ProtectionLevel.init(rawValue:)) else {
            throw UsageError()
        }
        let request = ProtectFile(path: file, output: protectedOutput, class: level)
        _ = try tool.connect(home).call(request)
        return 0
    }

    func unprotectFile() throws -> Int32 {
        let request = UnprotectFile(path: try fileToProtect(), output: protectedOutput)
        _ = try tool.connect(home).call(request)
        return 0
    }

    private func fileToProtect() throws(UsageError) -> String {
        guard let name = options.names.first, options.operands.count == 1 else {
            throw UsageError()
        }
        let file = wholePath(name)
        return tool.surroundings.resolve(file) ?? inItsFolder(file)
    }

    private var protectedOutput: String? { text("o").map { inItsFolder(wholePath($0)) } }

    /// The path with its folder resolved, since the folder may contain `..` or links.
    private func inItsFolder(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"),
            let folder = tool.surroundings.resolve(String(path[...slash]))
        else { return path }
        return (folder.hasSuffix("/") ? folder : folder + "/") + path[path.index(after: slash)...]
    }

    /// The absolute path: the daemon has another working directory.
    private func wholePath(_ name: String) -> String {
        guard !name.hasPrefix("/"), let folder = tool.surroundings.workingDirectory else {
            return name
        }
        return folder + "/" + (name.hasPrefix("./") ? String(name.dropFirst(2)) : name)
    }
}
