internal import KSKeychain
package import KSResolution
internal import KSRedaction

/// A value of a history that can be put back: an earlier one, or one that was set concurrently.
package struct EarlierValue: Equatable, Sendable {
    package let name: ValueName
    /// As the record has it.
    package let value: [UInt8]
    package let standing: RecordHistory.Version.Standing
    /// When it was set, milliseconds since 1970 by its author's clock; nil while it is unsent.
    package let milliseconds: UInt64?
    /// The device that set it; nil if it is unknown.
    package let device: String?
}

extension RecordHistory {
    /// All values that can be put back, in the order in which people see them: secrets, attributes,
    /// then the rest.
    package var earlierValues: [EarlierValue] {
        let secrets = versions.filter { $0.standing != .current }.map { version in
            EarlierValue(
                name: .secret,
                value: version.secret,
                standing: version.standing,
                milliseconds: version.milliseconds,
                device: version.device
            )
        }
        let attributes = attributeConflicts.map { conflict in
            EarlierValue(
                name: .field(conflict.name.text),
                value: conflict.value.encoded,
                standing: .conflict,
                milliseconds: conflict.milliseconds,
                device: conflict.device
            )
        }
        let others = otherVersions.map { version in
            EarlierValue(
                name: version.name,
                value: version.value,
                standing: version.standing,
                milliseconds: version.milliseconds,
                device: version.device
            )
        }
        return secrets + attributes + others
    }
}

extension EarlierValue: Redacted {
    package var shownPart: String { "\(standing), \(value.count) bytes" }
}
