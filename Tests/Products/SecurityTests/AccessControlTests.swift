import Foundation
import Security
import Testing

/// Compatible and contradictory flags.
struct AccessControlTests {
    @Test(
        arguments: [
            [.userPresence, .applicationPassword], [.userPresence, .privateKeyUsage],
            [.userPresence, .applicationPassword, .privateKeyUsage],
            [.biometryCurrentSet, .and, .devicePasscode], [.biometryAny, .or, .devicePasscode],
            [.applicationPassword], [],
        ] as [SecAccessControlCreateFlags]
    )
    func `compatible flags make an access control`(flags: SecAccessControlCreateFlags) {
        var error: Unmanaged<CFError>?
        let made = unsafe SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenUnlocked,
            flags,
            &error
        )
        #expect(made != nil)
        #expect(unsafe error == nil)
    }

    @Test(
        arguments: [
            [.userPresence, .biometryAny], [.userPresence, .or, .applicationPassword],
            [.biometryCurrentSet, .and, .or, .devicePasscode],
        ] as [SecAccessControlCreateFlags]
    )
    func `contradictory flags make no access control`(flags: SecAccessControlCreateFlags) {
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
        #expect(made == nil)
    }
}
