import Foundation
import KSTestSupport
import KeychainSync
import Simulation
import Testing

/// `KeychainSync` on the devices of a story.
struct KeychainStoryTests {
    private let story: Story
    private let laptop: Story.Device
    private let phone: Story.Device

    init() throws {
        story = try Story(devices: ["laptop", "phone", "tablet"])
        (laptop, phone) = (try story["laptop"], try story["phone"])
    }

    /// An app's sign-in, as it is written for a real device.
    private struct SignIn {
        let keychain: Keychain

        func save(_ password: String, of user: String) async throws {
            var item = GenericPassword(service: "app", account: user, password: password)
            item.details.isSynchronizable = true
            try await keychain.save(item)
        }

        func password(of user: String) async throws -> String? {
            try await keychain.first(.genericPasswords(service: "app", account: user))?.password
        }
    }

    @Test
    func `an app's items reach other devices, and conflicts are kept`() async throws {
        let (here, there) = (SignIn(keychain: laptop.keychain), SignIn(keychain: phone.keychain))
        try await here.save("first", of: "ann")
        try story.sync()
        #expect(try await there.password(of: "ann") == "first")

        story.server.goAway()
        try await here.save("from the laptop", of: "ann")
        try await there.save("from the phone", of: "ann")
        try story.server.comeBack()
        try story.sync()
        for device in [laptop, phone] {
            #expect(
                try await SignIn(keychain: device.keychain).password(of: "ann")
                    == "from the phone"
            )
            #expect(try device.conflicts(of: "ann@app").map(\.value) == ["from the laptop"])
        }
        // What the story's user does is seen by the app.
        try phone.set("password", of: "ann@app", to: "third")
        try story.sync()
        #expect(try await here.password(of: "ann") == "third")
        #expect(try await laptop.keychain.delete(.genericPasswords(service: "app")))
        try story.sync()
        #expect(try await there.password(of: "ann") == nil)
        #expect(try story["tablet"].items().isEmpty)
    }

    @Test
    func `an app on a locked or killed device gets Apple's status`() async throws {
        let here = SignIn(keychain: laptop.keychain)
        try await here.save("first", of: "ann")
        try laptop.lock()
        await #expect(throws: KeychainError.interactionNotAllowed) {
            try await here.password(of: "ann")
        }
        try laptop.unlock()
        #expect(try await here.password(of: "ann") == "first")
        try laptop.kill()
        await #expect(throws: KeychainError.self) { try await here.password(of: "ann") }
        try laptop.start()
        #expect(try await here.password(of: "ann") == "first")
    }

    /// Files are real ones, sealed with the keys of the device.
    @Test
    func `an app protects a file on a device of a story`() async throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "story-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        // A file that cannot be removed stays in the folder for temporary files.
        defer { try? files.removeItem(at: folder) }
        let file = folder.appending(path: "note")
        try Data("secret".utf8).write(to: file)
        let (here, there) = (laptop.keychain, phone.keychain)
        try await here.protect(file, as: .complete)
        #expect(try await here.contents(ofProtected: file) == Data("secret".utf8))
        #expect(try Data(contentsOf: file) != Data("secret".utf8))
        await #expect(throws: KeychainError.decode) {
            try await there.contents(ofProtected: file)
        }
        try laptop.lock()
        await #expect(throws: KeychainError.interactionNotAllowed) {
            try await here.unprotect(file)
        }
        try laptop.unlock()
        try laptop.kill()
        try laptop.start()
        try await here.unprotect(file)
        #expect(try Data(contentsOf: file) == Data("secret".utf8))
        await #expect(throws: KeychainError.inputOutput) {
            try await here.protect(folder.appending(path: "nothing"), as: .complete)
        }
    }

    @Test
    func `an app on a full disk gets Apple's status, and one without power no answer`()
        async throws
    {
        let here = SignIn(keychain: laptop.keychain)
        try await here.save("first", of: "ann")
        try laptop.fillDisk()
        await #expect(throws: KeychainError.notAvailable) { try await here.save("x", of: "ann") }
        #expect(try await here.password(of: "ann") == "first")
        try laptop.freeDisk()
        try laptop.crash()
        await #expect(throws: KeychainError.self) { try await here.save("second", of: "ann") }
        // The app has ended with its device, and is started again.
        let again = SignIn(keychain: laptop.keychain)
        let password = try await again.password(of: "ann")
        #expect(["first", "second"].contains(password))
        try story.sync()
        #expect(try await SignIn(keychain: phone.keychain).password(of: "ann") == password)
    }

    @Test
    func `the same seed gives the same trace`() async throws {
        func run() async throws -> String {
            let story = try Story(devices: ["a", "b"], seed: 3)
            let (one, other) = (try story["a"], try story["b"])
            try await SignIn(keychain: one.keychain).save("x", of: "ann")
            try await SignIn(keychain: other.keychain).save("y", of: "ann")
            try story.sync()
            return story.traceHash
        }
        let (first, second) = (try await run(), try await run())
        #expect(first == second)
    }
}
