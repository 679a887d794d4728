import KSAgent
import KSDaemon
import KSSyncClient
import Testing

/// What commands print about the devices of an account.
struct DeviceLineTests {
    private func news(
        _ change: String,
        _ name: String?,
        _ code: String,
        isMember: Bool = true
    ) throws -> ShownDeviceNews {
        try ShownDeviceNews(
            .dictionary([
                "change": .string(change), "name": name.map { .string($0) } ?? .null,
                "code": .string(code), "isMember": .bool(isMember),
            ])
        )
    }

    @Test
    func `nothing is said about devices that the user has seen`() {
        #expect(DeviceNewsLines.sentence(nil) == nil)
        #expect(DeviceNewsLines.sentence([]) == nil)
        #expect(DeviceNewsLines.status(nil).isEmpty)
        #expect(DeviceNewsLines.list([]).isEmpty)
    }

    @Test
    func `each device that was added or removed is named with its code`() throws {
        let all = [
            try news("added", "tablet", "aaaaaaaa"), try news("removed", nil, "bbbbbbbb"),
        ]
        let sentence = try #require(DeviceNewsLines.sentence(all))
        #expect(
            sentence.hasPrefix(
                "The account's devices have changed: added tablet (aaaaaaaa), removed (unreadable"
                    + " name) (bbbbbbbb). "
            )
        )
        #expect(
            DeviceNewsLines.status(all).first
                == "devices      added tablet (aaaaaaaa) (sync-client devices shows them)"
        )
        #expect(DeviceNewsLines.list(all).count == 2)
    }

    @Test
    func `a device that was added and is gone again is not called a member`() throws {
        let gone = try news("added", "tablet", "aaaaaaaa", isMember: false)
        #expect(
            DeviceNewsLines.list([gone])
                == ["Since you last looked: added tablet (aaaaaaaa, no longer a member)"]
        )
        let removed = try news("removed", "tablet", "aaaaaaaa", isMember: false)
        #expect(
            DeviceNewsLines.list([removed]) == ["Since you last looked: removed tablet (aaaaaaaa)"]
        )
    }

    @Test
    func `one removed device is not called several`() {
        #expect(DeviceLines.advice(afterRemoving: 1).hasPrefix("It keeps what it has already: "))
        #expect(DeviceLines.advice(afterRemoving: 2).hasPrefix("They keep what they have already"))
    }

    @Test
    func `a name cannot pass for a line of ours, and a long list is cut`() throws {
        let evil = try news("added", "x\nquarantined  0", "aaaaaaaa")
        #expect(DeviceNewsLines.status([evil]).first?.contains("\n") == false)
        let many = try (0..<30).map { try news("added", "d\($0)", "aaaaaaaa") }
        #expect(DeviceNewsLines.status(many).count == 11)
        #expect(DeviceNewsLines.status(many).first?.contains("20 earlier changes") == true)
    }
}
