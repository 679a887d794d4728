import Foundation
import Simulation
import Testing

/// Three devices add a favorite each, while none reaches the server.
struct FavoritesStory {
    private let story: Story
    private let devices: [Story.Device]

    init() throws {
        let story = try Story(devices: ["laptop", "phone", "tablet"], keepsRecord: true)
        self.story = story
        devices = try story.deviceNames.map { try story[$0] }
    }

    private func addWhileTheServerIsAway(_ add: [(String) throws -> Void]) throws {
        try add[0]("tea")
        try story.sync()
        story.server.goAway()
        try add[0]("bread")
        try add[1]("milk")
        try add[2]("salt")
        try story.server.comeBack()
        try story.sync()
    }

    @Test
    func `the app with the bug loses two of three`() throws {
        let apps = devices.map { Favorites(store: $0.ubiquitousStore) }
        try addWhileTheServerIsAway(apps.map { app in { app.add($0) } })
        withKnownIssue {
            for app in apps { #expect(app.names == ["bread", "milk", "salt", "tea"]) }
        }
        // The last one to write has won everywhere.
        #expect(apps.map(\.names) == Array(repeating: ["salt", "tea"], count: 3))
        try comparePicture()
    }

    @Test
    func `the app with a set keeps all`() throws {
        let apps = devices.map { MergedFavorites(store: $0.keyValueStore()) }
        try addWhileTheServerIsAway(apps.map { app in { try app.add($0) } })
        for app in apps { #expect(app.names == ["bread", "milk", "salt", "tea"]) }
    }

    /// Compares the picture with the one beside this file, or draws that again.
    private func comparePicture() throws {
        let picture = try #require(try story.picture(title: "Favorites, with the bug")).svg
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "story.svg")
        if ProcessInfo.processInfo.environment["DRAW_PICTURES"] == "1" {
            try picture.write(to: file, atomically: false, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == picture)
    }
}
