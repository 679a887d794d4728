// The devices that a login removes from its account first.

/// Chooses which devices of an account a login removes first.
///
/// `present`: its devices; `gone`: those that this login has removed.
/// - Throws: what is wrong with the choice; the login ends.
package typealias DeviceChoosing =
    @Sendable (_ present: [AccountDevice], _ gone: [AccountDevice]) throws -> [AccountDevice]

/// The devices that a login has asked the server to remove.
struct Removals {
    private var asked: [AccountDevice] = []
    /// Those that the account does not have any more.
    private(set) var gone: [AccountDevice] = []

    mutating func ask(_ devices: [AccountDevice]) {
        asked += devices.filter { device in !asked.contains { $0.id == device.id } }
    }

    /// The server has taken what was asked.
    mutating func succeed() { gone = asked }

    /// The account has these devices now.
    mutating func see(_ present: [AccountDevice]) {
        gone = asked.filter { device in !present.contains { $0.id == device.id } }
    }
}

/// A login that failed after it had removed devices.
package struct LoginAfterRemoval: Error {
    package let removed: [AccountDevice]
    package let error: any Error
}
