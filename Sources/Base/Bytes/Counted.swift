/// A number with its noun, such as `1 key`, `2 keys` or, with its own plural, `2 entries`.
package func counted(
    _ count: some BinaryInteger,
    _ noun: String,
    _ several: String? = nil
) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(several ?? noun + "s")"
}
