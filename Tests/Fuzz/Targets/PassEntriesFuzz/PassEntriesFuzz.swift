internal import FuzzInput
internal import KSMoving

/// A decrypted file of a `pass` folder: its path up to the first zero byte, then its contents.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    var entries = PassEntries()
    entries.add(
        String(decoding: parts[0], as: UTF8.self),
        parts.count > 1 ? Array(parts[1]) : []
    )
    let read = entries.result
    precondition(read.entries.count == 1 && read.leftOutCount == 0, "an entry got lost")
    _ = EntryPlacing(read)
    return 0
}
