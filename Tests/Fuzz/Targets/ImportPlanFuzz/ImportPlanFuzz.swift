internal import FuzzInput
internal import KSImporting

/// A file that a user imports.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe input(start, count)
    // Most input is no table, and is refused; a table has to account for every row.
    guard let plan = try? ImportPlan(bytes: bytes, format: nil) else { return 0 }
    let itemRowCount = Set(plan.items.flatMap(\.rows)).count
    precondition(itemRowCount + plan.refusedRowCount == plan.rowCount, "a row got lost")
    return 0
}
