/// Counts the contents of a page of changes.
package struct PageFill: Sendable {
    private let recordsMax: Int
    private let bytesMax: Int
    private var recordCount = 0
    private var byteCount = 0

    package init(recordsMax: Int, bytesMax: Int) {
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
    }

    /// Whether the next record fits on the page.
    ///
    /// The first one always does, however large, or nobody could pull past it.
    package mutating func takes(_ byteCount: Int) -> Bool {
        self.byteCount += byteCount
        guard recordCount == 0 || (recordCount < recordsMax && self.byteCount <= bytesMax) else {
            return false
        }
        recordCount += 1
        return true
    }
}
