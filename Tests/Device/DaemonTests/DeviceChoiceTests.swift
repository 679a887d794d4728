import KSDaemon
import KSRecords
import KSSyncEngine
import Testing

/// Which devices a person names.
struct DeviceChoiceTests {
    private static func id(_ first: UInt8, last: UInt8 = 0) -> MemberID {
        MemberID(
            validated: [UInt8](repeating: first, count: MemberID.byteCount - 1) + [last]
        )
    }

    private static func code(_ id: MemberID) -> String { ItemCode(id).text }

    private let laptop = AccountDevice(id: id(1), name: "laptop")
    private let phone = AccountDevice(id: id(2), name: "phone")
    private let old = AccountDevice(id: id(3), name: "old")
    /// A thief's device, named after the code of the phone.
    private let thief = AccountDevice(id: id(4), name: code(id(2)))

    private func ids(
        _ words: [String],
        _ present: [AccountDevice],
        former: [AccountDevice] = []
    ) throws -> [MemberID] {
        try DeviceChoice(among: present, former: former).devices(words).map(\.id)
    }

    private func failure(
        _ word: String,
        _ present: [AccountDevice],
        former: [AccountDevice] = []
    ) throws -> CommandFailure {
        try #require(throws: CommandFailure.self) {
            try DeviceChoice(among: present, former: former).devices([word])
        }
    }

    @Test
    func `a device is found by its name and by its code, once`() throws {
        let all = [laptop, phone]
        #expect(try ids(["phone"], all) == [phone.id])
        #expect(try ids([Self.code(phone.id).uppercased()], all) == [phone.id])
        #expect(try ids(["phone", Self.code(phone.id), "laptop"], all) == [phone.id, laptop.id])
        #expect(try ids([], all).isEmpty)
    }

    @Test
    func `a code wins over names, so that every device can be named`() throws {
        let all = [laptop, phone, thief]
        #expect(try ids([Self.code(phone.id)], all) == [phone.id])
        #expect(try ids([Self.code(thief.id)], all) == [thief.id])
        // Also if each is named after the other.
        let other = AccountDevice(id: phone.id, name: Self.code(thief.id))
        #expect(try ids([Self.code(phone.id)], [other, thief]) == [phone.id])
        #expect(try ids([Self.code(thief.id)], [other, thief]) == [thief.id])
    }

    @Test
    func `a name of several devices is refused, with their codes`() throws {
        let twin = AccountDevice(id: Self.id(9), name: "phone")
        let failure = try failure("phone", [laptop, phone, twin])
        #expect(failure.exit == .usage && failure.sentence.contains("name or code phone:"))
        for device in [phone, twin] { #expect(failure.sentence.contains(Self.code(device.id))) }
        #expect(!failure.sentence.contains(Self.code(laptop.id)))
        #expect(try ids([Self.code(twin.id)], [laptop, phone, twin]) == [twin.id])
    }

    @Test
    func `devices with the same code have longer ones`() throws {
        let twin = AccountDevice(id: Self.id(2, last: 7), name: "phone")
        let all = [laptop, phone, twin]
        #expect(try failure(Self.code(phone.id), all).exit == .usage)
        let choice = DeviceChoice(among: all)
        for device in [phone, twin] {
            let code = choice.code(of: device.id)
            #expect(code.count == 26 && code.hasPrefix(Self.code(phone.id)))
            #expect(try choice.devices([code]).map(\.id) == [device.id])
        }
        #expect(choice.code(of: laptop.id) == Self.code(laptop.id))
    }

    @Test
    func `a word that names nobody is refused, with the devices that there are`() throws {
        for word in ["", "nobody", "aeaqcaia", String(Self.code(phone.id).dropLast())] {
            let failure = try failure(word, [phone])
            #expect(failure.exit == .other)
            #expect(failure.sentence.contains("name or code \(word), but"))
            #expect(failure.sentence.contains("phone (\(Self.code(phone.id)))"))
        }
    }

    @Test
    func `a removed device is found again, unless its name or code can mean another one`() throws {
        #expect(try ids(["old"], [phone], former: [old]) == [old.id])
        #expect(try ids([Self.code(old.id)], [phone], former: [old]) == [old.id])
        let newer = AccountDevice(id: Self.id(5), name: "old")
        #expect(try ids(["old"], [newer], former: [old]) == [newer.id])
        let named = AccountDevice(id: Self.id(6), name: Self.code(old.id))
        #expect(try failure(Self.code(old.id), [named], former: [old]).exit == .usage)
    }

    @Test
    func `a line break in a name is not printed in a sentence`() throws {
        let evil = AccountDevice(id: Self.id(8), name: "x\nRemoved")
        #expect(try !failure("nobody", [evil]).sentence.contains("Removed"))
    }
}
