import Foundation
import KSTestPrograms
import Testing

extension Device {
    /// Starts a sign-up, which a test may interrupt.
    ///
    /// `shell`: what runs the command, which is its arguments.
    func startSignUp(
        _ options: [String] = [],
        server: (url: String, pin: String)? = nil,
        shell: String = #""$@""#
    ) async throws -> RunningProgram {
        try await RunningProgram(
            "/bin/bash",
            [
                "-c", shell, "bash", Programs.path("sync-client"), "signup",
                "--server", server?.url ?? world.server.url,
                "--pin", server?.pin ?? world.server.pin,
                "--account", World.account, "--device", name, "--no-passcode",
                "--password-file", world.passwordFile, "--home", home,
            ] + options,
            folder: world.folder
        )
    }
}

extension World {
    func kitText() throws -> String {
        try String(contentsOfFile: path(World.kit), encoding: .utf8)
    }

    func expectPhoneJoins() async throws {
        let joined = try await device("phone").logIn()
        #expect(joined.status == 0, "\(joined)")
    }
}
