internal import KSAgent
internal import KSDeviceKeys

// The calls of programs that protect files.

extension ProtectedFiles {
    /// The size limit of a file that is returned in one answer, as the daemon has it.
    private static let contentsBytesMax = 4 << 20

    func answer(_ call: String, _ arguments: AgentValue) throws -> AgentValue {
        switch call {
        case ProtectFile.name:
            let call = try ProtectFile(arguments)
            try protect(call.path, as: FileClass(call.class), to: call.output)
        case UnprotectFile.name:
            let call = try UnprotectFile(arguments)
            try unprotect(call.path, to: call.output)
        default:
            let path = try ReadProtectedFile(arguments).path
            let contents = try contents(of: path, bytesMax: Self.contentsBytesMax)
            return ProtectedContents(contents: contents).agentValue
        }
        return AgentNothing().agentValue
    }
}

extension FileClass {
    fileprivate init(_ level: ProtectionLevel) {
        self =
            switch level {
            case .complete: .complete
            case .unlessOpen: .completeUnlessOpen
            case .untilFirstUnlock: .completeUntilFirstUnlock
            case .none: .none
            }
    }
}
