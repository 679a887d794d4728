internal import KSKeychain
package import KSSyncEngine

extension CommandFailure {
    /// A step of sync that could not use what this device keeps.
    ///
    /// Only an error of the disk is called one.
    package init(_ trouble: StepTrouble) {
        let failure = CommandFailure(trouble.error)
        switch failure.exit {
        case .diskTrouble where failure == .diskFull:
            self = .diskTrouble(
                "The disk is full, so the keychain's file could not be written: nothing is lost;"
                    + " free some space and sync again."
            )
        case .diskTrouble, .tryAgain: self = failure
        case .other, .usage, .refused, .serverOutOfReach, .notFound:
            self = .other(
                "Sync could not use this device's database (\(trouble.kind)): nothing is lost, and"
                    + " it tries again by itself; if this stays, run sync-client doctor."
            )
        }
    }

    private static let diskFull = CommandFailure(ItemStoreError.diskFull)
}
