import KSDeviceKeys
import Foundation
import KSAgent
import KSCertificates
import KSDaemon
import KSKeychain
import KSKeychainFiles
import KSSealing
import KSTestSupport
import Testing

/// The files that keychain names mean.
struct KeychainPlacesTests {
    private static let places = KeychainPlaces(homePath: "/h")

    @Test(
        arguments: [
            ("login", .home), ("login.keychain", .home), ("login.keychain-db", .home),
            ("/h", .home), ("/h/keychains/login.keychain-db", .home),
            ("one", .file("/h/keychains/one-db")), ("/t/one", .file("/t/one")),
            ("/h/keychains/one", .file("/h/keychains/one-db")),
            ("a b", .file("/h/keychains/a b-db")),
            ("/t/login.keychain", .file("/t/login.keychain")),
            ("ci.keychain-db", .file("/h/keychains/ci.keychain-db")),
            ("-db", .file("/h/keychains/-db-db")),
            // Full paths, as in scripts for macOS.
            ("/u/me/Library/Keychains/ci", .file("/u/me/Library/Keychains/ci-db")),
            ("/u/me/Library/Keychains/ci-db", .file("/u/me/Library/Keychains/ci-db")),
            ("/u/me/Library/Keychains/login.keychain-db", .home),
            ("/u/me/Library/Keychains/login.keychain", .home),
            // The system's own keychains are not the user's.
            ("/Library/Keychains/System.keychain", .file("/Library/Keychains/System.keychain")),
            (
                "/System/Library/Keychains/SystemRootCertificates.keychain",
                .file("/System/Library/Keychains/SystemRootCertificates.keychain")
            ),
        ] as [(String, KeychainPlace)]
    )
    func `a name is a path, or a file of the home's folder`(
        name: String,
        place: KeychainPlace
    ) throws {
        #expect(try Self.places.place(of: name) == place)
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "../x", "/t/", "x\0y", "/u/Library/Keychains/..",
        String(repeating: "x", count: 300),
    ])
    func `an invalid name is refused`(name: String) {
        #expect(throws: KeychainFileError.badName) { try Self.places.place(of: name) }
        #expect(Self.places.path(of: name) == name)
    }
}

/// The same, with existing files.
final class KeychainPlacesOnDiskTests {
    private let user: String
    private let places: KeychainPlaces
    private var folder: String { user + "/sync/keychains" }
    private var named: String { user + "/Library/Keychains" }

    init() throws {
        let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "kst-" + UUID().uuidString.prefix(8))
        user = url.path
        places = KeychainPlaces(homePath: user + "/sync", userFolder: user)
        try FileManager.default.createDirectory(
            atPath: user + "/sync",
            withIntermediateDirectories: true
        )
        places.makeFolder()
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: user)
    }

    private func write(_ path: String) throws {
        try Data("x".utf8).write(to: URL(filePath: path))
    }

    private func destination(_ path: String) throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    private func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    @Test
    func `a file is found with and without its extension`() throws {
        try write(folder + "/old")
        try write(folder + "/new-db")
        for (name, file) in [("old", "old"), ("old-db", "old"), ("new", "new-db")] {
            for path in [name, folder + "/" + name, user + "/Library/Keychains/" + name] {
                #expect(try places.place(of: path) == .file(folder + "/" + file), "\(path)")
            }
        }
    }

    @Test
    func `the login keychain is a file in the home's folder, and replaces no other file`() throws {
        let login = folder + "/login.keychain-db"
        #expect(try destination(login) == "../keychain.db")
        #expect(places.shownPath(of: .home) == login)
        #expect(try places.place(of: login) == .home)
        try FileManager.default.removeItem(atPath: login)
        try write(login)
        places.makeFolder()
        #expect(try Data(contentsOf: URL(filePath: login)) == Data("x".utf8))
    }

    @Test
    func `a missing macOS folder becomes a link to the home's folder`() throws {
        places.makeFolder(of: named + "/ci.keychain")
        #expect(try destination(named) == folder)
        let file = folder + "/ci.keychain-db"
        #expect(try places.place(of: named + "/ci.keychain") == .file(file))
        #expect(places.shownPath(of: .file(file)) == named + "/ci.keychain-db")
        #expect(places.shownPath(of: .home) == named + "/login.keychain-db")
        #expect(try places.place(of: named + "/login.keychain-db") == .home)
        #expect(places.shownPath(of: .file("/t/x")) == "/t/x")
        // A second call changes nothing.
        places.nameFolder(named)
        #expect(try destination(named) == folder)
    }

    @Test
    func `an existing macOS folder keeps its own keychains`() throws {
        try makeDirectory(named)
        try write(named + "/theirs-db")
        try write(folder + "/ours-db")
        places.makeFolder(of: named + "/ci")
        #expect(try FileManager.default.contentsOfDirectory(atPath: named) == ["theirs-db"])
        #expect(try places.place(of: named + "/ci") == .file(named + "/ci-db"))
        #expect(try places.place(of: named + "/theirs") == .file(named + "/theirs-db"))
        #expect(try places.place(of: named + "/ours") == .file(folder + "/ours-db"))
        #expect(places.shownPath(of: .home) == folder + "/login.keychain-db")
    }

    @Test
    func `no link is made where something exists, or outside of the user's folder`() throws {
        let files = FileManager.default
        for path in [user + "/Keychains", user + "/none/Library/Keychains", "Library/Keychains"] {
            places.nameFolder(path)
            #expect(!files.fileExists(atPath: path))
        }
        try write(user + "/Library")
        places.nameFolder(named)
        #expect(try Data(contentsOf: URL(filePath: user + "/Library")) == Data("x".utf8))
        try files.removeItem(atPath: user + "/Library")
        // A dangling link belongs to the user too.
        try makeDirectory(user + "/Library")
        try files.createSymbolicLink(atPath: named, withDestinationPath: "/nowhere")
        places.nameFolder(named)
        #expect(try destination(named) == "/nowhere")
        #expect(places.shownPath(of: .home) == folder + "/login.keychain-db")
    }
}

