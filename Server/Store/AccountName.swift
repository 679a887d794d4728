internal import Foundation
package import KSMerging
internal import KSRecords
internal import KSWire

/// Equivalent spellings of an account name.
package enum AccountName {
    /// The form for look-ups: compatibility-composed, lower case, without surrounding spaces.
    ///
    /// - Throws: `malformed` for a name that is empty or holds control characters, `too_large` for
    ///   one over ``Limits/accountNameBytesMax``.
    package static func lookUpForm(of name: String) throws(StoreError) -> String {
        guard name.utf8.count <= Limits.accountNameBytesMax else { throw .refused(.tooLarge) }
        let form = name.precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping
            .trimmingCharacters(in: .whitespaces)
        let isPrintable = form.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
            default: true
            }
        }
        guard !form.isEmpty, isPrintable else { throw .refused(.malformed) }
        return form
    }
}
