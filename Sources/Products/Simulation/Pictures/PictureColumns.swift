/// Where the lanes of a picture stand: the servers in the middle, devices on both sides, and the
/// texts of a device on the side that is away from the servers.
struct PictureColumns {
    /// How many letters stand in a line beside a lane.
    static let columnsMax = 30
    static let textWidth = Double(columnsMax) * PictureText.letterWidth + 16
    private static let timeWidth = 84.0
    private static let gap = 24.0
    private static let innerGap = 150.0
    /// Also of the text in the lane of a server.
    static let serverTextWidth = 210.0

    let width: Double
    private let devices: [Double]
    private let servers: [Double]
    /// Devices with a lower index are on the left.
    private let leftCount: Int
    let timeX = PictureColumns.timeWidth - 12

    init(deviceCount: Int, serverCount: Int) {
        leftCount = (deviceCount + 1) / 2
        var x = Self.timeWidth + 16
        var devices: [Double] = []
        for _ in 0..<leftCount {
            x += Self.textWidth
            devices.append(x)
            x += Self.gap
        }
        x += Self.innerGap
        var servers: [Double] = []
        for index in 0..<max(1, serverCount) {
            if index > 0 { x += Self.serverTextWidth + Self.gap }
            servers.append(x)
        }
        x += Self.innerGap
        for _ in leftCount..<max(leftCount, deviceCount) {
            x += Self.gap
            devices.append(x)
            x += Self.textWidth
        }
        // A picture of one device has no lane on the right.
        width = x + Self.gap
        (self.devices, self.servers) = (devices, servers)
    }

    func x(of party: StoryRecord.Party) -> Double {
        switch party {
        case .device(let index): devices.indices.contains(index) ? devices[index] : servers[0]
        case .server(let index): servers.indices.contains(index) ? servers[index] : servers[0]
        }
    }

    /// Where a text of this party begins.
    func textX(of party: StoryRecord.Party) -> Double {
        switch party {
        case .device(let index):
            index < leftCount ? x(of: party) - 10 - Self.textWidth : x(of: party) + 10
        case .server: x(of: party) - Self.serverTextWidth / 2
        }
    }

    func textWidth(of party: StoryRecord.Party) -> Double {
        switch party {
        case .device: Self.textWidth
        case .server: Self.serverTextWidth
        }
    }
}
