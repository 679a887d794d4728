import KSTestPrograms
import Testing

extension Programs {
    /// Copies a program, to be run from there.
    ///
    /// Another process writes the copy: a program that this process starts meanwhile has its files
    /// open for writing too, and the copy cannot run until they are closed.
    static func copy(_ name: String, to path: String, in world: World) async throws {
        let arguments = [Self.path(name), path]
        let copied = try await RunningProgram("/bin/cp", arguments, folder: world.folder).result()
        try #require(copied.status == 0, "\(copied)")
    }
}
