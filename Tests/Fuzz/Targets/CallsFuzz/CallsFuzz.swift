internal import Dispatch
internal import Foundation
internal import FuzzInput
internal import KSAgent
internal import KSDaemon
internal import KSDeviceKeys
internal import Logging

/// A program's calls to a daemon whose device is in memory.
///
/// Each input is a few calls to a new device, so that an input that stops the process can be
/// repeated.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var calls = CallMaker(unsafe input(start, count))
    guard let device = Device() else { fatalError("a device in memory does not open") }
    for _ in 0..<CallMaker.callsMax {
        guard let (call, arguments) = calls.next() else { break }
        device.answer(AgentRequest(id: 1, call: call, arguments: arguments))
    }
    return 0
}

/// A daemon's handler of calls over a database in memory.
private final class Device {
    private let handler: CallHandler
    /// `keychain` itself, which may make every call.
    private let peer = AgentPeer(processID: 1, userID: 0, executable: AgentPeer.ownExecutable)

    /// - Returns: nil if the system has no memory for it.
    init?() {
        let logger = Logger(label: "fuzz", factory: { _ in SwiftLogNoOpLogHandler() })
        let home = FileManager.default.temporaryDirectory.path + "/keychain-sync-fuzz"
        do {
            let files = try DeviceFiles(storage: MemoryKeyFiles())
            let owner = try KeychainOwner(files: files)
            let accounts = AccountKeeper(owner: owner, logger: logger)
            handler = CallHandler(
                home: try AgentHome(argument: home),
                owner: owner,
                accounts: accounts,
                deviceLock: try DeviceLock(
                    owner: owner,
                    accounts: accounts,
                    settings: SettingsFile(path: nil),
                    logger: logger
                ),
                logger: logger
            )
        } catch {
            return nil
        }
    }

    /// Carries out a call, and reads the reply as the socket would send it.
    func answer(_ request: AgentRequest) {
        let reply: AgentReply
        switch handler.answer(request, of: peer) {
        case .now(let now): reply = now
        case .whileOpen(let start):
            // It lasts until its program goes away.
            start { _ in }()
            return
        case .soon(let start): reply = Self.waiting { done in start { done($0) } }
        case .later(let carryOut):
            reply = Self.waiting { done in
                Task { done(await carryOut { _ in }) }
            }
        }
        guard let frame = AgentMessage.reply(id: request.id, reply).frame else { return }
        // An error is what the fuzzer looks for.
        precondition((try? AgentMessage(decoding: Array(frame.dropFirst(4)))) != nil, "unreadable")
    }

    private static func waiting(
        _ start: (@escaping @Sendable (AgentReply) -> Void) -> Void
    ) -> AgentReply {
        let end = DispatchSemaphore(value: 0)
        let box = ReplyBox()
        start { reply in
            box.reply = reply
            end.signal()
        }
        end.wait()
        return box.reply
    }

    private final class ReplyBox: @unchecked Sendable {
        // Safety: it is written before the signal, and read after the wait.
        var reply = AgentReply.result(.null)
    }
}
