internal import Foundation

extension NSData {
    /// Its bytes, copied at once: on Linux `self as Data` copies them one by one.
    var copiedBytes: [UInt8] {
        let count = length
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            if let start = buffer.baseAddress { unsafe getBytes(start, length: count) }
            initializedCount = count
        }
    }
}
