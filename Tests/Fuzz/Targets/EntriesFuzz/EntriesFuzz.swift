internal import FuzzInput
internal import KSMoving

/// A file of entries that a user imports or converts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    // Most input is no file of a known program, and is refused.
    guard let read = try? EntryFormat.readFile(bytes) else { return 0 }
    // A row of a table may be several entries, or a part of one.
    guard EntryFormat.isJSON(bytes) else { return 0 }
    precondition(read.entries.count + read.leftOutCount == read.count, "an entry got lost")
    let placing = EntryPlacing(read)
    precondition(placing.entries.count <= read.entries.count, "an entry came from nowhere")
    // What was read is written, and our own file gives it back as it was.
    for format in EntryFormat.all { _ = format.write?(placing.entries, 0) }
    guard let own = EntryFormat.named("keychain-sync")?.write?(placing.entries, 0) else { return 0 }
    // Nil is a fault, which the next line reports.
    let again = try? EntryFormat.readFile(own.files[0])
    precondition(again?.entries.count == placing.entries.count, "our own file lost an entry")
    return 0
}
