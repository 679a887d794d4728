/// Which keys of the protection classes are available.
package enum LockState: String, Sendable, CaseIterable {
    /// The passcode was not given since the program started: only the two Always classes.
    case beforeFirstUnlock
    case unlocked
    /// All but WhenUnlocked and WhenPasscodeSet.
    case locked
}
