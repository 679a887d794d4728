/// What a device shows at the end of a story.
package struct DeviceEnd: Equatable, Sendable {
    /// A field of an item, such as `mail password`, or a key, such as `kv theme`.
    package struct Value: Equatable, Sendable {
        package let name: String
        /// As a story's file has it.
        package let shown: String
        /// The values that are not shown, newest first.
        package let conflicts: [String]

        package init(name: String, shown: String, conflicts: [String] = []) {
            (self.name, self.shown, self.conflicts) = (name, shown, conflicts)
        }
    }

    package let name: String
    /// Nil for a device that runs and is unlocked; otherwise it shows nothing.
    package var obstacle: UnsentReason?
    package var values: [Value] = []
    package var unsentCount = 0
    package var pause: PauseReason?

    package init(name: String) { self.name = name }
}

extension Story {
    /// What each device shows.
    func end() throws -> [DeviceEnd] {
        try world.devices.map { device in
            try Device(story: self, device: device).end()
        }
    }
}

extension Story.Device {
    fileprivate func end() throws -> DeviceEnd {
        var end = DeviceEnd(name: name)
        if device.isStopped, !hasLeft { end.obstacle = .killed }
        if device.isLocked { end.obstacle = .locked }
        guard end.obstacle == nil else { return end }
        for item in try items() {
            for field in try fields(of: item) {
                let shown = try value(field, of: item).map { StoryValue($0) }
                let conflicts = try conflicts(field, of: item).map { StoryValue($0.value) }
                end.values.append(Self.value("\(item) \(field)", shown, conflicts))
            }
        }
        for key in try keyValues.keys() {
            let conflicts = try keyValues.conflicts(key)
            end.values.append(Self.value("kv \(key)", try keyValues.value(key), conflicts))
        }
        end.unsentCount = try unsentCount()
        end.pause = try pauseReason()
        return end
    }

    private static func value(
        _ name: String,
        _ shown: StoryValue?,
        _ conflicts: [StoryValue]
    ) -> DeviceEnd.Value {
        DeviceEnd.Value(
            name: name,
            shown: shown?.description ?? "nothing",
            conflicts: conflicts.map(\.description)
        )
    }
}
