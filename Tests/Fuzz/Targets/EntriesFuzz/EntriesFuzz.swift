internal import FuzzInput
internal import KSMoving

/// A file of entries that a user imports or converts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    // A password only where trying it costs nothing.
    let text = String(decoding: bytes, as: UTF8.self)
    let isCheap = text.contains("\"kdfIterations\":1,") && !text.contains("kdfMemory")
    let file = SourceFile(bytes, password: isCheap ? [1] : nil)
    // Most input is no file of a known program, and is refused.
    guard let read = try? EntryFormat.readFile(file) else { return 0 }
    // A passkey of a login is an entry of its own with the login's number.
    let numbers = Set(read.numbers)
    precondition(numbers.count + read.leftOutCount == read.count, "an entry got lost")
    let placing = EntryPlacing(read)
    precondition(placing.entries.count <= read.entries.count, "an entry came from nowhere")
    // What was read is written, and our own file gives it back as it was.
    // Deriving keys for those that are encrypted takes too long here.
    for format in EntryFormat.all where !format.isEncrypted {
        // An entry that a format refuses is no fault.
        _ = try? format.write?(placing.entries, TargetFile(time: 0))
    }
    let write = EntryFormat.named("keychain-sync")?.write
    // Our own format refuses nothing.
    guard let own = try? write?(placing.entries, TargetFile(time: 0)) else { return 0 }
    // Nil is a fault, which the next line reports.
    let again = try? EntryFormat.readFile(SourceFile(own.files[0]))
    precondition(again?.entries.count == placing.entries.count, "our own file lost an entry")
    return 0
}
