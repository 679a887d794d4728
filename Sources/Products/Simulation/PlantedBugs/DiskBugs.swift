// What a machine does with its disk.

extension PlantedBug {
    static let deviceSyncsNoDisk = PlantedBug(
        "deviceSyncsNoDisk",
        "A device does not wait until its writes are on the disk",
        breaks: .nothingIsLost,
        in: .powerFailures
    )
    static let serverSyncsNoDisk = PlantedBug(
        "serverSyncsNoDisk",
        "The server answers before its writes are on the disk",
        breaks: .alarmsAreTrue,
        in: .powerFailures
    )

    static let ofDisks = [deviceSyncsNoDisk, serverSyncsNoDisk]
}
