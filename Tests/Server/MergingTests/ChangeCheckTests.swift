import KSDigests
import KSMerging
import KSPrimitives
import KSRecords
import KSSealing
import KSTestSupport
import KSWire
import Testing

/// What a server checks of a change to a circle, by the rules that every client checks again.
struct ChangeCheckTests {
    private let account = AccountID(validated: [UInt8](repeating: 7, count: 16))
    private let laptop: DeviceIdentity
    private let credentials: AccountCredentials
    private let genesis: CircleChange
    private let login: CircleChange

    init() throws {
        let random = SeededRandomSource(seed: 91)
        laptop = .random(from: random)
        credentials = try AccountCredentials.derive(
            password: Array("password".utf8),
            accountKey: .random(from: random),
            cost: .simulation
        )
        let keyRing = KeyRing.random(from: random)
        genesis = try CircleAuthoring.genesis(
            account: account,
            device: laptop,
            deviceName: "laptop",
            credentials: credentials,
            keyRing: keyRing,
            random: random
        )
        let chain = try CircleChain(verifying: [genesis.entry])
        let phone = DeviceIdentity.random(from: random)
        login = try CircleAuthoring.addDevice(
            DeviceApplication(of: phone, name: "phone", to: chain),
            to: chain,
            keyRing: keyRing,
            by: .credentials(credentials),
            random: random
        )
    }

    private func refusal(_ check: () throws(StoreError) -> Void) -> StoreError? {
        do throws(StoreError) {
            try check()
            return nil
        } catch {
            return error
        }
    }

    private func refusal(
        of change: CircleChange,
        after entries: [CircleChange]? = nil,
        version: UInt64 = 1,
        by author: MemberID? = nil
    ) -> StoreError? {
        let entries = (entries ?? [genesis]).map(\.entry)
        let author = author ?? credentials.memberID
        return refusal { () throws(StoreError) in
            try change.check(extends: entries, after: version, by: author)
        }
    }

    private func changed(
        _ change: CircleChange,
        envelopes: [KeyEnvelope]? = nil,
        box: [UInt8]?
    ) -> CircleChange {
        let envelopes = envelopes ?? change.envelopes
        return CircleChange(entry: change.entry, envelopes: envelopes, credentialsBox: box)
    }

    @Test
    func `a circle begins with the first entry of its account, and its box`() {
        func refusal(_ change: CircleChange, _ account: AccountID) -> StoreError? {
            self.refusal { () throws(StoreError) in try change.checkBegins(account) }
        }
        #expect(refusal(genesis, account) == nil)
        let other = AccountID(validated: [UInt8](repeating: 8, count: 16))
        #expect(refusal(genesis, other) == .refused(.refused))
        #expect(refusal(login, account) == .refused(.refused))
        #expect(refusal(changed(genesis, box: nil), account) == .refused(.malformed))
        let bare = changed(genesis, envelopes: [], box: genesis.credentialsBox)
        #expect(refusal(bare, account) == .refused(.refused))
    }

    @Test
    func `a change follows the newest entry, and is of the member that sends it`() {
        #expect(refusal(of: login) == nil)
        #expect(refusal(of: login, by: laptop.memberID) == .refused(.refused))
        #expect(refusal(of: login, version: 2) == .refused(.circleChanged))
        #expect(refusal(of: genesis, after: [login]) == .refused(.refused))
        // The newest entry again: the first answer may be lost.
        #expect(refusal(of: login, after: [genesis, login], by: laptop.memberID) == nil)
        let late = refusal(of: login, after: [genesis, login], version: 2)
        #expect(late == .refused(.circleChanged))
    }

    @Test
    func `a change comes with its envelopes, and with a box if the credentials signed it`() {
        let box = login.credentialsBox
        #expect(refusal(of: changed(login, box: nil)) == .refused(.refused))
        let fewer = Array(login.envelopes.dropLast())
        #expect(refusal(of: changed(login, envelopes: fewer, box: box)) == .refused(.refused))
        let large = [UInt8](repeating: 1, count: Limits.keyEnvelopeBytesMax + 1)
        #expect(refusal(of: changed(login, box: large)) == .refused(.tooLarge))
        let envelopes = [KeyEnvelope(member: laptop.memberID, sealed: large)]
        #expect(refusal(of: changed(login, envelopes: envelopes, box: box)) == .refused(.tooLarge))
    }
}
