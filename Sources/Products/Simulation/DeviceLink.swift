/// What the network of one device does to its messages.
struct DeviceLink {
    /// How long each message takes; nil for what the world's network needs.
    var delayMilliseconds: UInt64?
    /// How often a message is lost, from 0 to 1; nil for as often as in the world's network.
    var lossProbability: Double?
    /// Whether only requests arrive, and nothing that the server sends.
    var losesAnswers = false
}

extension SimulatedDevice {
    /// Whether the server's messages arrive here.
    var isReachable: Bool { isOnline && !link.losesAnswers && !isStopped }
}
