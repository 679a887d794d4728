import KSClipboards
import Testing

struct ClipboardWayTests {
    private static func kinds(
        _ environment: [String: String],
        hasTerminal: Bool = true,
        programs: [String] = []
    ) throws -> [ClipboardWay.Kind] {
        try ClipboardWay.choose(environment: environment, hasTerminal: hasTerminal) { name in
            programs.contains(name) ? "/usr/bin/" + name : nil
        }.map(\.kind)
    }

    @Test
    func `a display of the machine comes before the terminal`() throws {
        let desktop = [
            "WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": "/run/user/7", "DISPLAY": ":0",
            "TERM": "xterm-256color",
        ]
        #expect(try Self.kinds(desktop) == [.wayland, .x11, .terminal])
        #expect(try Self.kinds(desktop, hasTerminal: false) == [.wayland, .x11])
        #expect(try Self.kinds(["DISPLAY": ":1"], hasTerminal: false) == [.x11])
    }

    @Test
    func `over ssh the terminal comes first, unless ssh forwards a display`() throws {
        var remote = ["SSH_CONNECTION": "::1 1 ::1 22", "DISPLAY": ":0", "TERM": "xterm"]
        #expect(try Self.kinds(remote) == [.terminal, .x11])
        remote["DISPLAY"] = "localhost:10.0"
        #expect(try Self.kinds(remote) == [.x11, .terminal])
    }

    @Test
    func `tmux is asked directly if its program is there`() throws {
        let environment = ["TMUX": "/tmp/tmux-0/default,1,0", "TERM": "screen"]
        #expect(try Self.kinds(environment, programs: ["tmux"]) == [.tmux, .terminal])
        #expect(try Self.kinds(environment) == [.terminal])
    }

    @Test(arguments: [
        ("xterm-256color", TerminalWrapping.bare), ("screen-256color", .screen),
        ("tmux-256color", .tmux),
    ])
    func `TERM tells what is around a terminal over ssh`(
        term: String,
        wrapping: TerminalWrapping
    ) throws {
        let ways = try ClipboardWay.choose(environment: ["TERM": term], hasTerminal: true) { _ in
            nil
        }
        #expect(ways == [.terminal(wrapping)])
    }

    @Test(arguments: [
        [:], ["TERM": "dumb"], ["TERM": "dumb", "TMUX": "/tmp/tmux-0/default,1,0"],
        ["TERM": "linux"], ["DISPLAY": ""], ["DISPLAY": "nonsense"],
        ["WAYLAND_DISPLAY": "wayland-0"],
    ])
    func `without a display and a fitting terminal there is no clipboard`(
        environment: [String: String]
    ) {
        #expect(throws: ClipboardError.noClipboard) { try Self.kinds(environment) }
    }

    @Test
    func `Wayland's socket stands in the runtime folder, or where its variable says`() throws {
        func socket(_ name: String) throws -> ClipboardWay? {
            let environment = ["WAYLAND_DISPLAY": name, "XDG_RUNTIME_DIR": "/run/user/7"]
            return try ClipboardWay.choose(environment: environment, hasTerminal: false) { _ in
                nil
            }.first
        }
        #expect(try socket("wayland-1") == .wayland(socket: "/run/user/7/wayland-1"))
        #expect(try socket("/tmp/w") == .wayland(socket: "/tmp/w"))
    }

    @Test
    func `names of X displays are read as Xlib reads them`() {
        #expect(X11Display(":0").map { [$0.host, "\($0.number)"] } == [nil, "0"])
        #expect(X11Display("unix:3.1").map { [$0.host, "\($0.number)"] } == [nil, "3"])
        #expect(X11Display("localhost:10.0")?.port == 6010)
        #expect(X11Display("[::1]:2")?.host == "::1")
        for text in ["", "0", ":", ":x", "host:-1", ":70000"] { #expect(X11Display(text) == nil) }
    }
}

struct X11AuthorityTests {
    private static func entry(_ family: Int, _ parts: [String]) -> [UInt8] {
        [UInt8(family >> 8), UInt8(family & 0xFF)]
            + parts.flatMap { [0, UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    private static let name = "MIT-MAGIC-COOKIE-1"

    private static func cookie(_ file: [UInt8], _ display: String) throws -> String? {
        let display = try #require(X11Display(display))
        return X11Authority.cookie(in: file, for: display, hostName: "ada")
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test
    func `the cookie of this host comes before one of any host or of another`() throws {
        let other = Self.entry(256, ["bob", "0", Self.name, "other"])
        let any = Self.entry(65_535, ["", "", Self.name, "any"])
        let own = Self.entry(256, ["ada", "0", Self.name, "own"])
        let second = Self.entry(256, ["ada", "1", Self.name, "second"])
        let kind = Self.entry(256, ["ada", "0", "XDM-AUTHORIZATION-1", "kind"])
        #expect(try Self.cookie(kind + other + any + own + second, ":0") == "own")
        #expect(try Self.cookie(kind + other + any, ":0") == "any")
        #expect(try Self.cookie(kind + other, ":0") == "other")
        #expect(try Self.cookie(kind + other + own, ":5") == nil)
        #expect(try Self.cookie(own + second, ":1") == "second")
    }

    @Test
    func `a file that is cut gives the entries before the cut`() throws {
        let file = Self.entry(256, ["ada", "0", Self.name, "own"])
        for count in 0..<file.count { #expect(try Self.cookie(Array(file[..<count]), ":0") == nil) }
        #expect(try Self.cookie(file + [1], ":0") == "own")
    }
}
