internal import KSBytes

/// A number of items and values, as every command counts what it has not sent.
package func countedEntries(_ count: Int) -> String {
    counted(count, "item or value", "items and values")
}
