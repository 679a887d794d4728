/// A number with its noun, such as `1 key` or `2 keys`.
package func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// A number of items and values, as every command counts what it has not sent.
package func countedEntries(_ count: Int) -> String {
    count == 1 ? "1 item or value" : "\(count) items and values"
}
