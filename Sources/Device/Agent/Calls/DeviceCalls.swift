internal import KSRedaction

/// When a protected file can be read: Apple's four levels, by the names of commands and calls.
package enum ProtectionLevel: String, Codable, Sendable, CaseIterable {
    case complete
    case unlessOpen = "unless-open"
    case untilFirstUnlock = "until-first-unlock"
    case none
}

/// Seals a file.
package struct ProtectFile: AgentCall, Codable {
    package static let name = "file.protect"
    package static let permission = AgentPermission.hasAccessGroup

    package var path: String
    /// Nil: the sealed file replaces the original.
    package var output: String?
    package var `class`: ProtectionLevel

    package init(path: String, output: String? = nil, `class`: ProtectionLevel) {
        self.path = path
        self.output = output
        self.class = `class`
    }
}

/// Opens a sealed file.
package struct UnprotectFile: AgentCall, Codable {
    package static let name = "file.unprotect"
    package static let permission = AgentPermission.hasAccessGroup

    package var path: String
    package var output: String?

    package init(path: String, output: String? = nil) {
        self.path = path
        self.output = output
    }
}

/// Reads the contents of a sealed file.
package struct ReadProtectedFile: AgentCall, Codable {
    package typealias Answer = ProtectedContents
    package static let name = "file.contents"
    package static let permission = AgentPermission.hasAccessGroup
    package var mayRepeat: Bool { true }

    package var path: String

    package init(path: String) { self.path = path }
}

/// The contents of a sealed file.
package struct ProtectedContents: AgentCoded, Codable, Redacted {
    package var contents: [UInt8]

    package init(contents: [UInt8]) { self.contents = contents }
}

/// Does nothing: the answer says that the daemon has identified the caller.
///
/// The daemon identifies a program when it accepts its connection, and needs to look at the process
/// for that. A program may forbid it from then on.
package struct Greet: AgentCall, Codable {
    package static let name = "greet"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}
}

/// Ends the daemon, once it has answered.
package struct StopDaemon: AgentCall, Codable {
    package static let name = "stop"
    package static let permission = AgentPermission.anyProgram

    package init() {}
}
