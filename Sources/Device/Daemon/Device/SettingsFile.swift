internal import KSFiles
internal import Foundation

/// What the user has set for one home.
package struct DeviceSettings: Codable, Equatable, Sendable {
    /// Nil if the device never locks itself.
    package var lockAfterMinutes: Int?

    package init(lockAfterMinutes: Int? = nil) { self.lockAfterMinutes = lockAfterMinutes }

    package static let lockAfterMinutesMax = 60 * 24 * 7
}

/// The home's `settings.json`.
package struct SettingsFile: Sendable {
    /// Nil stores nothing, for tests.
    package let path: String?

    package init(path: String? = nil) {
        self.path = path
    }

    private static let damaged = CommandFailure.diskTrouble(
        "The file settings.json in the home directory cannot be read: correct or remove it."
    )

    package func read() throws(CommandFailure) -> DeviceSettings {
        guard let path, FileManager.default.fileExists(atPath: path) else {
            return DeviceSettings()
        }
        do {
            let data = try Data(contentsOf: URL(filePath: path))
            let settings = try JSONDecoder().decode(DeviceSettings.self, from: data)
            if let minutes = settings.lockAfterMinutes,
                !(1...DeviceSettings.lockAfterMinutesMax).contains(minutes)
            {
                throw Self.damaged
            }
            return settings
        } catch {
            throw Self.damaged
        }
    }

    package func write(_ settings: DeviceSettings) throws(CommandFailure) {
        guard let path else { return }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let bytes = [UInt8](try encoder.encode(settings))
            try ReplacementFile.write(bytes, to: path)
        } catch {
            throw CommandFailure.diskTrouble(
                "The file settings.json in the home directory cannot be written: free some space."
            )
        }
    }
}
