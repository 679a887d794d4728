import Glibc
import KSRunning
import KSRunningTestSupport
import Testing

private let mask = "<concealed by keychain>"

/// Programs whose output is a terminal.
struct TerminalRunTests {
    private func script(_ text: String) throws -> ScriptUnderTest {
        try ScriptUnderTest(text, ["SECRETS=hunter2,s3cr3t"], onTerminal: true)
    }

    private func output(_ text: String) throws -> String {
        let script = try script(text)
        #expect(try script.end() == 0)
        return script.output
    }

    /// Says whether the terminal has its settings of before.
    private func watched(_ text: String) -> String {
        "g=$(stty -g); \(text); [ $g = $(stty -g) ] && echo restored"
    }

    @Test
    func `the program has a terminal of its own for all three streams`() throws {
        let ask = "test -t 0 && test -t 1 && test -t 2 && echo all; tty; stty size </dev/tty"
        let lines = try output("tty; stty rows 7 columns 77; $P run sh -c '\(ask)'")
            .split(separator: "\n")
        #expect(lines.count == 4 && lines[1] == "all" && lines[3] == "7 77")
        #expect(lines[0] != lines[2] && lines[2].hasPrefix("/dev/pts/"))
    }

    @Test
    func `output is masked, and the exit code passes`() throws {
        let text = "$P run sh -c 'echo hunter2; echo s3cr3t >&2; exit 3'; echo code $?"
        #expect(try output(text) == "\(mask)\n\(mask)\ncode 3\n")
        #expect(try output("$P run sh -c 'kill -9 $$'; echo code $?") == "code 137\n")
        #expect(try output("$P run nosuch >/dev/null; echo code $?") == "code 127\n")
        // The kernel finds no interpreter only when the program is already forked.
        let make = "f=$(mktemp); echo '#!/nosuch' >$f; chmod +x $f"
        #expect(try output("\(make); $P run $f >/dev/null; echo code $?; rm $f") == "code 126\n")
    }

    @Test
    func `a line can be edited, and a program that waits is ended by its key`() throws {
        let script = try script(watched("$P run sh -c 'echo ready; cat'"))
        try script.wait(for: "ready")
        script.type("one\u{7F}\u{7F}\u{7F}two hunter2\n")
        try script.wait(for: "two \(mask)\ntwo \(mask)\n")
        script.type("\u{4}")
        #expect(try script.end() == 0)
        #expect(script.output.hasSuffix("restored\n"))
        #expect(!script.output.contains("hunter2"))
    }

    @Test(arguments: [("\u{3}", 130), ("\u{1C}", 131)])
    func `a key that ends programs ends the program alone`(key: String, code: Int) throws {
        // A shell would not do: dash loses a signal that comes while it starts a program.
        let script = try script(watched("$P run cat; echo code $?"))
        script.type("ready\n")
        try script.wait(for: "ready\nready\n")
        script.type(key)
        #expect(try script.end() == 0)
        #expect(script.output.hasSuffix("code \(code)\nrestored\n"))
    }

    @Test
    func `the stop key stops the job, and the shell continues it`() throws {
        let child = "echo ready; read x; echo got $x"
        let text = "set -m; \(watched("$P run sh -c '\(child)'")); echo again; fg; echo end"
        let script = try script(text)
        try script.wait(for: "ready")
        script.type("\u{1A}")
        // The shell has its terminal back.
        try script.wait(for: "restored\nagain")
        script.type("abc\n")
        #expect(try script.end() == 0)
        #expect(script.output.contains("got abc\n"))
        #expect(script.output.hasSuffix("end\n"))
    }

    @Test
    func `what a program writes as it stops comes before the shell's prompt`() throws {
        let child = "trap \"echo bye; kill -STOP \\$\\$\" TSTP; echo ready; while :; do :; done"
        let script = try script(
            "set -m; $P run sh -c '\(child)'; echo again; kill %1; fg; echo end"
        )
        try script.wait(for: "ready")
        script.type("\u{1A}")
        try script.wait(for: "bye\nagain")
        #expect(try script.end() == 0)
    }

