import Glibc
import KSDaemon
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// Connections that die silently, and servers that say nothing.
    struct SilentConnectionTests {
        /// Why a laptop's connections are dead without a word.
        enum Change: CaseIterable {
            case anotherNetwork
            /// The laptop sleeps on its way, so its daemon sees nothing of it.
            case anotherNetworkAsleep
            /// A router that translates addresses drops connections that were idle for long.
            case forgetfulRouter

            var canHappen: Bool { self != .forgetfulRouter || TwoMachines.canForgetConnections }
        }

        @Test
        func `sync says that it waits for the server, and goes on waiting`() async throws {
            // The words below may come later on a busy machine.
            #expect(CallHandler.waitSeconds == 3)
            try await World.withDevices("laptop") { world, devices in
                #expect(try await devices[0].sync().status == 0)
                try world.server.freeze()
                let sync = try await devices[0].start("sync-client", ["sync"])
                #expect(await eventually { sync.errors.contains("Waiting for the server") })
                #expect(sync.isRunning)
                try world.server.thaw()
                let result = await sync.result()
                #expect(result.status == 0, "\(result)")
                #expect(result.output.hasPrefix("pushed 0"), "\(result)")
                expectOneSentence(result, saying: "Waiting for the server")
            }
        }

        @Test
        func `other commands that need the server say that they wait for it`() async throws {
            try await World.withDevices("laptop") { world, devices in
                #expect(try await devices[0].sync().status == 0)
                let key = try world.accountKey
                let login = [
                    "login", "--server", try world.server.url, "--pin", try world.server.pin,
                    "--account", World.account, "--device", "phone", "--password-file",
                    world.passwordFile, "--account-key", key,
                ]
                try world.server.freeze()
                var commands: [RunningProgram] = []
                for words in [["revoke", "nobody"], ["logout"]] {
                    commands.append(try await devices[0].start("sync-client", words))
                }
                commands.append(try await world.device("phone").start("sync-client", login))
                for command in commands {
                    #expect(await eventually { command.errors.contains("Waiting for the server") })
                }
                try world.server.thaw()
                var statuses: [Int32] = []
                for command in commands { statuses.append(await command.result().status) }
                // The logout may be first.
                #expect(statuses[0] != 0 && statuses[1...] == [0, 0], "\(statuses)")
            }
        }

        @Test(
            .enabled("no network namespace can be made here", TwoMachines.canMake),
            arguments: Change.allCases.filter(\.canHappen)
        )
        func `a device whose connections died silently syncs again by itself`(
            change: Change
        ) async throws {
            try await World.with { world in
                let machines = try #require(try await TwoMachines.make(in: world))
                do {
                    try await live(through: change, machines, in: world)
                } catch {
                    await machines.remove()
                    throw error
                }
                await machines.remove()
            }
        }

        private func live(
            through change: Change,
            _ machines: TwoMachines,
            in world: World
        ) async throws {
            try await world.server.start(address: machines.listen, by: machines.onServer)
            let (laptop, phone) = (world.device("laptop"), world.device("phone"))
            try await laptop.startDaemon(by: machines.onLaptop)
            try await phone.startDaemon(by: machines.onServer)
            let signedUp = try await laptop.signUp()
            try #require(signedUp.status == 0, "\(signedUp)")
            try #require(try await phone.logIn().status == 0)
            try await laptop.save("before", "one")
            #expect(try await laptop.sync().status == 0)

            let asleep = change == .anotherNetworkAsleep
            if asleep { try laptop.runningDaemon.send(SIGSTOP) }
            switch change {
            case .anotherNetwork, .anotherNetworkAsleep: try await machines.moveLaptop()
            case .forgetfulRouter: try await machines.forgetConnections()
            }
            let start = ContinuousClock.now
            try await phone.save("meanwhile", "one")
            #expect(try await phone.sync().status == 0)
            if asleep { try laptop.runningDaemon.send(SIGCONT) }
            try await laptop.save("after", "one")
            var result = try await laptop.sync()
            if result.status != 0 {
                #expect(result.errors.contains("Waiting for the server"), "\(result)")
            }
            // It took 16 minutes, the time in which the system gives an old connection up.
            while result.status == 69, ContinuousClock.now - start < .seconds(400) {
                result = try await laptop.sync()
            }
            #expect(result.status == 0, "\(result)")
            #expect(try await laptop.comesToShow("meanwhile"))
            #expect(try await phone.sync().status == 0)
            #expect(try await phone.shows("after", "one"))
            // The event stream is back too: changes arrive without a sync.
            try await phone.save("later", "one")
            #expect(try await laptop.comesToShow("later"))
        }
    }
}

extension Device {
    /// Waits until the device shows an item without being asked to sync.
    fileprivate func comesToShow(_ service: String) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(90)
        while ContinuousClock.now < end {
            if try await shows(service, "one") { return true }
            await pause(milliseconds: 100)
        }
        return false
    }
}
