import Foundation
import KSMoving
import Testing

/// Files of other programs, under `Cases`.
struct CaseFileTests {
    private func read(_ name: String) throws -> ReadEntries {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Cases")
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
        return try EntryFormat.readFile(SourceFile(bytes))
    }

    private func placed(_ name: String) throws -> EntryList { try EntryPlacing(read(name)).entries }

    /// Each entry as its addresses, user name, secret and earlier secrets.
    private func shown(_ entries: EntryList) -> [String] {
        entries.map { entry in
            let secrets =
                [entry.secretText ?? ""]
                + entry.history.map { String(decoding: $0.value, as: UTF8.self) }
            return (entry.addresses.map(\.text) + [entry.userName, secrets.joined(separator: "|")])
                .joined(separator: " ")
        }
    }

    /// Each note as its row, reason and part.
    private func notes(_ read: ReadEntries) -> [String] {
        read.notes.map { note in
            "\(note.entry) \(note.reason.rawValue)" + (note.part.isEmpty ? "" : " \(note.part)")
        }
    }

    @Test
    func `LastPass's note, one-time code, folder and secure note are kept`() throws {
        let read = try read("lastpass.csv")
        #expect(read.format == "lastpass" && read.notes.isEmpty && read.remarks.isEmpty)
        #expect(
            shown(read.entries)
                == [
                    "https://bank.example.net/login vera lp,1\"x",
                    "  The safe opens with 12-34-56",
                ].map { $0.replacing("  The", with: " The") }
        )
        let bank = read.entries[0]
        #expect(bank.note == "PIN of the card: 4711\nsecond line" && bank.tags == ["Money"])
        #expect(bank.oneTimeText == "otpauth://totp/?secret=KRSXG5CTMVRXEZLU")
        #expect(bank.isFavorite == false && bank.title == "Kestrel Bank")
        let note = read.entries[1]
        #expect(note.type == "note" && note.title == "Safe" && note.tags == ["Notes"])
    }

    @Test
    func `KeePassXC's one-time code, group and times are kept`() throws {
        let read = try read("keepassxc.csv")
        #expect(read.format == "keepassxc" && read.notes.isEmpty && read.remarks.isEmpty)
        #expect(shown(read.entries) == ["https://heron.example.org/ olaf kp-2"])
        let entry = read.entries[0]
        #expect(entry.title == "Heron Mail" && entry.note == "say hello" && entry.tags == ["Web"])
        #expect(entry.oneTimeText?.contains("secret=MFRGGZDFMZTWQ2LK") == true)
        #expect(entry.changed == 1_770_026_400_000 && entry.created == 1_735_725_600_000)
    }

    @Test
    func `each site of a Bitwarden login is an address, and the first has the item`() throws {
        let read = try read("bitwarden-uris.csv")
        #expect(
            shown(read.entries) == [
                "https://owl.example.org https://owl.example.net/login ute bw-1",
                "https://crow.example.org https://crow.example.net ute bw-2",
                "https://jay.example.org https://jay.example.net ute bw-3",
                "androidapp://com.example.finch https://finch.example.org ute bw-4",
                "https://tit.example.org/?a=1,b:2 ute bw-5",
                "https://www.dove.example.org/login ute bw-6",
                "https://nas.example.org:5001 ute bw-7",
            ]
        )
        #expect(read.notes.isEmpty)
        #expect(read.remarks == ["Addresses without a scheme are taken as https: rows 3-4, 7-8."])
        let places = EntryPlacing(read).entries.map(\.place)
        #expect(
            places == [
                "owl.example.org", "crow.example.org", "jay.example.org", "finch.example.org",
                "tit.example.org", "www.dove.example.org", "nas.example.org",
            ]
        )
    }

    @Test
    func `Firefox's logins of two forms are two, each with its own dates`() throws {
        let read = try read("firefox-dates.csv")
        #expect(read.format == "firefox" && read.count == 3)
        #expect(notes(read) == ["4 row"])
        #expect(read.entries.map(\.secretText) == ["old-1", "new-2"])
        #expect(read.entries.map(\.changed) == [1_500_000_000_000, 1_760_000_000_000])
        #expect(
            read.entries.map(\.form) == [
                "https://swift.example.org", "https://login.swift.example.org",
            ]
        )
        #expect(EntryPlacing(read).entries.map(\.itemClass) == ["inet", "genp"])
    }

    @Test
    func `1Password's hosts without a scheme are sites, and what has no place is named`() throws {
        let read = try read("onepassword.csv")
        #expect(read.format == "1password")
        #expect(
            shown(read.entries) == [
                "https://www.kea.example.org bo 1p-1", "https://192.168.7.1/admin admin 1p-2",
                "https://kea-mail.example.org/login bo 1p-3",
            ]
        )
        #expect(read.entries.map(\.note) == ["n", "", "n2"])
        #expect(read.entries.map(\.tags) == [[], [], ["work", "mail"]])
        #expect(read.entries.map(\.isFavorite) == [false, false, true])
        #expect(read.entries[2].oneTimeText?.contains("NBSWY3DP") == true)
        #expect(notes(read) == ["3 not_held the mark of an archived entry"])
    }

    @Test
    func `semicolons separate columns too`() throws {
        let read = try read("semicolon.csv")
        #expect(read.format == "chrome" && read.table?.separator == "semicolon")
        #expect(shown(read.entries) == ["https://pipit3.example.org bo bf-3"])
    }

    // MARK: Files that browsers wrote

    @Test(arguments: [
        ("chromium-156", "chrome", 16), ("chromium-after-firefox-import", "chrome", 13),
        ("chromium-after-own-import", "chrome", 15), ("firefox-esr-153", "firefox", 16),
        ("firefox-after-chromium-import", "firefox", 14),
        ("keepassxc-after-chromium-import-defaults", "keepassxc", 17),
    ])
    func `every row of a program's file is an entry, and each gets an item of its own`(
        name: String,
        format: String,
        rowCount: Int
    ) throws {
        let read = try read("browsers/\(name).csv")
        #expect(read.format == format && read.count == rowCount)
        #expect(!read.notes.hasLoss)
        #expect(read.entries.count == rowCount)
        let placing = EntryPlacing(read)
        #expect(placing.entries.count + placing.repeated.count == read.entries.count)
        let keys = placing.entries.map {
            [$0.itemClass ?? "", $0.place, $0.userName, $0.realm ?? ""]
        }
        #expect(Set(keys).count == keys.count || format == "chrome")
    }

    @Test
    func `Firefox's realms, forms and dates are distinguished`() throws {
        let read = try read("browsers/firefox-esr-153.csv")
        let twice = read.entries.filter { $0.addresses.first?.text == "https://twice.example" }
        #expect(twice.map(\.realm) == [nil, nil, "Staff"])
        #expect(twice.map(\.form) == ["https://twice.example", "https://sso.example", nil])
        #expect(twice.map(\.secretText) == ["form-pw", "sso-pw", "basic-pw"])
        let router = read.entries.filter { $0.realm?.contains("Router") == true }
        #expect(router.map(\.realm) == ["Router \"Admin\", floor 2"])
        #expect(read.entries.contains { $0.realm == "" })
        #expect(read.entries.allSatisfy { $0.created != nil && $0.changed != nil })
        #expect(
            read.remarks == [
                "The column \"guid\" holds nothing of yours and is not taken; it is filled in"
                    + " rows 2-17.",
                "The column \"timeLastUsed\" holds nothing of yours and is not taken; it is"
                    + " filled in rows 2-17.",
            ]
        )
    }

    @Test
    func `an entry whose title is its address is filed under it`() throws {
        let entries = try placed("browsers/keepassxc-after-chromium-import-defaults.csv")
        let bank = try #require(entries.first { $0.place == "bank.example" })
        #expect(bank.itemClass == "inet" && bank.userName == "robin.f")
        #expect(entries.contains { $0.place == "127.0.0.1" && $0.attribute("port") == 18_080 })
    }
}

extension Entry {
    /// The first one-time code.
    fileprivate var oneTimeText: String? { fields.first { $0.kind == "otp" }?.text }

    fileprivate func attribute(_ name: String) -> Int64? {
        attributes.first { $0.name == name }?.integer
    }
}
