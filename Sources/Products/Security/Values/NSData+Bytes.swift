internal import Foundation

extension NSData {
    /// Its bytes, copied at once: on Linux `self as Data` copies them one by one.
    var copiedBytes: [UInt8] {
        let count = length
        // All empty arrays share one, which the initializer below would write to.
        guard count > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            if let start = buffer.baseAddress { unsafe getBytes(start, length: count) }
            initializedCount = count
        }
    }
}
