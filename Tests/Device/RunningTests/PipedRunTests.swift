import Glibc
import KSRunning
import KSRunningTestSupport
import Testing

private let mask = "<concealed by keychain>"

/// Programs whose output is no terminal.
struct PipedRunTests {
    private func run(_ script: String) throws -> (code: Int32, output: String) {
        let script = try ScriptUnderTest(script, ["SECRETS=hunter2,s3cr3t"])
        let code = try script.end()
        return (code, script.output)
    }

    @Test(arguments: [
        ("'echo hunter2; exit 3'", "\(mask)\n", 3), ("'kill -TERM $$'", "", 143),
        ("'kill -KILL $$'", "", 137), ("'echo hunter2 >&2'", "\(mask)\n", 0),
        (#"'printf hun; printf ter2'"#, mask, 0),
        (#"'printf "a\0\377s3cr3t"'"#, "a\0\u{FFFD}\(mask)", 0),
        (#"'printf hun'"#, "hun", 0), ("'exec >&-; exec 2>&-; exit 4'", "", 4),
    ])
    func `output is masked, and the exit code passes`(
        script: String,
        output: String,
        code: Int32
    ) throws {
        let result = try run("$P run sh -c \(script)")
        #expect(result.output == output)
        #expect(result.code == code)
    }

    @Test
    func `output and errors are masked each on its own`() throws {
        let result = try run("$P run sh -c 'printf hun; printf ter2 >&2' 2>/dev/null | cat")
        #expect(result.output == "hun")
        #expect(
            try run("{ $P run sh -c 'echo s3cr3t >&2'; } 2>&1 >/dev/null").output == "\(mask)\n"
        )
    }

    @Test
    func `output and errors that lead to one place keep their order`() throws {
        let loop = "for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done"
        let lines = (1...9).map { "o\($0)\ne\($0)\n" }.joined()
        #expect(try run("$P run sh -c '\(loop)'").output == lines)
    }

    @Test
    func `standard input passes untouched`() throws {
        #expect(try run(#"printf 'a\0b\nhunter2' | $P run wc -c"#).output.contains("11"))
        // The second program reads what the first one has left.
        #expect(try run("printf 'a\\nb\\n' | { $P run true; cat; }").output == "a\nb\n")
    }

    @Test
    func `much output arrives whole`() throws {
        let sum = "seq 1 200000 | cksum"
        #expect(try run("$P run seq 1 200000 | cksum").output == run(sum).output)
    }

    @Test
    func `a slow reader gets all of a program's last output`() throws {
        // What may be the beginning of a secret is written before the reader takes the rest.
        let child = "head -c 150000 /dev/zero; printf hun >&2"
        let result = try run("$P run sh -c '\(child)' 2>/dev/null | { sleep 0.5; wc -c; }")
        #expect(result.output.contains("150000"))
    }

    @Test(arguments: [
        ("nosuchprogram", 127), ("/nosuch/program", 127), ("/etc/passwd", 126), ("/etc", 126),
        ("''", 127),
    ])
    func `a program that cannot be started is one sentence`(name: String, code: Int32) throws {
        for command in ["run", "exec"] {
            let result = try run("$P \(command) \(name)")
            #expect(result.code == code)
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }
    }

    @Test
    func `a script without an interpreter is run by a shell`() throws {
        let make = "f=$(mktemp); echo 'echo \"$0 $1\" hunter2' >$f; chmod +x $f;"
        let result = try run(
            "\(make) $P run $f x | sed \"s:$f:F:\"; $P exec $f x | sed \"s:$f:F:\"; rm $f"
        )
        #expect(result.output == "F x \(mask)\nF x hunter2\n")
    }

    @Test
    func `the program is found on the path of its environment`() throws {
        #expect(try run("PATH=/nosuch $P run ls").code == 127)
        #expect(try run("cd /usr/bin && PATH=/nosuch: $P run true").code == 0)
        #expect(try run("unset PATH; $P run true").code == 0)
    }

    @Test
    func `a reader that goes away ends the program`() throws {
        #expect(try run("($P run yes; echo $? >&2) | head -n 1").output.contains("141"))
    }

    @Test
    func `a grandchild with the output open holds nothing up`() throws {
        let result = try run("$P run sh -c 'sleep 60 & echo hunter2' | cat; echo end")
        #expect(result.output == "\(mask)\nend\n")
    }

    @Test
    func `a signal ends the wait for a reader after the program's end`() throws {
        let child = "head -c 100000 /dev/zero; echo ready >&2"
        let start = "sh -c 'echo $$.; exec $P run sh -c \"\(child)\" >&3'"
        let script = try ScriptUnderTest("f=$(mktemp -u); mkfifo $f; exec 3<>$f; rm $f; \(start)")
        try script.wait(for: "ready\n")
        let process = try #require(Int32(script.output.prefix { $0 != "." }))
        // The first one may come before the program's end.
        for _ in 0..<200 where kill(process, SIGINT) == 0 { usleep(50_000) }
        #expect(kill(process, 0) != 0)
    }

    @Test(arguments: ["INT", "TERM", "HUP", "QUIT", "USR1", "USR2"])
    func `a signal is passed on`(name: String) throws {
        let child = "trap \"echo got; exit 7\" \(name); echo ready; while :; do sleep 0.02; done"
        let script = try ScriptUnderTest("exec $P run sh -c '\(child)'", ["SECRETS=hunter2"])
        try script.wait(for: "ready")
        script.send(name)
        #expect(try script.end() == 7)
        #expect(script.output == "ready\ngot\n")
    }

    @Test
    func `a signal that was ignored stays ignored`() throws {
        let child = "echo ready; kill -HUP $PPID; kill -HUP $$; echo alive"
        #expect(try run("trap '' HUP; $P run sh -c '\(child)'").output == "ready\nalive\n")
    }

    @Test
    func `the program's signals have their usual effect`() throws {
        let show = "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status"
        let usual = try run(show).output
        #expect(usual.contains("SigBlk:\t0000000000000000\n"))
        #expect(try run("$P run \(show)").output == usual)
        #expect(try run("$P exec \(show)").output == usual)
    }

    @Test
    func `no masking replaces the process`() throws {
        #expect(
            try run("sh -c 'echo $$; exec $P exec sh -c \"echo \\$\\$ hunter2\"'").output
                .split(separator: "\n").count == 2
        )
        let result = try run("echo $$; exec $P exec sh -c 'echo $$ hunter2'")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[1] == "\(lines[0]) hunter2")
    }

    @Test
    func `the program has no open file of ours`() throws {
        let count = "ls /proc/self/fd | wc -l"
        // Both in one script, which has the same files of this process for both.
        let lines = try run("sh -c '\(count)'; $P run sh -c '\(count)'").output.split(
            separator: "\n"
        )
        #expect(lines.count == 2 && lines.first == lines.last)
    }

    @Test
    func `streams that are closed stay out of the way`() throws {
        #expect(try run("$P run sh -c 'echo hunter2' 0<&-").output == "\(mask)\n")
        #expect(try run("$P run sh -c 'exit 3' 0<&- >&- 2>&-").code == 3)
    }
}
