import KSMoving
import Testing

/// What KeePass's entries have beside texts: an end, icons, settings and codes of all kinds.
struct KeePassPartTests {
    private func read(_ contents: String) throws -> ReadEntries {
        let group = "<Group><Name>All</Name>\(contents)</Group>"
        let text = "<KeePassFile><Root>\(group)</Root></KeePassFile>"
        return try EntryFormat.readFile(SourceFile(Array(text.utf8)))
    }

    /// An entry of a title, with further elements.
    private func entry(_ title: String, _ elements: String = "", times: String = "") -> String {
        "<Entry>\(elements)<Times>\(times)</Times>\(value("Title", title))</Entry>"
    }

    private func value(_ name: String, _ text: String, isProtected: Bool = false) -> String {
        let mark = isProtected ? " ProtectInMemory=\"True\"" : ""
        return "<String><Key>\(name)</Key><Value\(mark)>\(text)</Value></String>"
    }

    private func ends(_ time: String, _ expires: String = "True") -> String {
        "<ExpiryTime>\(time)</ExpiryTime><Expires>\(expires)</Expires>"
    }

    private func parts(_ read: ReadEntries) -> [String] {
        read.notes.map { "\($0.entry) \($0.reason.rawValue) \($0.part)" }
    }

    @Test
    func `an entry's end is a date, or a text with its time, and comes back`() throws {
        let days = ["2027-05-31T00:00:00Z", "2027-05-31T21:59:58Z"]
        let read = try read(
            days.map { entry($0, times: ends($0)) }.joined()
                + entry("never", times: ends(days[0], "False")) + entry("odd", times: ends("soon"))
        )
        #expect(
            read.entries.map(\.fields) == [
                [.init("expires", "date", text: "2027-05-31")],
                [.init("expires", "text", text: "2027-05-31T21:59:58Z")], [], [],
            ]
        )
        #expect(parts(read) == ["4 wrong_type the expiry"])
        let write = try #require(EntryFormat.named("kdbx")?.write)
        var target = TargetFile(time: 0, password: [1], random: SeededSource(seed: 1))
        target.isCheap = true
        var entries = read.entries
        // A text of another form is no end.
        entries[3].fields = [.init("expires", text: "2027-05-31 21:59:58Z")]
        let written = try write(entries, target)
        #expect(written.notes.isEmpty)
        let again = try EntryFormat.readFile(SourceFile(written.files[0], password: [1]))
        #expect(again.entries.map(\.fields) == entries.map(\.fields))
    }

    @Test
    func `icons, colors and settings are named by entry, and what programs preset is not`() throws {
        let zeros = String(repeating: "A", count: 22) + "=="
        let usual =
            "<IconID>0</IconID><CustomIconUUID>\(zeros)</CustomIconUUID><OverrideURL/>"
            + "<ForegroundColor></ForegroundColor><QualityCheck>True</QualityCheck>"
            + "<AutoType><Enabled>True</Enabled><DefaultSequence/>"
            + "<DataTransferObfuscation>0</DataTransferObfuscation>"
            + "<Association><Window/><KeystrokeSequence/></Association></AutoType>"
        let own =
            "<IconID>12</IconID><BackgroundColor>#FF0000</BackgroundColor>"
            + "<OverrideURL>cmd://firefox</OverrideURL><QualityCheck>False</QualityCheck>"
            + "<AutoType><Enabled>False</Enabled></AutoType>"
            + "<CustomData><Item><Key>plug-in</Key><Value>1</Value></Item></CustomData>"
        let icon = "<IconID>0</IconID><CustomIconUUID>AAECAwQFBgcICQoLDA0ODw==</CustomIconUUID>"
        let keys = "<AutoType><Association><Window>*</Window></Association></AutoType>"
        let read = try read(
            entry("usual", usual) + entry("own", own) + entry("icon", icon) + entry("keys", keys)
        )
        #expect(
            parts(read) == [
                "2 not_held the address for the browser", "2 not_held the colors",
                "2 not_held the data of plug-ins", "2 not_held the icon",
                "2 not_held the mark to leave it out of checks",
                "2 not_held the settings for auto-type", "3 not_held the icon",
                "4 not_held the settings for auto-type",
            ]
        )
        #expect(read.remarks.isEmpty && read.notes.hasLoss)
    }

    @Test
    func `the notes and icons of groups are counted, but for those in the bin`() throws {
        func group(_ name: String, _ elements: String) -> String {
            "<Group><Name>\(name)</Name>\(elements)</Group>"
        }
        let usual = "<IconID>48</IconID><Notes/><EnableSearching>null</EnableSearching>"
        let plain = try read(
            group("Work", usual) + group("Recycle Bin", "<IconID>43</IconID>")
        )
        #expect(plain.remarks.isEmpty)
        let read = try read(
            group("Work", "<Notes>all of them</Notes>") + group("Web", "<IconID>1</IconID>")
        )
        #expect(
            read.remarks == [
                "2 groups have a note, an icon, tags or settings, which are not taken."
            ]
        )
    }

    @Test
    func `an earlier end and earlier tags are named`() throws {
        func version(_ end: String, _ tags: String, _ more: String = "") -> String {
            entry("t", "<Tags>\(tags)</Tags>\(more)", times: ends(end))
        }
        let versions =
            version("2026-01-01T00:00:00Z", "a") + version("2026-02-01T00:00:00Z", "a;b")
            + version("2026-03-01T00:00:00Z", "b;a")
        let read = try read(
            version("2026-03-01T00:00:00Z", "a;b", "<History>\(versions)</History>")
        )
        #expect(
            parts(read) == ["1 not_held 2 earlier expiries", "1 not_held an earlier list of tags"]
        )
    }

    /// HOTP, which nothing here makes, and the forms of which one entry has several.
    @Test
    func `codes that count are kept as hidden text and named, as are codes beside another`()
        throws
    {
        let seed = "JBSWY3DPEHPK3PXP"
        let counter = "otpauth://hotp/a?secret=\(seed)&amp;counter=7"
        let read = try read(
            entry("counter", value("otp", counter))
                + entry(
                    "KeePass",
                    value("HmacOtp-Secret-Base32", seed) + value("HmacOtp-Counter", "7")
                ) + entry("plain", value("HmacOtp-Secret", "12345678901234567890"))
                + entry(
                    "both",
                    value("otp", "otpauth://totp/a?secret=\(seed)", isProtected: true)
                        + value("TimeOtp-Secret-Base32", seed) + value("TOTP Seed", seed)
                ) + entry("wrong", value("TOTP Seed", "no code!"))
        )
        let fields = read.entries.map { entry in
            entry.fields.map { "\($0.name) \($0.kind) \($0.text ?? "")" }
        }
        #expect(
            fields == [
                ["otp secret otpauth://hotp/a?secret=\(seed)&counter=7"],
                ["HmacOtp-Secret-Base32 secret \(seed)", "HmacOtp-Counter text 7"],
                ["HmacOtp-Secret secret 12345678901234567890"],
                [
                    "one-time code otp otpauth://totp/a?secret=\(seed)",
                    "TimeOtp-Secret-Base32 secret \(seed)", "TOTP Seed secret \(seed)",
                ],
                ["TOTP Seed secret no code!"],
            ]
        )
        #expect(
            parts(read) == [
                "1 other_form the otp", "2 other_form the HmacOtp-Secret-Base32",
                "3 other_form the HmacOtp-Secret", "4 other_form the TimeOtp-Secret-Base32",
                "4 other_form the TOTP Seed", "5 other_form the TOTP Seed",
            ]
        )
    }
}
