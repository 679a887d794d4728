// Git's file of `credential-store`, ~/.git-credentials: a URL in each line.
//
// Git takes the first line that fits, so the order of the lines is the order of the entries.

extension EntryFormat {
    static let gitCredentials = EntryFormat(
        name: GitCredentials.name,
        isFormat: { GitCredentials.isFile($0.bytes) },
        read: { file throws(MovingError) in try GitCredentials.read(file.bytes) },
        write: nil
    )
}

enum GitCredentials {
    static let name = "git-credentials"
    private static let bytesMax = 8 << 20
    private static let lineBytesMax = 1 << 16

    /// Whether the first line that is not empty is a URL with a user name and a password.
    ///
    /// No table has such a header.
    static func isFile(_ bytes: [UInt8]) -> Bool {
        let rest = bytes.drop { "\r\n".utf8.contains($0) }.prefix(lineBytesMax + 2)
        let line = withoutCarriageReturn(rest.prefix { $0 != UInt8(ascii: "\n") })
        return Line(line) != nil && !line.contains { $0 <= UInt8(ascii: " ") }
    }

    static func read(_ bytes: [UInt8]) throws(MovingError) -> ReadEntries {
        guard bytes.count <= bytesMax else { throw .fileTooLarge(format: name, max: bytesMax) }
        var result = ReadEntries(format: name)
        var notes = NoteList()
        var logins = LoginList()
        var (rest, number) = (bytes[...], 0)
        // One line after the other: a list of all would take more memory than the file.
        while !rest.isEmpty {
            number += 1
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            // Git ignores lines that end with a carriage return; here they count.
            let text = withoutCarriageReturn(line)
            guard !text.isEmpty else { continue }
            guard result.count < EntryFormat.entriesMax else {
                throw .tooManyEntries(max: EntryFormat.entriesMax)
            }
            guard let line = Line(text) else {
                result.count += 1
                notes.begin(result.count, "")
                notes.add(.row, "", "line \(number) is no URL with user name and password")
                continue
            }
            notes.begin(result.count + 1, line.title)
            let entry = line.entry(&notes)
            guard try logins.add(entry) != nil else { continue }
            result.count += 1
            result.numbers.append(result.count)
        }
        result.entries = logins.entries
        result.notes = notes.notes
        return result
    }

    private static func withoutCarriageReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// A line, taken apart as git's `credential_from_url` does.
    private struct Line {
        private let scheme: ArraySlice<UInt8>
        private let user: ArraySlice<UInt8>
        private let password: ArraySlice<UInt8>
        private let host: [UInt8]
        private let path: ArraySlice<UInt8>

        /// Nil without a user name or a password, which git does not take either.
        init?(_ line: ArraySlice<UInt8>) {
            guard line.count <= GitCredentials.lineBytesMax,
                let end = line.firstRange(of: Array("://".utf8)), end.lowerBound > line.startIndex
            else { return nil }
            scheme = line[..<end.lowerBound]
            guard scheme.allSatisfy(Self.isOfScheme) else { return nil }
            let rest = line[end.upperBound...]
            let slash = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
            guard let at = rest.firstIndex(of: UInt8(ascii: "@")), at < slash,
                let colon = rest[..<at].firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            user = rest[..<colon]
            password = rest[rest.index(after: colon)..<at]
            // The colon of a port is written as %3a.
            host = PercentText.decode(rest[rest.index(after: at)..<slash])
            path = rest[slash...]
        }

        private static func isOfScheme(_ byte: UInt8) -> Bool {
            byte.isDigit || "+-.".utf8.contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }

        var title: String {
            host.isEmpty
                ? String(decoding: path, as: UTF8.self) : String(decoding: host, as: UTF8.self)
        }

        func entry(_ notes: inout NoteList) -> Entry {
            var entry = Entry()
            entry.title = title
            let address = Array(scheme) + Array("://".utf8) + host + Array(path)
            entry.addresses = [.init(String(decoding: address, as: UTF8.self))]
            if let name = String(validating: PercentText.decode(user), as: UTF8.self) {
                entry.userName = name
            } else {
                entry.userName = String(decoding: user, as: UTF8.self)
                notes.add(.otherForm, "the user name", "is no text, and is kept as it is written")
            }
            entry.secret = PercentText.decode(password)
            return entry
        }
    }
}
