import Foundation
import Glibc
import KSTestTerminals
import Synchronization
import Testing

/// With a compositor that knows nothing but clipboards.
struct WaylandClipboardTests {
    private static func copy(
        _ text: String,
        seconds: Int,
        to compositor: FakeCompositor
    ) async throws -> String {
        let terminal = try PseudoTerminal(
            Built.path("KSTerminalProgram"),
            ["copy", text, "\(seconds)"],
            environment: ["WAYLAND_DISPLAY": compositor.path, "TERM": "dumb"]
        )
        #expect(await terminal.end() != nil)
        return terminal.screen.lines[0]
    }

    @Test(arguments: ["zwlr_data_control_manager_v1", "ext_data_control_manager_v1"])
    func `a compositor gets the text with the hint`(
        manager: String
    ) async throws {
        let compositor = try FakeCompositor(manager: manager)
        #expect(try await Self.copy("geheim-ü", seconds: 60, to: compositor) == "copied by wayland")
        let offers = ["UTF8_STRING", "text/plain;charset=utf-8", "x-kde-passwordManagerHint"]
        #expect(compositor.state.offers == offers)
        #expect(compositor.paste("text/plain;charset=utf-8") == "geheim-ü")
        #expect(compositor.paste("x-kde-passwordManagerHint") == "secret")
    }

    @Test
    func `the clipboard is cleared once the time is over`() async throws {
        let compositor = try FakeCompositor(manager: "ext_data_control_manager_v1")
        #expect(try await Self.copy("geheim", seconds: 1, to: compositor) == "copied by wayland")
        #expect(await compositor.waits { $0.selections.count == 2 && $0.selections[1] == 0 })
        #expect(await compositor.waits { $0.hasEnded })
    }

    @Test
    func `the longest secret is pasted whole`() async throws {
        let compositor = try FakeCompositor(manager: "ext_data_control_manager_v1")
        let text = String(repeating: "geheim-", count: 9362) + "xy"
        #expect(try await Self.copy(text, seconds: 60, to: compositor) == "copied by wayland")
        #expect(compositor.state.offers.contains("STRING"))
        #expect(compositor.paste("UTF8_STRING") == text)
    }

    @Test
    func `the holder ends when another program sets the clipboard`() async throws {
        let compositor = try FakeCompositor(manager: "ext_data_control_manager_v1")
        #expect(try await Self.copy("geheim", seconds: 60, to: compositor) == "copied by wayland")
        compositor.cancel()
        #expect(await compositor.waits { $0.hasEnded })
        // It takes nothing away that is not its own.
        #expect(compositor.state.selections.count == 1)
    }

    @Test
    func `a compositor without data control is refused`() async throws {
        let compositor = try FakeCompositor(manager: "wl_data_device_manager")
        let said = try await Self.copy("geheim", seconds: 60, to: compositor)
        #expect(said.contains("did not take the secret"))
    }
}

/// Serves one client of Wayland on a thread of its own.
private final class FakeCompositor: Sendable {
    struct State {
        var registry: UInt32 = 0
        var manager: UInt32 = 0
        var device: UInt32 = 0
        var source: UInt32 = 0
        var offers: [String] = []
        /// The sources that were set; 0 clears the clipboard.
        var selections: [UInt32] = []
        var hasEnded = false
        var client: Int32 = -1
    }

    struct NotListening: Error {}

    let path: String
    private let manager: String
    private let listener: Int32
    private let content = Mutex(State())

    var state: State { content.withLock { $0 } }

    init(manager: String) throws {
        self.manager = manager
        path = FileManager.default.temporaryDirectory.path + "/w-" + UUID().uuidString.prefix(8)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isBound == 0, listen(listener, 1) == 0 else { throw NotListening() }
        Thread.detachNewThread { [self] in serve() }
    }

    func waits(for isSo: (State) -> Bool) async -> Bool {
        for _ in 0..<3000 {
            if isSo(state) { return true }
            // A cancelled sleep is only a shorter pause.
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// What a program gets that asks for a format.
    func paste(_ format: String) -> String {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return "" }
        let body = Self.words([UInt32(format.utf8.count + 1)]) + Self.padded(format)
        send(state.source, 0, body, descriptor: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        return ChildProcess.readText(ends[0]) { _ in false }
    }

    func cancel() { send(state.source, 1, []) }

    private func serve() {
        let client = accept(listener, nil, nil)
        content.withLock { $0.client = client }
        var input: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while case let count = unsafe read(client, &part, part.count), count > 0 {
            input += part.prefix(count)
            while input.count >= 8, input.count >= Int(input[6]) | Int(input[7]) << 8 {
                let size = Int(input[6]) | Int(input[7]) << 8
                handle(Self.word(input, 0), Int(input[4]), Array(input[8..<size]))
                input.removeFirst(size)
            }
        }
        content.withLock { $0.hasEnded = true }
        close(client)
        close(listener)
        unsafe unlink(path)
    }

    private func handle(_ object: UInt32, _ code: Int, _ body: [UInt8]) {
        let known = state
        switch (object, code) {
        case (1, 0): send(Self.word(body, 0), 0, Self.words([0]))
        case (1, 1):
            content.withLock { $0.registry = Self.word(body, 0) }
            for (index, name) in ["wl_compositor", "wl_seat", manager].enumerated() {
                let head = Self.words([UInt32(index + 5), UInt32(name.utf8.count + 1)])
                send(Self.word(body, 0), 0, head + Self.padded(name) + Self.words([1]))
            }
        case (known.registry, 0) where Self.word(body, 0) == 7:
            content.withLock { $0.manager = Self.word(body, body.count - 4) }
        case (known.manager, 0): content.withLock { $0.source = Self.word(body, 0) }
        case (known.manager, 1): content.withLock { $0.device = Self.word(body, 0) }
        case (known.source, 0):
            let name = body[4...].prefix { $0 != 0 }
            content.withLock { $0.offers.append(String(decoding: name, as: UTF8.self)) }
        case (known.device, 0): content.withLock { $0.selections.append(Self.word(body, 0)) }
        default: break
        }
    }

    private func send(_ object: UInt32, _ code: UInt32, _ body: [UInt8], descriptor: Int32? = nil) {
        var message = Self.words([object, UInt32(8 + body.count) << 16 | code]) + body
        // Its size, level and type (SOL_SOCKET, SCM_RIGHTS), then the descriptor.
        var control: [UInt64] = [20, 1 << 32 | 1, UInt64(descriptor ?? 0)]
        unsafe message.withUnsafeMutableBytes { bytes in
            unsafe control.withUnsafeMutableBytes { controlBytes in
                var vector = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                unsafe withUnsafeMutablePointer(to: &vector) { vectors in
                    var header = unsafe msghdr()
                    unsafe header.msg_iov = vectors
                    unsafe header.msg_iovlen = 1
                    if descriptor != nil {
                        unsafe header.msg_control = controlBytes.baseAddress
                        unsafe header.msg_controllen = controlBytes.count
                    }
                    _ = unsafe sendmsg(state.client, &header, 0)
                }
            }
        }
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }

    private static func words(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * $0)) } }
    }

    private static func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8) + [0]
        return bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
}
