/// A command of the real programs, before it is known where it runs.
package struct Command: Equatable, Sendable {
    /// A program that stands beside `sync-simulate`.
    package enum Program: String, CaseIterable, Sendable {
        case keychain
        case client = "sync-client"
        case server = "sync-server"
    }

    /// A word of a command line; all but a text is filled in when the command runs.
    package enum Word: Equatable, Sendable, ExpressibleByStringLiteral {
        case text(String)
        /// The reference of an item, which `PLACE` or `USER@PLACE` names.
        case item(String)
        /// The code of a deleted item.
        case deletedItem(String)
        /// The name by which the account knows a device.
        case name(String)
        /// The address of the newest server.
        case address
        case pin
        case kit
        case passwordFile
        /// The file of the newest backup of the server.
        case backup
        case newBackup

        package init(stringLiteral text: String) { self = .text(text) }
    }

    package let program: Program
    /// The device whose home it uses; nil for a command of the server's operator.
    package let device: String?
    package let words: [Word]
    /// Whether the device's messages travel while it runs.
    package let reachesServer: Bool

    package init(
        _ program: Program,
        on device: String?,
        _ words: [Word],
        reachesServer: Bool = false
    ) {
        (self.program, self.device, self.words) = (program, device, words)
        self.reachesServer = reachesServer
    }
}

extension Command {
    /// The key-value store of a story.
    package static let store = "story"
    /// The name of its account.
    package static let account = "story"

    static func keychain(_ device: String, _ words: Word...) -> Command {
        Command(.keychain, on: device, words)
    }

    static func client(_ device: String, _ words: Word..., reachesServer: Bool = false) -> Command {
        Command(.client, on: device, words, reachesServer: reachesServer)
    }

    static func operate(_ words: Word...) -> Command { Command(.server, on: nil, words) }

    /// Makes the account, with this device as its first.
    static func signUp(_ device: String) -> Command {
        client(
            device,
            "signup",
            "--server",
            .address,
            "--pin",
            .pin,
            "--account",
            .text(account),
            "--device",
            .text(device),
            "--no-passcode",
            "--password-file",
            .passwordFile,
            "--kit",
            .kit,
            reachesServer: true
        )
    }

    /// Adds this device to the account.
    static func logIn(_ device: String) -> Command {
        client(
            device,
            "login",
            "--kit",
            .kit,
            "--server",
            .address,
            "--pin",
            .pin,
            "--device",
            .text(device),
            "--no-passcode",
            "--password-file",
            .passwordFile,
            reachesServer: true
        )
    }
}
