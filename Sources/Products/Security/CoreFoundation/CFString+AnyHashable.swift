// swift-format-ignore-file: NoLeadingUnderscores
public import Foundation

/// A CFString and a String of the same text are the same key of a dictionary keyed by AnyHashable,
/// as on Apple systems; Foundation for Linux lacks that.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// The string by its value.
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}
