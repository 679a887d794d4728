internal import Foundation
internal import Glibc

/// An X server without a screen, with a cookie.
package final class VirtualDisplay {
    package struct NotStarted: Error {}

    /// Whether the programs that it needs are installed.
    package static let canRun = ["Xvfb", "xauth", "xclip"].allSatisfy { name in
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + name)
    }

    package let environment: [String: String]
    private let server: Int32
    private let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "x-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let authority = folder.appending(path: "authority").path
        func add(_ display: String) {
            let cookie = String(repeating: "0123456789abcdef", count: 2)
            let words = ["/usr/bin/xauth", "-q", "-f", authority, "add", display, ".", cookie]
            _ = ChildProcess.run(words, environment: [:])
        }
        // The server compares the cookie alone, and chooses a number that is free.
        add(":0")
        let words = [
            "/usr/bin/Xvfb", "-displayfd", "1", "-auth", authority, "-screen", "0", "64x64x8",
            "-nolisten", "tcp",
        ]
        guard let (process, output) = ChildProcess.startReading(words, environment: [:]) else {
            throw NotStarted()
        }
        server = process
        defer { close(output) }
        let line = ChildProcess.readText(output) { $0.last == UInt8(ascii: "\n") }
        let display = ":" + line.trimmingCharacters(in: .whitespacesAndNewlines)
        add(display)
        environment = ["DISPLAY": display, "XAUTHORITY": authority, "HOME": folder.path]
    }

    deinit {
        ChildProcess.end(server)
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    /// What a program gets that asks for a form; nil if it is refused.
    package func paste(_ target: String, selection: String = "clipboard") -> String? {
        // xclip waits for ever for an owner that ends before it answers.
        let words = [
            "/usr/bin/timeout", "5", "/usr/bin/xclip", "-o", "-selection", selection, "-t", target,
        ]
        return ChildProcess.run(words, environment: environment)
    }

    package func copy(_ text: String) {
        let shell = "printf %s '\(text)' | xclip -i -selection clipboard >/dev/null 2>&1"
        let environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        _ = ChildProcess.run(["/bin/sh", "-c", shell], environment: environment)
    }

    package func waits(for isSo: (VirtualDisplay) -> Bool) async -> Bool {
        for _ in 0..<600 {
            if isSo(self) { return true }
            // A cancelled sleep is only a shorter pause.
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}
