import KSTestPrograms
import Synchronization
import Testing

extension EndToEndTests {
    /// A proxy before the server that refuses large requests with a page of its own.
    struct SizeProxyTests {
        /// A device that signs up through the proxy.
        private func signUp(
            _ name: String,
            through proxy: SizeProxy,
            in world: World
        ) async throws -> Device {
            let device = world.device(name)
            try await device.startDaemon()
            let signedUp = try await device.signUp(through: proxy)
            try #require(signedUp.status == 0, "\(signedUp)")
            return device
        }

        @Test
        func `where a proxy holds the stream of events back, changes arrive all the same`()
            async throws
        {
            try await World.withProxy { world, proxy in
                let laptop = try await signUp("laptop", through: proxy, in: world)
                let phone = world.device("phone")
                #expect(try await phone.logIn().status == 0)
                #expect(
                    try await eventually(seconds: 60) {
                        let status = try await laptop.client("status").output
                        return status.contains("connection   polling\n")
                    }
                )
                for password in ["one", "two", "three"] {
                    try await phone.save("mail", password)
                    #expect(
                        try await eventually(seconds: 60) {
                            try await laptop.password("mail") == password
                        }
                    )
                }
                let direct = try await phone.client("status").output
                #expect(direct.contains("connection   live\n"), "\(direct)")
            }
        }

        @Test
        func `batches become smaller, and a record that is still refused is named with the limit`()
            async throws
        {
            try await World.with { world in
                let proxy = try await SizeProxy(bytesMax: 60_000)
                try await world.server.start(["--origin", proxy.url])
                try proxy.forwardAll(to: world.server)
                let laptop = try await signUp("laptop", through: proxy, in: world)
                // All of it waits when the server can be reached again.
                try await world.server.stop()
                let note = String(repeating: "x", count: 6000)
                for number in 1...20 {
                    try await laptop.save("service \(number)", "one", ["-j", note])
                }
                let large = String(repeating: "x", count: 40_000)
                try await laptop.save("large", "one", ["-j", large])
                try await laptop.save("last", "one")
                let origins = ["--origin", proxy.url, "--origin", try world.server.url]
                try await world.server.start(origins)

                var result = try await laptop.sync()
                // The proxy's connection to the stopped server may end first.
                for _ in 0..<20 where result.status == 69 || result.status == 75 {
                    result = try await laptop.sync()
                }
                #expect(result.status == 1, "\(result)")
                #expect(result.errors.contains("1 change could not be sent"), "\(result)")
                #expect(proxy.refusedCount > 1)
                let status = try await laptop.client("status")
                #expect(
                    status.output.contains(/not sent     [0-9a-z]{8}: a proxy .* of [0-9]+ bytes/),
                    "\(status)"
                )
                let phone = world.device("phone")
                #expect(try await phone.logIn().status == 0)
                #expect(try await phone.shows("service 1", "one"))
                #expect(try await phone.shows("service 20", "one"))
                #expect(try await phone.shows("last", "one"))
                #expect(try await phone.shows("large", nil))

                // The operator raises the limit.
                proxy.bytesMax.withLock { $0 = 5 << 20 }
                _ = try await laptop.client("doctor")
                let synced = try await laptop.sync()
                #expect(synced.status == 0, "\(synced)")
                #expect(try await phone.sync().status == 0)
                #expect(try await phone.shows("large", "one"))
            }
        }
    }
}
