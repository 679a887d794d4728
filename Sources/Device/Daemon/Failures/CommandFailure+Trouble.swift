internal import KSKeychain
package import KSSyncEngine

extension CommandFailure {
    /// A step of sync that could not use what this device keeps.
    ///
    /// Only an error of the disk is called one.
    package init(_ trouble: StepTrouble) {
        let failure = CommandFailure(trouble.error)
        switch failure.exit {
        case .diskTrouble where failure == .diskFull: self.init(code: .diskFullSync)
        case .diskTrouble, .tryAgain: self = failure
        case .other, .usage, .refused, .serverOutOfReach, .notFound:
            self.init(code: .databaseUnusable, ["kind": trouble.kind])
        }
    }

    private static let diskFull = CommandFailure(ItemStoreError.diskFull)
}