    @Test
    func `a program that is stopped where nobody can continue it goes on`() throws {
        // The command makes a session of which our program is the first process.
        let child = "exec $P run sh -c \"echo ready; read x; echo got \\$x\""
        let script = try script("script -qec '\(child)' /dev/null")
        try script.wait(for: "ready")
        script.type("\u{1A}abc\n")
        #expect(try script.end() == 0)
        #expect(script.output.contains("got abc"))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal ends the program, and the terminal is restored`(number: Int32) throws {
        let script = try script(watched("sh -c 'echo pid $$.; exec $P run sleep 60'; echo code $?"))
        try script.wait(for: ".\n")
        let digits = script.output.drop { $0 != " " }.dropFirst().prefix { $0 != "." }
        kill(try #require(Int32(digits)), number)
        #expect(try script.end() == 0)
        #expect(script.output.hasSuffix("code \(128 + number)\nrestored\n"))
    }

    @Test
    func `a program learns of a new size of the window`() throws {
        let loop = "trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done"
        for pipe in ["", "echo | "] {
            let ask = loop.replacing("size", with: "size <&1")
            let script = try script("\(pipe)$P run sh -c \"\(ask)\"")
            try script.wait(for: "ready")
            script.resize(columns: 99)
            try script.wait(for: "24 99")
        }
    }

    @Test
    func `a full screen works`() throws {
        let script = try script(watched("$P run vim -u NONE -N -c 'set noswapfile'"))
        try script.wait(for: "VIM")
        script.type("ihunter2 and")
        try script.wait(for: "\(mask) and")
        script.type("\u{1B}:q!\r")
        #expect(try script.end() == 0)
        #expect(script.output.hasSuffix("restored\n"))
        #expect(!script.output.contains("hunter2"))
    }

    @Test
    func `a program in a pipeline gets the keys`() throws {
        let ask = "test -t 0 || test -t 1 && echo hunter2; stty size <&1; read x </dev/tty; echo $x"
        let script = try script(watched("tty; stty columns 77; echo | $P run sh -c '\(ask); cat'"))
        try script.wait(for: "77\n")
        script.type("typed\n")
        #expect(try script.end() == 0)
        #expect(script.output.contains("\(mask)\n0 77\ntyped\ntyped\n\nrestored\n"))
        #expect(!script.rawOutput.contains([13, 13]))
    }

    @Test
    func `a full screen works in a pipeline`() throws {
        let script = try script(watched("echo hunter2 | $P run vim -u NONE -N -"))
        try script.wait(for: mask)
        script.type("iand s3cr3t.")
        try script.wait(for: "and \(mask).")
        script.type("\u{1B}:q!\r")
        #expect(try script.end() == 0)
        #expect(script.output.hasSuffix("restored\n"))
    }

    @Test
    func `errors are on a terminal when only they are`() throws {
        let ask = "test -t 1 || echo out; test -t 2 && echo hunter2 >&2"
        let shown = try output("$P run sh -c '\(ask)' | cat")
        #expect(Set(shown.split(separator: "\n")) == ["out", Substring(mask)])
    }

    @Test
    func `a program in the background does not touch the terminal`() throws {
        let text = "set -m; \(watched("$P run sh -c 'echo hunter2' & wait"))"
        let shown = try output(text)
        #expect(shown.contains("\(mask)\n"))
        #expect(shown.hasSuffix("restored\n"))
    }

    @Test
    func `a program that is brought to the foreground gets the keys`() throws {
        // Other shells than bash continue the program although it runs.
        let text = "set -m; $P run cat & sleep 0.1; echo ready; fg; echo end"
        let script = try script("exec bash -c '\(text)'")
        try script.wait(for: "ready")
        try script.wait(for: "run cat")
        script.type("abc\n")
        try script.wait(for: "abc\nabc\n")
        script.type("\u{4}")
        #expect(try script.end() == 0)
    }

    @Test
    func `a program notices that its terminal is gone`() throws {
        let child = "trap 'touch $f.gone; exit' HUP; echo $f.; while :; do sleep 0.02; done"
        let start =
            "sh -c 'echo $$.; exec $P run sh -c \"$child\"'; while ! [ -e $f.gone ]; do :; done"
        let script = try ScriptUnderTest(
            "export f=$(mktemp -u); \(start); rm $f.gone",
            ["child=\(child)"],
            onTerminal: true
        )
        try script.wait(for: ".\n/")
        try script.wait(for: "/tmp")
        let digits = script.output.prefix { $0 != "." }
        kill(try #require(Int32(digits)), SIGKILL)
        #expect(try script.end() == 0)
    }

    @Test
    func `a program may close its terminal and open it again`() throws {
        let child = "exec </dev/null >&- 2>&-; sleep 0.2; echo hunter2 >/dev/tty; exit 4"
        #expect(try output("$P run sh -c '\(child)'; echo code $?") == "\(mask)\ncode 4\n")
    }

    @Test
    func `a progress bar and a grandchild with the terminal open hold nothing up`() throws {
        let bar = #"for i in 1 2 3; do printf "\r$i%%"; done; sleep 60 & echo"#
        let script = try script("$P run sh -c '\(bar)'")
        #expect(try script.end() == 0)
        #expect(script.rawOutput == Array("\r1%\r2%\r3%\r\n".utf8))
    }
}
