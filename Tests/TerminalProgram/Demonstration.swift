internal import Foundation
internal import KSPicking
internal import KSScreens

/// A picker over made-up items; its actions only say what they would do.
enum Demonstration {
    static func run(count: Int) {
        let places = ["bank", "shop", "forum", "mail", "cloud", "école", "日本"]
        var entries = (0..<count).map { index in
            PickEntry(
                id: "\(index)",
                title: "\(places[index % places.count]) \(index)",
                subtitle: "ada\(index / 7)@example.org",
                site: "www\(index).example.org",
                isFavorite: index % 10 == 3,
                hasCode: index % 5 == 1
            )
        }
        let actions = PickActions(
            loadDetails: { .success([.details(id: $0, fields(of: $0))]) },
            reveal: { .success([.revealed(id: $0, field: $1, text: "geheim-\($0)")]) },
            copy: { id, field in
                let name = field.map { fields(of: id)[$0].name } ?? "password"
                return .success([.done("Copied the \(name) of \(id); cleared in 45 s.")])
            },
            edit: { id in
                print("editing \(id)")
                guard let index = entries.firstIndex(where: { $0.id == id }) else {
                    return .failure(PickFailure("There is no such item any more."))
                }
                entries[index] = PickEntry(id: id, title: "edited \(id)")
                return .success([.entries(entries), .done("Changed \(id).")])
            },
            generate: { _ in .failure(PickFailure("The keychain is locked: unlock it first.")) }
        )
        do {
            try PickScreen.run(
                entries: entries,
                environment: ProcessInfo.processInfo.environment,
                match: { query in matches(query, in: entries) },
                actions: actions
            )
        } catch {
            print((error as? ScreenError)?.sentence ?? "\(error)")
            exit(2)
        }
    }

    private static func fields(of id: String) -> [PickField] {
        let now = Int(Date().timeIntervalSince1970)
        let end = (now / 30 + 1) * 30
        return [
            PickField("user", .text("ada@example.org")), PickField("password", .secret),
            PickField(
                "code",
                .code("\(100_000 + end % 900_000)", periodSeconds: 30, endsAtSeconds: end)
            ),
            PickField("notes", .text("first line of item \(id)\nsecond line\nthird line")),
        ]
    }

    /// Finds the text as it is, in the titles and then in the sites.
    private static func matches(_ query: String, in entries: [PickEntry]) -> [PickMatch] {
        let wanted = Array(query.lowercased().utf8)
        return entries.compactMap { entry in
            if wanted.isEmpty { return PickMatch(id: entry.id) }
            if let range = range(of: wanted, in: entry.title) {
                return PickMatch(id: entry.id, titleRanges: [range])
            }
            return range(of: wanted, in: entry.site).map { range in
                PickMatch(id: entry.id, siteRanges: [range])
            }
        }
    }

    private static func range(of wanted: [UInt8], in text: String) -> Range<Int>? {
        let lower = text.lowercased()
        guard let found = lower.utf8.firstRange(of: wanted) else { return nil }
        let start = lower[..<found.lowerBound].count
        return start..<(start + lower[found].count)
    }
}
