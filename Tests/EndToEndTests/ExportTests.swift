import KSTestSupport
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Exports, imports, and options that prevent both.
    struct ExportTests {
        /// Of ``KeyFixtures/p384``.
        private static let publicKey = """
            -----BEGIN PUBLIC KEY-----
            MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEhLIcNGzd/30N5d2XucyNH7fh6uDWprMB
            8jrGId2E67APqdARxEwyV86MYq/1taYUY906OiI2cGTo+NXO7Q7+Ow8asRoF0+yf
            IkQNh+CDlU3k2kvKWB2fGWa0utmI5ye2
            -----END PUBLIC KEY-----
            """

        /// Made by openssl(1), as the two certificates below.
        private static let revocations = """
            -----BEGIN X509 CRL-----
            MIGnME8CAQEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEVHdpbhcNMjYxMTIyMDc0
            NDI3WhcNMjYxMjIyMDc0NDI3WqAPMA0wCwYDVR0UBAQCAhAAMAoGCCqGSM49BAMC
            A0gAMEUCIQCdFSMhY7t8svgSk/QfQqwwItoYvUS9odLr0mLTUXMeXgIgcI5g1LaK
            PUrAaJOtWsl7gcUMu9Tkm4241vXcE//XGM8=
            -----END X509 CRL-----

            """

        /// Two certificates of different keys, both of CN=Twin.
        private static let twins = """
            -----BEGIN CERTIFICATE-----
            MIIBczCCARmgAwIBAgIUKbarpamVkhHISXwwAVfexIjtRfQwCgYIKoZIzj0EAwIw
            DzENMAsGA1UEAwwEVHdpbjAeFw0yNjExMjIwNzQ0MjZaFw00NjExMTcwNzQ0MjZa
            MA8xDTALBgNVBAMMBFR3aW4wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARkJ3dr
            DM5/fnAG4uul5oUsqZLvwFS3lpozbTN7r8EV1Spz06RaikcWY3/UqqZF6u9j+/SV
            WwI75bAbG0i62ZPco1MwUTAdBgNVHQ4EFgQUHX3Aql89YnCRcJDJZ/S2LoVGaPww
            HwYDVR0jBBgwFoAUHX3Aql89YnCRcJDJZ/S2LoVGaPwwDwYDVR0TAQH/BAUwAwEB
            /zAKBggqhkjOPQQDAgNIADBFAiEAmy3NNBbK0dJAVik85KlvRw3zGKn4VQsHQpyz
            7WgzgxcCIGsVblhz4//S2R4HzIRQNdgsBdqhV5Pq/zpsFNy+Ifna
            -----END CERTIFICATE-----
            -----BEGIN CERTIFICATE-----
            MIIBdDCCARmgAwIBAgIUOwZg49k5PhQDM0gzdx0LYCO6qGAwCgYIKoZIzj0EAwIw
            DzENMAsGA1UEAwwEVHdpbjAeFw0yNjExMjIwNzQ0MjZaFw00NjExMTcwNzQ0MjZa
            MA8xDTALBgNVBAMMBFR3aW4wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARJ2Q6s
            Oq721q+RJlMxKgBxJDVRDkXNo32kzDpDa3KAH2mXUGUneUaPzQKiRJquC7xLiule
            XJsMTH8DAWAxKccMo1MwUTAdBgNVHQ4EFgQUNgEGgt4QiWX2E7vUzvT6I5I2/9ow
            HwYDVR0jBBgwFoAUNgEGgt4QiWX2E7vUzvT6I5I2/9owDwYDVR0TAQH/BAUwAwEB
            /zAKBggqhkjOPQQDAgNJADBGAiEA3wxiJ7HkME0wZw3AdbPSgL3FXjAQo9qUjZbO
            fZmSf44CIQDCVptqnOjIvtqwZTAX+svs50bm/68iEiKlplVNOEKfSw==
            -----END CERTIFICATE-----

            """
        private static let firstTwin = "17A3E7F1C2404C0FDE48E711D365F1A0B917E26C"
        private static let secondTwin = "4072D1D3583FF29AC2B8AA5F08C5C6C5889B15F5"

        /// The kinds of the PEM blocks of a text.
        private static func kinds(_ text: String) -> [String] {
            text.matches(of: /-----BEGIN ([A-Z0-9 ]+)-----\n/).map { String($0.1) }
        }

        @Test
        func `an export has the requested kinds, and never a password`() async throws {
            try await World.withDevice { world, device in
                let all = [KeyFixtures.certificate, KeyFixtures.p256, Self.publicKey]
                let file = try world.write(all.joined(separator: "\n") + "\n", to: "all.pem")
                try await device.expect(
                    ["import", file],
                    output: "2 keys imported.\n1 certificate imported.\n"
                )
                try await device.expect([
                    "add-generic-password", "-a", "zebra-a", "-s", "zebra-s", "-w", "zebrapw",
                ])
                for (options, kinds) in [
                    ([], ["CERTIFICATE", "PRIVATE KEY", "PUBLIC KEY"]),
                    (["-t", "all"], ["CERTIFICATE", "PRIVATE KEY", "PUBLIC KEY"]),
                    (["-t", "certs"], ["CERTIFICATE"]),
                    (["-t", "allKeys"], ["PRIVATE KEY", "PUBLIC KEY"]),
                    (["-t", "privKeys"], ["PRIVATE KEY"]), (["-t", "pubKeys"], ["PUBLIC KEY"]),
                ] as [([String], [String])] {
                    let exported = try await device.run(["export"] + options)
                    #expect(exported.status == 0, "\(options): \(exported)")
                    #expect(Self.kinds(exported.output) == kinds, "\(options)")
                    #expect(!exported.output.contains("zebra") && exported.errors.isEmpty)
                }
                let key = try await device.run(["export", "-t", "pubKeys"])
                #expect(key.output == Self.publicKey + "\n")
                for format in ["openssh1", "openssh2", "bsafe", "netscape"] {
                    try await device.expect(
                        ["export", "-f", format],
                        status: 1,
                        output: "",
                        errors: "security: SecKeychainItemExport:"
                            + " Import/Export format unsupported.\n"
                    )
                }
            }
        }

        @Test
        func `a file without keys and certificates imports nothing`() async throws {
            try await World.withDevice { world, device in
                let revocations = try world.write(Self.revocations, to: "crl.pem")
                try await device.expect(
                    ["import", revocations],
                    status: 1,
                    output: "",
                    errors: "security: No keychain items found\n"
                )
                let text = try world.write("hello\n", to: "hello")
                try await device.expect(
                    ["import", text],
                    status: 1,
                    output: "",
                    errors: "security: SecKeychainItemImport: Unknown format in import.\n"
                )
            }
        }

        @Test
        func `unreadable formats and kinds import nothing`() async throws {
            try await World.withDevice { world, device in
                let file = try world.write(KeyFixtures.p256 + "\n", to: "key.pem")
                for options in [
                    ["-t", "session"], ["-f", "raw"], ["-f", "bsafe"], ["-f", "netscape"],
                    ["-f", "openssh1"], ["-f", "openssh2"],
                ] {
                    try await device.expect(
                        ["import", file] + options,
                        status: 1,
                        output: "",
                        errors: "security: SecKeychainItemImport:"
                            + " Import/Export format unsupported.\n"
                    )
                }
                try await device.expect(["find-key"], status: 1)
                try await device.expect(["import", file, "-f", "nonsense"], status: 2)
                try await device.expect(["import", file], output: "1 key imported.\n")
            }
        }

        @Test
        func `one of two certificates with equal names is deleted by its hash`() async throws {
            try await World.withDevice { world, device in
                let file = try world.write(Self.twins, to: "twins.pem")
                try await device.expect(["import", file], output: "2 certificates imported.\n")
                for command in ["delete-certificate", "delete-certificate -t"] {
                    let words = command.split(separator: " ").map(String.init)
                    try await device.expect(
                        words + ["-c", "Twin"],
                        status: 1,
                        output: "",
                        errors: "security: \"Twin\" is ambiguous,"
                            + " matches more than one certificate\n"
                    )
                }
                let hashes = ["find-certificate", "-a", "-c", "Twin", "-Z"]
                let both = try await device.run(hashes)
                for hash in [Self.firstTwin, Self.secondTwin] {
                    #expect(both.output.contains("SHA-1 hash: \(hash)\n"), "\(both)")
                }
                try await device.expect(["delete-certificate", "-Z", Self.firstTwin, "-t"])
                let left = try await device.run(hashes)
                #expect(!left.output.contains(Self.firstTwin))
                #expect(left.output.contains(Self.secondTwin))
                // The other certificate now has the name alone.
                try await device.expect(["delete-certificate", "-c", "Twin"])
                try await device.expect(hashes, status: 44, output: "")
            }
        }
    }
}
