/// A value that shows none of its contents in a log, a message, a debugger or the report of a
/// failed test.
///
/// It is for types that hold secrets in the clear. A value that contains one shows its other parts,
/// and only the name of this one.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The text to show beside the type's name, such as a size.
    var shownPart: String { get }
}

extension Redacted {
    package var shownPart: String { "redacted" }

    package var description: String { "\(Self.self)(\(shownPart))" }

    package var debugDescription: String { description }

    /// Has no children, since `dump` and debuggers print them.
    package var customMirror: Mirror {
        Mirror(self, children: [(label: String?, value: Any)]())
    }
}
