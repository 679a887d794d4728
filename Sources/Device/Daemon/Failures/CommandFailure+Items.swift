package import KSKeychain

extension CommandFailure {
    package init(_ error: ItemStoreError) {
        switch error {
        case .unavailable where error.isBusy:
            self.init(code: .databaseFailed, exit: .tryAgain, sentence: error.message)
        default: self.init(code: MessageCode(error), sentence: error.message)
        }
    }
}

extension MessageCode {
    /// The code of an error whose sentence the keychain has: `keychain` shows it too.
    fileprivate init(_ error: ItemStoreError) {
        self =
            switch error {
            case .diskFull: .diskFull
            case .readOnly: .fileReadOnly
            case .inputOutput: .diskFailed
            case .fileDamaged: .fileDamaged
            case .unavailable(let code):
                error.isOfDisk ? .keychainUnavailable : code == 0 ? .failed : .databaseFailed
            case .interactionNotAllowed: .itemLocked
            case .missingEntitlement: .accessGroupRefused
            case .passcodeNotSet: .itemNeedsPasscode
            case .decode: .itemDamaged
            case .dataTooLarge: .itemTooLargeForKeychain
            case .newerFormat: .fileNewer
            case .refused: .changeNotRecorded
            case .parameter, .duplicateItem, .itemNotFound, .noSuchAttribute, .noSuchClass,
                .restricted, .unimplemented, .internalFailure:
                .itemCallFailed
            }
    }
}
