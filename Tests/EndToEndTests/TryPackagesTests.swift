import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// The script that tries packages of others, with made-up ones.
    struct TryPackagesTests {
        private static let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../scripts/try-packages").standardizedFileURL.path

        /// Writes a package with one file, and one test of it.
        private func makePackage(
            _ name: String,
            saving value: String,
            expecting expected: String,
            in world: World
        ) throws {
            let files = [
                "Sources/Some Files/Store.swift": """
                import Foundation

                struct Store {
                    let store: NSUbiquitousKeyValueStore
                    func save() {
                        #if canImport(AppleOnly) && swift(>=6)
                            store.set(\(value), forKey: Ours.key)
                        #endif
                    }
                }
                """,
                // As on Apple systems, it imports nothing but Foundation.
                "Tests/Double.swift": """
                import Foundation

                final class Double: NSUbiquitousKeyValueStore {
                    var saved: [String: String] = [:]
                    override func set(_ value: Any?, forKey key: String) {
                        saved[key] = value as? String
                    }
                }
                """,
                "Tests/StoreTests.swift": """
                import XCTest
                @testable import \(name)

                final class StoreTests: XCTestCase {
                    func testThatItIsSaved() {
                        let double = Double()
                        Store(store: double).save()
                        XCTAssertEqual(double.saved, ["key": "\(expected)"])
                    }
                    func testThatPassesOnAppleSystems() { XCTFail() }
                }
                """,
            ]
            for (path, text) in files {
                let file = URL(filePath: world.path(name + "/" + path))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data((text + "\n").utf8).write(to: file)
            }
        }

        private func facts(of name: String, url: String = "", commit: String = "") -> String {
            """
            package \(name)
                # Its facts.
                url \(url)
                commit \(commit)
                language 6
                module AppleOnly
                source Sources/*/*.swift
                ours enum Ours {
                ours     static let key = "key"
                ours }
                test Tests/*.swift
                skip testThatPassesOnAppleSystems

            """
        }

        private func tryPackages(
            in folder: String,
            _ list: String,
            in world: World
        ) async throws -> ProgramResult {
            // The script calls `swift` only to ask where the build is.
            let bin = world.path("bin")
            try FileManager.default.createDirectory(
                atPath: bin,
                withIntermediateDirectories: true
            )
            try Data("#!/bin/sh\necho '\(Programs.folder)'\n".utf8)
                .write(to: URL(filePath: bin + "/swift"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: bin + "/swift"
            )
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            return try await RunningProgram(
                Self.script,
                [folder, world.write(list, to: "list")],
                folder: world.folder,
                environment: [
                    "PATH": bin + ":" + path, "TMPDIR": world.folder, "LD_PRELOAD": "",
                ]
            ).result(limitSeconds: 600)
        }

        private func workFolders(in world: World) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: world.folder)
                .filter { $0.hasPrefix("keychain-sync-packages.") }
        }

        @Test
        func `a package is fetched at its commit, compiled unchanged and tested`() async throws {
            try await World.with { world in
                let folder = world.path("Whole")
                func commit() async throws -> String {
                    let script = """
                        git init --quiet . && git add . &&
                        git -c user.name=name -c user.email=name@example.org commit -qm message &&
                        git rev-parse HEAD
                        """
                    let result = try await RunningProgram(
                        "/bin/sh",
                        ["-c", script],
                        folder: folder
                    )
                    .result()
                    #expect(result.status == 0, "\(result)")
                    return result.output.trimmingCharacters(in: .newlines)
                }
                try makePackage("Whole", saving: "\"old\"", expecting: "old", in: world)
                let named = try await commit()
                try makePackage("Whole", saving: "\"new\"", expecting: "other", in: world)
                #expect(try await commit() != named)
                let list = facts(of: "Whole", url: folder, commit: named)
                let result = try await tryPackages(in: "", list, in: world)
                #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
                #expect(
                    result.output
                        == "Whole: compiled 3 of its files, tests passed: 1, left out: 1\n"
                )
                #expect(try workFolders(in: world) == [])

                let missing = facts(of: "Whole", url: world.path("none"), commit: "0")
                let unfetched = try await tryPackages(in: "", missing, in: world)
                #expect(unfetched.status == 1 && unfetched.output.isEmpty, "\(unfetched)")
                for part in ["Whole: it could not be fetched.", "run: scripts/try-packages FOLDER"]
                {
                    #expect(unfetched.errors.contains(part), "\(unfetched)")
                }
            }
        }

        @Test
        func `packages that do not compile, fail their tests or lack a file are named`()
            async throws
        {
            try await World.with { world in
                try makePackage("Unknown", saving: "unknownValue", expecting: "", in: world)
                try makePackage("Failing", saving: "\"one\"", expecting: "another", in: world)
                let list = ["Unknown", "Failing", "Absent"].map { facts(of: $0) }.joined()
                let result = try await tryPackages(in: world.folder, list, in: world)
                #expect(result.status == 1 && result.output.isEmpty, "\(result)")
                for part in [
                    "Unknown: it does not compile.\n",
                    "error: cannot find 'unknownValue' in scope",
                    "Failing: its tests fail.\n",
                    "StoreTests.testThatItIsSaved : XCTAssertEqual failed",
                    "Absent: there is no file \(world.path("Absent"))/Sources/*/*.swift\n",
                ] {
                    #expect(result.errors.contains(part), "\(part) in \(result)")
                }
                let logs = result.errors.matches(of: /All of it is in (.+)\n/).map { $0.1 }
                #expect(logs.count == 2)
                for log in logs {
                    #expect(FileManager.default.fileExists(atPath: String(log)))
                }
            }
        }
    }
}
