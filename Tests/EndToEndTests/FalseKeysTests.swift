import KSDeviceKeys
import Foundation
import KSAgent
import KSCausality
import KSDaemon
import KSDigests
import KSRecords
import KSSealing
import KSTestPrograms
import KSTransport
import KSWire
import KSSyncEngine
import Testing

extension EndToEndTests {
    /// A thief has an unlocked device, and stores key envelopes without the account's keys.
    struct FalseKeysTests {
        /// Lets the thief's device remove another one from the account, with false envelopes.
        private func storeFalseKeys(
            by thief: Device,
            removing isRemoved: @escaping (String) -> Bool
        ) async throws {
            _ = try await thief.client("stop")
            let files = try DeviceFiles(home: AgentHome(argument: thief.home))
            let rows = SealedRows(
                cipher: files.keys.rowCipher(random: files.random),
                random: files.random
            )
            let device = try #require(
                try EnrolledDevice.load(
                    from: files.database,
                    rows: rows,
                    random: files.random
                )
            )
            let transport = try CurlTransport(server: device.server)
            defer { transport.close() }
            let client = ServerClient(transport: transport, origin: device.server.origin)
            let signer = CircleSigner.device(device.identity)
            let id = device.state.account.bytes
            let session = try await client.openSession(account: id, signer: signer)
            let shown = try await client.circle(after: 0, token: session.token).message
            let circle = try CircleChain(verifying: shown.entries)
            let account = device.state.account
            let page = try await client.carry(
                .pull(after: nil),
                account: account,
                signer: signer,
                token: session.token
            ).message
            guard case .page(let page) = page else {
                Issue.record("no page: \(page)")
                return
            }
            let keyRing = device.keys.keyRing
            let removed = try circle.newest.members.filter { member in
                let name = try MemberName.open(of: member, account: account, keyRing: keyRing)
                return member.kind == .device && isRemoved(name)
            }
            let change = try CircleAuthoring.revoke(
                Set(removed.map(\.id)),
                from: circle,
                keyRing: keyRing.startingGeneration(from: files.random),
                closing: (vector: page.vector, digest: .zero),
                by: signer,
                random: files.random
            )
            let envelopes = change.envelopes.map {
                KeyEnvelope(member: $0.member, sealed: $0.sealed.reversed())
            }
            var entry = try change.entry.entry()
            entry.envelopesHash = KeyEnvelope.hash(envelopes)
            let bytes = entry.encoded
            let signature = MemberSignature(member: signer.memberID, signature: signer.sign(bytes))
            let isTaken = try await client.extendCircle(
                CircleChange(
                    entry: SignedEntry(signedBytes: bytes, signatures: [signature], possession: []),
                    envelopes: envelopes,
                    credentialsBox: nil
                ),
                extending: circle.newest.version,
                account: account,
                signer: signer,
                token: session.token
            )
            #expect(isTaken)
        }

        private func syncAll(_ devices: [Device]) async throws {
            for device in devices + devices {
                let result = try await device.sync()
                #expect(result.status == 0, "\(result)")
            }
        }

        @Test
        func `another device shows whose keys are false, and removes it`() async throws {
            try await World.withDevices("stolen", "phone", "tablet", "old") { world, devices in
                let (stolen, phone, tablet) = (devices[0], devices[1], devices[2])
                try await phone.save("mail", "one")
                try await syncAll(devices)
                try await storeFalseKeys(by: stolen) { $0 == "old" }

                try await phone.save("mail", "two")
                let refused = try await phone.sync()
                #expect(refused.status == 77)
                expectOneSentence(refused, saying: "newest keys do not open here")
                #expect(try await phone.shows("mail", "two"))
                let list = try await phone.client("devices")
                let marked = list.output.split(separator: "\n").filter {
                    $0.hasSuffix("stored false keys: remove it")
                }
                #expect(marked.count == 1 && marked[0].hasPrefix("stolen "), "\(list)")
                // Nobody can log in either, and a login says what it can do.
                let new = world.device("new")
                try await new.startDaemon()
                let login = try await new.logIn()
                #expect(login.status == 77)
                expectOneSentence(login, saying: "--remove-device")

                let other = try await phone.client("revoke", "tablet")
                #expect(other.status == 64, "\(other)")
                expectOneSentence(other, saying: "must be among those you remove")
                let removed = try await phone.client("revoke", "stolen")
                #expect(removed.status == 0, "\(removed)")
                try await syncAll([phone, tablet])
                #expect(try await tablet.shows("mail", "two"))
                try await tablet.save("mail", "three")
                try await syncAll([tablet, phone])
                #expect(try await phone.shows("mail", "three"))
                #expect(try await new.logIn().status == 0)
                #expect(try await new.shows("mail", "three"))
                let names = try await new.client("devices").output
                #expect(!names.contains("stolen") && !names.contains("false keys"), "\(names)")
            }
        }

        @Test
        func `the password and the Account Key throw out a thief who threw out everybody`()
            async throws
        {
            try await World.withDevices("phone", "stolen") { _, devices in
                let (phone, stolen) = (devices[0], devices[1])
                try await phone.save("mail", "one")
                try await syncAll(devices)
                try await phone.save("bank", "unsent")
                try await storeFalseKeys(by: stolen) { $0 == "phone" }

                #expect(try await phone.sync().status == 77)
                #expect(try await phone.client("logout", "--keep-items").status == 0)
                let refused = try await phone.logIn()
                #expect(refused.status == 77)
                expectOneSentence(refused, saying: "stolen (")
                let wrong = try await phone.logIn(options: ["--remove-device", "phone"])
                #expect(wrong.status == 1, "\(wrong)")
                let back = try await phone.logIn(options: ["--remove-device", "stolen"])
                #expect(back.status == 0, "\(back)")
                try await phone.save("mail", "two")
                #expect(try await phone.sync().status == 0)
                let list = try await phone.client("devices")
                #expect(list.output.split(separator: "\n").count == 1, "\(list)")
                for (name, secret) in [("mail", "two"), ("bank", "unsent")] {
                    #expect(try await phone.shows(name, secret))
                }
                #expect(try await stolen.sync().status == 77)
            }
        }
    }
}
