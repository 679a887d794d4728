import Dispatch
import Foundation
import UbiquitousKeyValueStore

/// A program whose main function ends in a main loop: prints what Apple's class reports to it.
@main
enum MainLoopProgram {
    static func main() {
        let store = NSUbiquitousKeyValueStore.default
        // It observes as long as the program runs.
        _ = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: .main
        ) { post in
            let reason = post.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int
            let keys = post.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
            // As programs do it: on another thread this ends the program.
            MainActor.assumeIsolated { show(reason, keys, in: store) }
        }
        guard store.synchronize() else { exit(75) }
        say("observing")
        switch CommandLine.arguments.dropFirst().first {
        case "run-loop": RunLoop.main.run()
        case "accounts":
            sayAccounts()
            RunLoop.main.run()
        case "dispatch": dispatchMain()
        default: exit(64)
        }
    }

    @MainActor
    private static func show(
        _ reason: Int?,
        _ keys: [String]?,
        in store: NSUbiquitousKeyValueStore
    ) {
        for key in keys ?? [] {
            say("\(reason ?? -1) \(key) \(store.string(forKey: key) ?? "none")")
        }
    }

    /// Prints which account the device belongs to, now and after each change.
    private static func sayAccounts() {
        sayAccount()
        _ = NotificationCenter.default.addObserver(
            forName: .NSUbiquityIdentityDidChange,
            object: nil,
            queue: .main
        ) { _ in sayAccount() }
    }

    private static func sayAccount() {
        let token = FileManager.default.ubiquityIdentityToken as? NSData
        say("account " + (token.map { ($0 as Data).base64EncodedString() } ?? "none"))
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
