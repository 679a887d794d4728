// swift-format-ignore-file: NoLeadingUnderscores
public import Foundation

/// A CFString finds in a dictionary keyed by AnyHashable what a String put there, and the other way
/// round, as on Apple's systems; Foundation for Linux leaves that out.
extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// The string by its value.
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(self as String) }
}
