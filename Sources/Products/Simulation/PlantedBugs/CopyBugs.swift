internal import KSKeyValues

// Devices that are copied, and devices that return to their account.

extension PlantedBug {
    package static let takesBatchApartUnasked = PlantedBug(
        "takesBatchApartUnasked",
        "A copied device takes its batch apart without asking for the answer",
        breaks: .nothingComesBack,
        in: .copies
    )
    package static let repeatsIncrements = PlantedBug(
        "repeatsIncrements",
        "A copied device makes the increments again that it has to send",
        breaks: .writesCountOnce,
        in: .copiedKeyValues
    )
    package static let takesBackIncrements = PlantedBug(
        "takesBackIncrements",
        "A copied device takes the increments back that it has to send",
        breaks: .nothingIsLost,
        in: .copiedKeyValues
    )
    package static let returnsAsStranger = PlantedBug(
        "returnsAsStranger",
        "A device that returns to its account adds its items as new ones",
        breaks: .nothingComesBack,
        in: .returns
    )
    static let dropsEditsAtReturn = PlantedBug(
        "dropsEditsAtReturn",
        "A device that returns to its account drops what was changed meanwhile",
        breaks: .nothingIsLost,
        in: .returns
    )

    static let ofCopies = [
        takesBatchApartUnasked, repeatsIncrements, takesBackIncrements, returnsAsStranger,
        dropsEditsAtReturn,
    ]
}

extension World {
    /// The planted bugs of a device that is a copy now.
    func spoilIncrements(on device: SimulatedDevice) throws {
        for (key, part) in copies.keyValues[device.index] ?? [:] {
            try spoilIncrements(part.edit, of: key, on: device)
        }
    }

    func spoilIncrements(
        _ numbers: [Int],
        of key: String,
        on device: SimulatedDevice
    ) throws {
        let sign: Int64
        switch settings.bug {
        case .repeatsIncrements: sign = 1
        case .takesBackIncrements: sign = -1
        default: return
        }
        guard !device.isLocked else { return }
        for number in numbers where key != Self.clashKey {
            guard let increment = keyValueOracle.increment(of: number) else { continue }
            let write = EntryWrite.increment(by: sign * increment)
            let inMap = EntryWrite.incrementField("count", by: sign * increment)
            try device.write([key == MergeType.map.name ? inMap : write], key: key)
        }
    }
}
