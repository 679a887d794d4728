import Foundation
import Security
import Testing

/// Which flags go together.
struct AccessControlTests {
    @Test(
        arguments: [
            [.userPresence, .applicationPassword], [.userPresence, .privateKeyUsage],
            [.userPresence, .applicationPassword, .privateKeyUsage],
            [.biometryCurrentSet, .and, .devicePasscode], [.biometryAny, .or, .devicePasscode],
            [.applicationPassword], [],
        ] as [SecAccessControlCreateFlags]
    )
    func `flags that go together make an access control`(flags: SecAccessControlCreateFlags) {
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
    func `one flag too many makes none`(flags: SecAccessControlCreateFlags) {
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
        #expect(made == nil)
    }
}
