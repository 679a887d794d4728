package import KSResolution

/// A register: one value, last writer wins.
///
/// The value is the record's secret, so the values that it replaced are in the record's history.
package struct Register: Equatable, Sendable {
    /// The value of the highest stamp; nil if the entry does not exist.
    package let value: [UInt8]?
    /// Concurrent values that are not shown, newest first.
    package let conflicts: [StampedValue]

    package init(_ state: RecordState) {
        guard state.isAlive else {
            (value, conflicts) = (nil, [])
            return
        }
        value = state.shownSecret
        conflicts = state.conflictingSecrets
    }

    /// Sets the value, even to the same one: this settles conflicts.
    package static func set(_ value: [UInt8]) -> EntryEdit {
        EntryEdit(values: [.secret: value])
    }
}

/// A register that shows the largest or the smallest of all concurrent numbers.
package struct ExtremeRegister: Equatable, Sendable {
    /// Whether the first of two numbers is smaller; equal numbers may have different bytes.
    package typealias IsSmaller = (_ left: [UInt8], _ right: [UInt8]) -> Bool

    /// Nil if the entry does not exist.
    package let value: [UInt8]?

    /// - Parameters:
    ///   - state: the record's state.
    ///   - type: ``MergeType/maximum`` or ``MergeType/minimum``.
    ///   - isSmaller: the order of the numbers.
    package init(_ state: RecordState, _ type: MergeType, by isSmaller: IsSmaller) {
        precondition(type.family == .register, "a register")
        guard state.isAlive else {
            value = nil
            return
        }
        value = state.candidates(for: .secret).compactMap(\.value).max { left, right in
            if type == .maximum ? isSmaller(left, right) : isSmaller(right, left) { return true }
            if type == .maximum ? isSmaller(right, left) : isSmaller(left, right) { return false }
            // Equal numbers: by their bytes, so that all devices show the same.
            return left.lexicographicallyPrecedes(right)
        }
    }

    /// Raises a maximum, or lowers a minimum.
    ///
    /// - Parameters:
    ///   - number: the number that the user set.
    ///   - type: ``MergeType/maximum`` or ``MergeType/minimum``.
    ///   - isSmaller: the order of the numbers.
    /// - Returns: an empty edit if the register shows a number as extreme already.
    package func extended(
        to number: [UInt8],
        _ type: MergeType,
        by isSmaller: IsSmaller
    ) -> EntryEdit {
        if let value {
            let extends = type == .maximum ? isSmaller(value, number) : isSmaller(number, value)
            guard extends else { return EntryEdit() }
        }
        return Register.set(number)
    }
}
