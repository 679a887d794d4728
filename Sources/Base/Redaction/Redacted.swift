/// A value that shows nothing of what it holds: not in a log, a message, a debugger or the report
/// of a failed test.
///
/// It is for the types that hold secrets in the clear. What is made of such values shows the rest
/// of itself and, in their place, only that they are there.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// What may be shown beside the type's name, such as a size.
    var shownPart: String { get }
}

extension Redacted {
    package var shownPart: String { "redacted" }

    package var description: String { "\(Self.self)(\(shownPart))" }

    package var debugDescription: String { description }

    /// Without children: what prints a value without a description walks over these.
    package var customMirror: Mirror {
        Mirror(self, children: [(label: String?, value: Any)]())
    }
}
