import Foundation
import KSEditing
import KSRunningTestSupport
import Testing

/// Edits a text as `keychain edit` does, with a folder of its own in memory.
struct EditorTests {
    /// The folder is removed at the end.
    private final class Home {
        let path = "/dev/shm/keychain-test-\(UUID().uuidString)"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false
            )
        }

        deinit {
            // A folder that is left behind is in memory alone.
            try? FileManager.default.removeItem(atPath: path)
        }

        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
        }

        func script(
            _ text: String,
            editor: String,
            onTerminal: Bool = false
        ) throws -> ScriptUnderTest {
            let variables = [
                "HOME=\(path)", "XDG_RUNTIME_DIR=\(path)", "EDITOR=\(editor)", "D=\(path)",
            ]
            return try ScriptUnderTest(text, variables, onTerminal: onTerminal)
        }
    }

    @Test(
        arguments: [
            ("sed -i s/a/b/", "edited b: 1\n", 0), ("true", "unchanged\n", 0),
            ("printf 'x: 2' >", "edited x: 2\n", 0), ("A=1 sh -c 'echo $A >$0'", "edited 1\n\n", 0),
            ("f() { cp $1 $1~; mv $1~ $1; echo >>$1; }; f", "edited a: 1\n\n", 0),
        ]
    )
    func `the text is what the editor leaves`(editor: String, output: String, code: Int32) throws {
        let home = try Home()
        let script = try home.script("$P edit 'a: 1'", editor: editor)
        #expect(try script.end() == code)
        #expect(script.output == output)
        #expect(try home.files == [])
    }

    @Test(
        arguments: [
            ("false", "the editor false failed with code 1, so nothing is changed"),
            ("kill -9 $$ #", "was ended by signal 9, so nothing is changed"),
            ("/nosuch/editor 2>&- -x", "there is no editor /nosuch/editor 2>&- -x; set VISUAL"),
            ("rm", "the editor has left no file, so nothing is changed"),
            ("truncate -s 5M", "the text has more than 4194304 bytes, so nothing is changed"),
        ]
    )
    func `an editor that fails is one sentence`(editor: String, sentence: String) throws {
        let home = try Home()
        let script = try home.script("$P edit 'a: 1'", editor: editor)
        #expect(try script.end() == 1)
        #expect(script.output.contains(sentence), "\(script.output)")
        #expect(script.output.split(separator: "\n").count == 1)
        #expect(try home.files == [])
    }

    @Test
    func `VISUAL comes before EDITOR, and empty ones do not count`() throws {
        let home = try Home()
        let text = "VISUAL='sed -i s/1/2/' $P edit a1; VISUAL=' ' $P edit a1"
        let script = try home.script(text, editor: "sed -i s/1/3/")
        #expect(try script.end() == 0)
        #expect(script.output == "edited a2\nedited a3\n")
        #expect(Editor(environment: []).command == "vi")
    }

    @Test
    func `the file is private, in memory, and so are the editor's temporary files`() throws {
        let home = try Home()
        let editor =
            "stat -c %a $TMPDIR; ls $TMPDIR; cd $TMPDIR; mkdir -p d/e; ln -s / l; stat -c %a"
        let script = try home.script("umask 0; $P edit a", editor: editor)
        #expect(try script.end() == 0)
        #expect(script.output == "700\nitem.txt\n600\nunchanged\n")
        #expect(try home.files == [])
    }

    @Test
    func `without a folder in memory a folder on a disk must be allowed`() throws {
        let home = try Home()
        let disk = NSTemporaryDirectory() + "keychain-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: disk) } }
        let text = """
            mkdir -p $D/shm
            XDG_RUNTIME_DIR= $P edit a '' /proc
            XDG_RUNTIME_DIR=/nosuch $P edit a '' $D/shm
            XDG_RUNTIME_DIR=/proc $P edit a \(disk) /proc
            """
        let script = try home.script(text, editor: "dirname")
        #expect(try script.end() == 0)
        let lines = script.output.split(separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[0].hasPrefix("there is no folder in memory for a secret file; set"))
        #expect(lines[1].hasPrefix(home.path + "/shm/keychain-edit-") && lines[2] == "unchanged")
        #expect(lines[3].hasPrefix(disk + "/keychain-edit-") && lines[4] == "unchanged")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == [])
    }

    @Test(arguments: ["INT", "TERM", "HUP"])
    func `a signal ends the editor, and the file is gone`(name: String) throws {
        let home = try Home()
        let editor = "trap 'echo got' \(name); echo ready; while :; do sleep 0.02; done; :"
        let script = try home.script("exec $P edit a", editor: editor)
        try script.wait(for: "ready")
        #expect(try home.files.count == 1)
        script.send(name)
        let numbers: [String: Int32] = ["INT": 2, "TERM": 15, "HUP": 1]
        #expect(try script.end() == 128 + (numbers[name] ?? 0))
        #expect(script.output == "ready\ngot\n")
        #expect(try home.files == [])
    }

    @Test
    func `a key that ends programs is the editor's`() throws {
        let home = try Home()
        let editor = "trap 'echo >$2; exit 0' INT; echo ready; while :; do sleep 0.02; done; : a"
        let script = try home.script(
            "exec $P edit a",
            editor: "f() { \(editor); }; f x",
            onTerminal: true
        )
        try script.wait(for: "ready")
        script.type("\u{3}")
        #expect(try script.end() == 0)
        #expect(script.output.contains("edited \n"))
    }

    @Test
    func `what a lost machine has left is removed by the next edit, and nothing else`() throws {
        let home = try Home()
        let other = try home.script("exec $P edit a", editor: "echo ready; sleep 60; :")
        try other.wait(for: "ready")
        let count = "ls $D | wc -l"
        let left = "mkdir -m 700 $D/keychain-other $D/keychain-edit-1; echo a >$D/keychain-edit-1/b"
        let script = try home.script(
            "\(left); \(count); $P edit c; \(count)",
            editor: "sed -i s/c/d/"
        )
        #expect(try script.end() == 0)
        #expect(script.output.split(separator: "\n").suffix(3) == ["3", "edited d", "2"])
    }

    @Test
    func `a killed process leaves nothing`() throws {
        let home = try Home()
        let wait = "for i in $(seq 100); do [ $(ls $D | wc -l) = 0 ] && break; sleep 0.1; done"
        let script = try home.script(
            "$P edit b; \(wait); ls $D | wc -l",
            editor: "ls $D | wc -l; kill -9 $PPID; :"
        )
        #expect(try script.end() == 0)
        let lines = script.output.split(separator: "\n")
        #expect(lines.first == "1" && lines.last == "0", "\(lines)")
    }

    @Test
    func `the terminal of a killed editor is restored`() throws {
        let home = try Home()
        let text = "g=$(stty -g); $P edit a; [ $g = $(stty -g) ] && echo restored"
        let script = try home.script(
            text,
            editor: "stty raw -echo; kill -9 $$; :",
            onTerminal: true
        )
        #expect(try script.end() == 0)
        #expect(script.output.hasSuffix("restored\n"))
    }

    /// Vim's own settings here lead everything out of the folder.
    @Test
    func `no file of Vim is left behind`() throws {
        let home = try Home()
        let out = home.path + "/out"
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
        let settings = """
            set nocompatible directory=\(out)// backup backupdir=\(out) undofile undodir=\(out)
            set viminfo='100,n\(out)/viminfo updatecount=1
            """
        try settings.write(toFile: home.path + "/.vimrc", atomically: true, encoding: .utf8)
        let script = try home.script("$P edit 'old text'", editor: "vim", onTerminal: true)
        try script.wait(for: "old text")
        script.type("inew \u{1B}:w\r:!ls -A $TMPDIR \(out) | tr '\\n' ' '\r")
        try script.wait(for: "Press ENTER")
        #expect(script.output.contains("item.txt.swp"))
        script.type("\r:q\r")
        #expect(try script.end() == 0)
        #expect(script.output.contains("edited new old text"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: out) == [])
        #expect(try home.files == [".vimrc", "out"])
    }
}
