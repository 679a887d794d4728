internal import Foundation
internal import KSFiles
internal import KSRPC

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

    package init(path: String? = nil) { self.path = path }

    package func read() throws(CommandFailure) -> DeviceSettings {
        guard let path, FileManager.default.fileExists(atPath: path) else {
            return DeviceSettings()
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Self.damaged("It is no file, or belongs to another user.")
        }
        let settings: DeviceSettings
        do {
            settings = try RPCJSON.file([UInt8](data), as: DeviceSettings.self)
        } catch {
            throw Self.damaged(error.sentence)
        }
        let range = 1...DeviceSettings.lockAfterMinutesMax
        guard settings.lockAfterMinutes.map(range.contains) != false else {
            throw Self.damaged("lockAfterMinutes: this should be 1 to \(range.upperBound).")
        }
        return settings
    }

    private static func damaged(_ fault: String) -> CommandFailure {
        .diskTrouble(
            "The file settings.json in the home directory cannot be read: correct or remove it."
                + " \(fault)"
        )
    }

    package func write(_ settings: DeviceSettings) throws(CommandFailure) {
        guard let path else { return }
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let bytes = [UInt8](try encoder.encode(settings))
            try ReplacementFile.write(bytes, to: path)
        } catch {
            throw CommandFailure(code: .settingsUnwritable)
        }
    }
}
