import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Scripts that were written for macOS, in which the command is called `security`.
    struct SigningScriptTests {
        /// Runs a script in its own folder, with `security` as a link, while no daemon runs.
        ///
        /// `namesHome`: the home is outside of the user's folder.
        private func run(_ script: String, namesHome: Bool = true) async throws -> ProgramResult {
            var result: ProgramResult?
            try await World.with { world in
                let folder = world.path("bin")
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: false
                )
                try FileManager.default.createSymbolicLink(
                    atPath: folder + "/security",
                    withDestinationPath: Programs.path("keychain")
                )
                let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
                let home = namesHome ? ["KEYCHAIN_SYNC_HOME": world.path("home")] : [:]
                result = try await RunningProgram(
                    "/bin/sh",
                    ["-eu", world.write(script, to: "script.sh")],
                    folder: world.folder,
                    environment: ["PATH": folder + ":" + path].merging(home) { $1 }
                ).result()
            }
            return try #require(result)
        }

        @Test
        func `a link to the command finds the daemon and starts it`() async throws {
            let result = try await run(
                """
                security add-generic-password -a ada -s site -w secret
                security find-generic-password -s site -w
                """
            )
            #expect(result.status == 0, "\(result)")
            #expect(result.output == "secret\n", "\(result)")
        }

        @Test
        func `keychains are files where scripts look for them`() async throws {
            let result = try await run(
                """
                security add-generic-password -a ada -s site -w secret
                cd Library/Keychains
                test -f login.keychain-db
                test -f "$(security login-keychain | tr -d ' "')"
                security create-keychain -p pw build.keychain
                test -f build.keychain-db
                security create-keychain -p pw "$PWD/other"
                test -f other-db
                security list-keychains -s "$PWD/other" build.keychain login.keychain
                security list-keychains | tr -d '"' | while read -r path; do test -f "$path"; done
                security list-keychains | sed "s,$HOME,~,"
                security find-generic-password -s site -w "$PWD/login.keychain-db"
                security lock-keychain "$PWD/build.keychain-db"
                security show-keychain-info build.keychain 2>/dev/null || echo $?
                security delete-keychain "$PWD/build.keychain" other
                ls
                """,
                namesHome: false
            )
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(
                lines == [
                    "    \"~/Library/Keychains/other-db\"",
                    "    \"~/Library/Keychains/build.keychain-db\"",
                    "    \"~/Library/Keychains/login.keychain-db\"", "secret", "36",
                    "login.keychain-db",
                ]
            )
        }

        @Test
        func `the usual signing script of continuous integration runs`() async throws {
            let result = try await run(
                """
                KEYCHAIN=build.keychain
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 \\
                    -keyout key.pem -out cert.pem -subj "/CN=Developer ID Application: Ada" \\
                    -addext keyUsage=critical,digitalSignature \\
                    -addext extendedKeyUsage=critical,codeSigning 2>/dev/null
                openssl pkcs12 -export -in cert.pem -inkey key.pem -out cert.p12 -passout pass:p12

                security create-keychain -p pw "$KEYCHAIN"
                security set-keychain-settings -lut 21600 "$KEYCHAIN"
                security unlock-keychain -p pw "$KEYCHAIN"
                security import cert.p12 -P p12 -A -t cert -f pkcs12 -k "$KEYCHAIN"
                security set-key-partition-list -S apple-tool:,apple: -k pw "$KEYCHAIN" >/dev/null
                security list-keychains -d user -s "$KEYCHAIN" \\
                    $(security list-keychains -d user | tr -d '"')
                security find-identity -v -p codesigning "$KEYCHAIN"
                security show-keychain-info "$KEYCHAIN" 2>&1
                security list-keychains -d user | wc -l
                security delete-keychain "$KEYCHAIN"
                security list-keychains -d user | wc -l
                """
            )
            #expect(result.status == 0, "\(result)")
            let errors = result.errors.split(separator: "\n")
            // The first command names the home that it makes.
            #expect(errors.count == 1 && errors[0].contains("a new one begins"), "\(result)")
            let lines = result.output.split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            try #require(lines.count == 6, "\(result)")
            #expect(lines[0] == "1 identity imported.")
            #expect(lines[1].hasPrefix("1) "))
            #expect(lines[1].hasSuffix(" \"Developer ID Application: Ada\""))
            #expect(lines[2] == "1 valid identities found")
            #expect(lines[3].hasSuffix("lock-on-sleep use-lock-interval timeout=21600s"))
            #expect(lines[4...] == ["2", "1"])
        }
    }
}