/// The calls of `keychain` about keychains as a whole.
struct KeychainCallTests {
    private let world: HandlerWorld

    init() throws {
        world = try HandlerWorld()
    }

    private func named(_ name: String, _ password: String) -> AgentDictionary {
        ["keychain": .string(name), "password": .data(Array(password.utf8))]
    }

    private func status(_ call: String, _ arguments: AgentDictionary) async -> Int32 {
        switch await world.answer(call, arguments, of: HandlerWorld.keychain) {
        case .result: 0
        case .failure(let failure): failure.code
        }
    }

    @Test
    func `a wrong password is refused, though the keychain is not locked`() async throws {
        #expect(await status("keychains.create", named("k", "pw")) == 0)
        #expect(await status("keychains.unlock", named("k", "no")) == -25293)
        #expect(await status("keychains.unlock", named("k", "pw")) == 0)
        #expect(await status("keychains.lock", ["keychain": "k"]) == 0)
        #expect(await status("keychains.unlock", named("k", "no")) == -25293)
        #expect(await status("keychains.unlock", named("k", "pw")) == 0)
    }

    @Test
    func `any password unlocks a login keychain without a passcode, and no other keychain`()
        async throws
    {
        for password in ["", "pw"] {
            _ = try await world.value("keychains.lock", ["keychain": "login"])
            #expect(await status("keychains.unlock", named("login", password)) == 0)
            #expect(await world.handler.deviceLock.status.lock == .unlocked)
        }
        _ = try await world.value("device.passcode", ["new": .data(Array("1234".utf8))])
        for _ in 0..<2 {
            #expect(await status("keychains.unlock", named("login", "no")) == -25293)
            _ = try await world.value("keychains.lock", ["keychain": "login"])
        }
        #expect(await status("keychains.unlock", named("login", "no")) == -25293)
        #expect(await status("keychains.unlock", named("login", "1234")) == 0)
    }

    @Test
    func `a search for certificates skips a missing keychain`() async throws {
        let file: AgentDictionary = [
            "file": .data(Array(KeyFixtures.certificate.utf8)), "keychain": "login",
        ]
        #expect(await status("keychains.import", file) == 0)
        let names: AgentDictionary = ["keychains": ["none", "login"]]
        #expect(await status("keychains.certificates", names) == 0)
        let missing: AgentDictionary = ["keychains": ["none"]]
        #expect(await status("keychains.certificates", missing) == -25300)
        #expect(await status("keychains.identities", missing) == 0)
        #expect(await status("keychains.export", missing) == -25294)
        #expect(await status("item.find", ["class": "genp", "keychains": ["none"]]) == -25294)
    }

    @Test
    func `an unreadable keychain list is reported, and nothing is deleted`() async throws {
        #expect(await status("keychains.create", named("k", "")) == 0)
        try Data("[".utf8).write(to: URL(filePath: world.home.path + "/keychains.json"))
        for (call, arguments) in [
            ("keychains.delete", ["keychain": "k"]), ("keychains.list", [:]),
            ("item.find", ["class": "genp"]),
        ] as [(String, AgentDictionary)] {
            let failure = await world.failure(call, arguments)
            #expect(failure?.code == -25295, "\(call)")
            #expect(failure?.hint.contains("keychains.json") == true, "\(call)")
        }
        #expect(FileManager.default.fileExists(atPath: world.home.path + "/keychains/k-db"))
    }

    @Test
    func `a deleted keychain leaves the list under each of its names`() async throws {
        #expect(await status("keychains.create", named("k", "")) == 0)
        let path = world.home.path + "/keychains/k"
        // As it was while the file had no ending.
        let list = KeychainSearchList(search: [path, world.home.path], defaultKeychain: path)
        try list.save(home: world.home.path)
        let shown = try await world.value("keychains.list")
        #expect(shown["default"] == .string(path + "-db"))
        #expect(await status("keychains.delete", ["keychain": "k"]) == 0)
        let left = try KeychainSearchList.load(home: world.home.path)
        #expect(left.search == [world.home.path])
        #expect(left.defaultKeychain == world.home.path)
    }
}

/// The machine's own certificates.
final class SystemRootsTests {
    private let path = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(atPath: path)
    }

    private func names(_ criteria: CertificateCriteria = .init()) -> [String] {
        SystemRoots.certificates(criteria, bundles: ["/nowhere", path]).map(\.label)
    }

    @Test
    func `the machine's roots are the readable certificates of its file`() throws {
        #expect(names().isEmpty)
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let bundle = "# Roots\n" + broken + KeyFixtures.certificate + "\n"
        try Data(bundle.utf8).write(to: URL(filePath: path))
        let certificate = try ParsedCertificate(pem: KeyFixtures.certificate)
        #expect(names() == [certificate.summary])
        #expect(names(.init(name: certificate.summary)) == [certificate.summary])
        #expect(names(.init(name: "somebody else")).isEmpty)
        try Data("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8).write(to: URL(filePath: path))
        #expect(names().isEmpty)
    }
}
