import KSCausality
import KSDigests
import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport
import Testing
import KSTransport
import KSWire

import KSSyncEngine

/// A device joins an account, over a bad network and beside other devices.
struct LoginTests {
    private static let password = Array("a long enough password".utf8)

    private let server: LoginServer

    init() throws {
        server = try LoginServer(password: Self.password)
    }

    private func setup(account: String = "ada", device: String = "phone") throws -> AccountSetup {
        try AccountSetup(
            client: ServerClient(transport: server, origin: "https://sync.example.org"),
            server: ServerEndpoint(origin: "https://sync.example.org"),
            names: EnrolledNames(account: account, device: device),
            random: SystemRandomSource(),
            cost: .simulation
        )
    }

    private func logIn(_ setup: AccountSetup) async throws -> Enrollment {
        try await setup.logIn(password: Self.password, accountKey: server.accountKey)
    }

    private func cipher(_ keyRing: KeyRing, _ enrollment: Enrollment) -> RecordCipher {
        RecordCipher(keyRing: keyRing, account: enrollment.account, random: SystemRandomSource())
    }

    @Test
    func `a login that may not join this account changes nothing there`() async throws {
        struct NotThisOne: Error {}
        let setup = try setup()
        await #expect(throws: NotThisOne.self) {
            _ = try await setup.logIn(
                password: Self.password,
                accountKey: server.accountKey,
                checking: { _ in throw NotThisOne() }
            )
        }
        #expect(try server.chain().newest.version == 1)
        let asked = try await setup.logIn(
            password: Self.password,
            accountKey: server.accountKey,
            checking: { [chain = try server.chain()] account in
                #expect(account == chain.newest.account)
            }
        )
        #expect(asked.circle.newest.version == 2)
    }

    @Test
    func `a login adds the device to the newest circle`() async throws {
        let enrollment = try await logIn(setup())
        #expect(enrollment.circle.newest.version == 2)
        #expect(enrollment.circle.newest.member(enrollment.identity.memberID) != nil)
        let (theirs, ours) = (
            cipher(server.keyRing, enrollment), cipher(enrollment.keyRing, enrollment)
        )
        let envelope = try theirs.seal(
            text: [1, 2, 3],
            recordID: RecordID(validated: [UInt8](repeating: 1, count: 32)),
            dot: Dot(actor: ActorID(rawValue: 1), counter: 1),
            replaced: [],
            isTombstone: false,
            kind: .keychain
        )
        #expect(try ours.open(envelope) == [1, 2, 3])
        #expect(try server.chain().newest.version == 2)
    }

    @Test
    func `a device whose name is taken gets a number after it`() async throws {
        func names() throws -> [String] {
            let entry = try server.chain().newest
            return try entry.members.filter { $0.kind == .device }.map {
                try MemberName.open(of: $0, account: entry.account, keyRing: server.keyRing)
            }
        }
        for name in ["laptop 2", "laptop 3"] {
            #expect(try await logIn(setup(device: "laptop")).names.device == name)
        }
        #expect(try await logIn(setup()).names.device == "phone")
        // The one that is in the circle stays, also after a lost answer.
        server.behave(.takesAndIsSilent, .answers)
        #expect(try await logIn(setup()).names.device == "phone 2")
        #expect(
            try names().sorted() == ["laptop", "laptop 2", "laptop 3", "phone", "phone 2"]
        )
    }

    @Test
    func `a login whose answer is lost adds the device once`() async throws {
        server.behave(.takesAndIsSilent, .answers)
        let enrollment = try await logIn(setup())
        let devices = try server.chain().newest.members.filter { $0.kind == .device }
        #expect(devices.count == 2)
        #expect(devices.map(\.id).contains(enrollment.identity.memberID))
        #expect(enrollment.circle.newest.version == 2)
    }

    @Test
    func `an accepted login adds the device once, even if the circle grew before its answer`()
        async throws
    {
        server.behave(.takesAndIsSilent, .anotherCameFirst)
        let enrollment = try await logIn(setup())
        let members = try server.chain().newest.members
        #expect(members.filter { $0.kind == .device }.count == 3)
        #expect(enrollment.circle.newest.version == 3)
        #expect(enrollment.circle.newest.member(enrollment.identity.memberID) != nil)
    }

    @Test
    func `a login succeeds beside another device's join`() async throws {
        server.behave(.anotherCameFirst, .anotherCameFirst, .answers)
        let enrollment = try await logIn(setup())
        #expect(enrollment.circle.newest.version == 4)
        #expect(try server.chain().newest.member(enrollment.identity.memberID) != nil)
    }

    @Test
    func `a login reports a circle that keeps changing`() async throws {
        server.always(.anotherCameFirst)
        await #expect(throws: AccountSetupError.circleBusy) { try await logIn(setup()) }
    }

    /// A device that logged out is one of them still.
    @Test
    func `a login to an account with as many devices as it can have says so`() async throws {
        var free = Limits.membersMax
        while free > 0 { free = try await logIn(setup()).freeDevices }
        #expect(try server.chain().newest.members.count == Limits.membersMax)
        await #expect(throws: AccountSetupError.accountFull) { try await logIn(setup()) }
    }

    /// Such as a proxy's empty page, or a server that lost the entry.
    @Test
    func `a login fails if the answer does not name the new version`() async throws {
        server.behave(.answersWithNothing)
        await #expect(throws: ServerError.unreadable(status: 200)) {
            try await logIn(setup())
        }
    }

    @Test
    func `a request that fails is tried three times`() async throws {
        server.lose(2)
        _ = try await logIn(setup())
        server.lose(3)
        await #expect(throws: ServerError.transport(.timedOut)) {
            try await logIn(setup())
        }
    }

    @Test
    func `a wrong password is reported as refused credentials`() async throws {
        await #expect(throws: AccountSetupError.credentialsRefused) {
            try await setup().logIn(
                password: Array("another password".utf8),
                accountKey: server.accountKey
            )
        }
    }

    @Test
    func `invalid names are refused before anything is sent`() async throws {
        let long = String(repeating: "x", count: 300)
        for setup in try [
            setup(account: ""), setup(account: long), setup(device: ""), setup(device: long),
        ] {
            await #expect(throws: AccountSetupError.nameRefused) { try await logIn(setup) }
        }
        #expect(server.requestCount == 0)
    }

    // MARK: False keys

    @Test(arguments: [false, true])
    func `a login names the device that has stored false keys, and removes it if asked`(
        isLast: Bool
    ) async throws {
        let thief = try server.addFalseEntry(isLast: isLast)
        let before = try server.chain().newest.version
        let error = await #expect(throws: AccountSetupError.self) { try await logIn(setup()) }
        guard case .falseKeys(let device) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(device.name == "laptop" && device.id == thief && device.hasSignedFalseKeys)
        #expect(try server.chain().newest.version == before)
        let enrollment = try await setup().logIn(
            password: Self.password,
            accountKey: server.accountKey,
            removing: choosing { $0.id == thief }
        )
        let entry = enrollment.circle.newest
        #expect(entry.member(thief) == nil)
        #expect(entry.member(enrollment.identity.memberID) != nil)
        #expect(entry.voidGenerations == [2] && enrollment.keyRing.generations == [1, 3])
        #expect(try server.chain().closingVectors[2] == LoginServer.vector)
        // The next login finds a good circle.
        #expect(try await logIn(setup()).keyRing.generations == [1, 3])
    }

    /// Chooses the devices that are there and meet a condition.
    private func choosing(
        _ isChosen: @escaping @Sendable (AccountDevice) -> Bool
    ) -> DeviceChoosing {
        { present, _ in present.filter(isChosen) }
    }

    @Test
    func `a login first removes the devices that its user names`() async throws {
        let old = try await logIn(setup(device: "old"))
        struct NoSuchDevice: Error {}
        await #expect(throws: NoSuchDevice.self) {
            try await setup().logIn(
                password: Self.password,
                accountKey: server.accountKey,
                removing: { _, _ in throw NoSuchDevice() }
            )
        }
        #expect(try server.chain().newest.version == 2)
        let enrollment = try await setup().logIn(
            password: Self.password,
            accountKey: server.accountKey,
            removing: choosing { $0.name == "old" }
        )
        #expect(enrollment.keyRing.generations == [1, 2])
        #expect(enrollment.removed.map(\.id) == [old.identity.memberID])
        let entry = try server.chain().newest
        #expect(entry.member(old.identity.memberID) == nil && entry.version == 4)
    }

    private func logInRemovingOld() async throws -> Enrollment {
        try await setup().logIn(
            password: Self.password,
            accountKey: server.accountKey,
            removing: choosing { $0.name == "old" }
        )
    }

    @Test
    func `a login that fails after it has removed a device says what it removed`() async throws {
        let old = try await logIn(setup(device: "old"))
        // Nothing was removed as long as the server refuses it.
        server.always(.anotherCameFirst)
        await #expect(throws: AccountSetupError.circleBusy) { try await logInRemovingOld() }
        server.always(.answers)
        server.behave(.answers, .answersWithNothing)
        let failed = try await #require(throws: LoginAfterRemoval.self) {
            try await logInRemovingOld()
        }
        #expect(failed.removed.map(\.id) == [old.identity.memberID])
        #expect(failed.error as? ServerError == .unreadable(status: 200))
    }

    @Test
    func `a device is removed once, although others join at the same time`() async throws {
        let old = try await logIn(setup(device: "old"))
        server.behave(.anotherCameFirst, .answers)
        let enrollment = try await logInRemovingOld()
        #expect(enrollment.removed.map(\.id) == [old.identity.memberID])
        #expect(try server.chain().newest.member(old.identity.memberID) == nil)
    }

    /// The thief's device added others until no login had room.
    @Test
    func `a login to a full account has room once it removes a device`() async throws {
        var free = Limits.membersMax
        while free > 0 { free = try await logIn(setup()).freeDevices }
        let enrollment = try await setup().logIn(
            password: Self.password,
            accountKey: server.accountKey,
            removing: choosing { $0.name == "phone 2" }
        )
        #expect(enrollment.freeDevices == 0)
    }

    @Test
    func `a lost answer to the removal removes the device once`() async throws {
        let thief = try server.addFalseEntry(isLast: true)
        server.behave(.takesAndIsSilent, .answers, .takesAndIsSilent, .answers)
        let enrollment = try await setup().logIn(
            password: Self.password,
            accountKey: server.accountKey,
            removing: choosing { $0.id == thief }
        )
        #expect(enrollment.circle.newest.version == 5)
    }

    @Test
    func `a server that damages envelopes gets no device removed by a login`() async throws {
        try server.addFalseEntry(isLast: false)
        let before = try server.chain().newest.version
        for behaviour in [LoginServer.Behaviour.showsOtherEnvelopes, .showsNoEarlierEnvelope] {
            server.always(behaviour)
            await #expect(throws: AccountSetupError.accountNotAuthentic) {
                try await setup().logIn(
                    password: Self.password,
                    accountKey: server.accountKey,
                    removing: choosing { _ in true }
                )
            }
        }
        #expect(try server.chain().newest.version == before)
    }

    @Test
    func `a login refuses an account that does not match the credentials`() async throws {
        server.behave(.answersWithAnotherAccount)
        await #expect(throws: AccountSetupError.accountNotAuthentic) { try await logIn(setup()) }
    }
}
