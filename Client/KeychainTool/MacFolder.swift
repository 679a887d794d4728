internal import KSEveryday
internal import KSAgent
internal import Glibc

/// `~/Library/Keychains`, in which scripts for macOS look for files.
package enum MacFolder {
    private static let program = "security"

    /// The folder's path, if this program is called as `security` and uses the user's default home.
    ///
    /// `name` is how the program was called, `homeArgument` what `--home` says.
    package static func wanted(
        name: String,
        homeArgument: String?,
        environment: (String) -> String?
    ) -> String? {
        guard name.split(separator: "/").last.map(String.init) == program, homeArgument == nil,
            environment("KEYCHAIN_SYNC_HOME") == nil, let user = environment("HOME"),
            user.hasPrefix("/"), user != "/"
        else { return nil }
        return user + "/Library/Keychains"
    }

    /// Asks the daemon to make the folder a link to the home's keychains, unless it exists.
    static func make(_ service: any ItemService, homeArgument: String?) {
        let name = CommandLine.arguments.first ?? ""
        var status = stat()
        let path = wanted(name: name, homeArgument: homeArgument, environment: Environment.value)
        guard let path, unsafe lstat(path, &status) != 0 else { return }
        // The command itself does not need the folder, so it continues without it.
        _ = try? service.call(NameKeychainFolder(path: path))
    }
}
