package import KSWire

extension SyncAnswer {
    /// The newest entries of the circle, in order.
    package static func circle(_ message: WireCircleResponse) throws(WireError) -> SyncAnswer {
        .circle(try message.entries.map { entry throws(WireError) in try entry.value() })
    }
}
