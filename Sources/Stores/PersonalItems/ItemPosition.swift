/// Where an extra stands among its like: bytes that are compared as text is.
///
/// Between two positions there is always a third, so moving one field writes one position, and two
/// devices that add a field at the same time agree on an order.
enum ItemPosition {
    private static let middle: UInt8 = 0x80

    /// A position after one and before another; nil stands for the start or the end.
    static func between(_ lower: [UInt8]?, _ upper: [UInt8]?) -> [UInt8] {
        var result: [UInt8] = []
        let lower = lower ?? []
        var upper = upper
        while true {
            let low = result.count < lower.count ? Int(lower[result.count]) : 0
            let high = upper.map { result.count < $0.count ? Int($0[result.count]) : 0 } ?? 256
            if high - low > 1 {
                // At the end one step is enough: most fields are added there.
                let step = upper == nil && !lower.isEmpty ? 1 : (high - low) / 2
                return result + [UInt8(low + step)]
            }
            result.append(UInt8(low))
            if low < high { upper = nil }
            // Positions of another program may leave no room: the names decide then.
            if let upper, result.count >= max(lower.count, upper.count) { return result + [middle] }
        }
    }
}
