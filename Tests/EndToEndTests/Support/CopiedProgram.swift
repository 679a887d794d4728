import KSTestPrograms
import Testing

extension Programs {
    /// Puts one somewhere else, to be run from there.
    ///
    /// Another process writes it: what a test starts while this one writes a file has it open for
    /// writing too, and until it has closed it the file cannot be run.
    static func copy(_ name: String, to path: String, in world: World) async throws {
        let arguments = [Self.path(name), path]
        let copied = try await RunningProgram("/bin/cp", arguments, folder: world.folder).result()
        try #require(copied.status == 0, "\(copied)")
    }
}
