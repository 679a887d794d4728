/// A device in this process, which answers the calls of programs in place of a daemon.
///
/// It has no threads: calls are answered on the thread that makes them, and changes are reported
/// between two steps of the device.
package protocol DeviceStandIn: AnyObject, Sendable {
    /// By the device's clock, since 1970-01-01 00:00 UTC.
    var milliseconds: UInt64 { get }

    /// Answers a call; the name and the arguments are those of ``AgentRequest``.
    func answer(_ call: String, _ arguments: AgentDictionary) throws(AgentError) -> AgentValue

    /// Reports the changes of a store to a program as long as that exists.
    func watch(_ call: WatchKeyValues, by program: any SteppedProgram)

    /// Random bytes that are the same each time that the same happens.
    func randomBytes(_ count: Int) -> [UInt8]
}

/// A program that has no threads either: it goes on when its device lets it.
package protocol SteppedProgram: AnyObject, Sendable {
    /// Takes a report; nil says that everything has to be read again.
    func take(_ report: KeyValueReport?)

    /// Makes the calls that are due, failed ones again, and tells observers what has changed.
    func goOn()

    /// Nobody waits for what was not carried out.
    func giveUp()
}
