import Foundation
import KSTestPrograms
import KSTestSupport
import Testing

extension EndToEndTests {
    /// A sign-up that is cut off, or does not reach its server, keeps its kit exactly as long as an
    /// account may need it.
    struct InterruptedSignUpTests {
        @Test
        func `a sign-up without an answer keeps its kit, and continues with it`() async throws {
            try await World.with { world in
                try await world.server.start()
                let mute = try await MuteServer.replaceServer(of: world)
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let kitOption = ["--kit", world.path(World.kit)]
                let path = world.path(World.kit)
                let cutOff = try await laptop.startSignUp(kitOption)
                try await mute.waitForSignUp()
                await (try laptop.runningDaemon).kill()
                let cut = await cutOff.result()
                #expect(cut.status == 75, "\(cut)")
                await mute.program.kill()
                let before = try world.kitText()
                #expect(before.contains("Account Key  K1-"))
                try await world.server.start()
                // A full disk or a power cut may have left half a kit.
                try Data(before.utf8.prefix(before.utf8.count / 2)).write(to: URL(filePath: path))
                let result = try await laptop.signUp()
                #expect(result.status == 0, "\(result)")
                #expect(try world.kitText() == before)
                try await world.expectPhoneJoins()
            }
        }

        /// Where nobody listens, and where somebody else's server does.
        @Test(arguments: [true, false])
        func `a sign-up that reached no server leaves nothing in the way of the next one`(
            isOutOfReach: Bool
        ) async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let pin = "sha256//" + String(repeating: "A", count: 43) + "="
                let url = isOutOfReach ? "https://127.0.0.1:1" : try world.server.url
                let kitOption = ["--kit", world.path(World.kit)]
                let failed = try await laptop.startSignUp(kitOption, server: (url, pin))
                    .result()
                #expect(failed.status == (isOutOfReach ? 69 : 77), "\(failed)")
                #expect(!FileManager.default.fileExists(atPath: world.path(World.kit)))
                let made = try await laptop.signUp()
                #expect(made.status == 0, "\(made)")
                try await world.expectPhoneJoins()
            }
        }

        @Test
        func `a sign-up that is interrupted while it connects leaves no kit`()
            async throws
        {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let port = SilentPort()
                let kitOption = ["--kit", world.path(World.kit)]
                let server = (url: port.origin, pin: try world.server.pin)
                let interrupted = try await laptop.startSignUp(kitOption, server: server)
                await port.waitForCaller()
                interrupted.send(SIGINT)
                #expect(await interrupted.result().status != 0)
                // The server is asked before there is a key.
                #expect(!FileManager.default.fileExists(atPath: world.path(World.kit)))
                var made = try await laptop.signUp()
                // The daemon may not have noticed yet that the command has gone.
                for _ in 0..<100 where made.errors.contains("under way") {
                    made = try await laptop.signUp()
                }
                #expect(made.status == 0, "\(made)")
                let url = try world.server.url
                let kit = try world.kitText()
                #expect(kit.contains(url), "\(kit)")
                try await world.expectPhoneJoins()
                withExtendedLifetime(port) {}
            }
        }

        @Test
        func `a sign-up that was sent and not answered keeps its kit from any other`()
            async throws
        {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let other = try await MuteServer.start(in: world)
                let kitOption = ["--kit", world.path(World.kit)]
                let cutOff = try await laptop.startSignUp(
                    kitOption,
                    server: (other.url, other.pin)
                )
                try await other.waitForSignUp()
                await other.program.kill()
                #expect(await cutOff.result().status == 69)
                let before = try world.kitText()
                let refused = try await laptop.signUp()
                #expect(refused.status == 64)
                expectOneSentence(refused, saying: "already")
                #expect(try world.kitText() == before)
                // Notes beside a kit are kept too.
                let notes = before + "my notes\n"
                _ = try world.write(notes, to: World.kit)
                #expect(try await laptop.signUp().status == 64)
                #expect(try world.kitText() == notes)
                let made = try await laptop.signUp(kit: "other-kit.txt")
                #expect(made.status == 0, "\(made)")
            }
        }

        @Test
        func `a partial kit of an interrupted sign-up does not block the next one`() async throws {
            try await World.with { world in
                try await world.server.start()
                let laptop = world.device("laptop")
                try await laptop.startDaemon()
                let path = try world.write("", to: World.kit)
                let result = try await laptop.signUp()
                #expect(result.status == 0, "\(result)")
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                #expect(mode as? Int == 0o600)
                try await world.expectPhoneJoins()
                // Any other file is not overwritten.
                let other = world.device("other")
                for (text, status) in [("my notes\n", 64), (try world.kitText(), 77)]
                    as [(String, Int)]
                {
                    _ = try world.write(text, to: World.kit)
                    let refused = try await other.signUp()
                    #expect(Int(refused.status) == status)
                    expectOneSentence(refused, saying: status == 64 ? "already" : "taken")
                    #expect(try world.kitText() == text)
                }
            }
        }
    }
}
