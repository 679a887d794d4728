import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The build that CI runs, with a compiler that only prints.
    struct CheckedBuildTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../scripts/build-checked").standardizedFileURL.path

        private func build(saying words: String, status: Int = 0) async throws -> ProgramResult {
            try await World.with { world in
                let swift = world.path("swift")
                let lines = "#!/bin/sh\necho \"$@\" >\(world.path("call"))\n"
                let text = lines + "cat <<'END'\n\(words)\nEND\nexit \(status)\n"
                // Another test's process may start while this one has the file open for writing; a
                // program that is open so cannot be run.
                let source = try world.write(text, to: "swift.text")
                let made = try await RunningProgram(
                    "/usr/bin/install",
                    ["-m", "755", source, swift],
                    folder: world.folder
                ).result()
                #expect(made.status == 0, "\(made)")
                let result = try await RunningProgram(
                    Self.script,
                    [],
                    folder: world.folder,
                    environment: ["PATH": world.folder + ":/usr/bin:/bin"]
                ).result()
                let call = try String(contentsOfFile: world.path("call"), encoding: .utf8)
                #expect(call.hasPrefix("build --build-tests "))
                #expect(call.contains("--explicit-target-dependency-import-check"))
                return result
            }
        }

        private static func warning(_ target: String) -> String {
            "warning: Target \(target) imports another target (Wire) in the package without"
                + " declaring it a dependency."
        }

        @Test
        func `an import that is not listed fails the build`() async throws {
            #expect(try await build(saying: "Build complete!").status == 0)
            let found = try await build(saying: Self.warning("Keychain") + "\nBuild complete!")
            #expect(found.status == 1)
            #expect(found.errors.contains("Package.swift"))
            // The plugin looks for a module of this name that is not ours.
            #expect(try await build(saying: Self.warning("X509")).status == 0)
            let both = Self.warning("X509") + "\n" + Self.warning("Keychain")
            #expect(try await build(saying: both).status == 1)
        }

        @Test
        func `a failed build fails the check`() async throws {
            #expect(try await build(saying: "error: no", status: 1).status == 1)
        }
    }
}
