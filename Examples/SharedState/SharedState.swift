import Foundation
import KeyValueStore

/// A counter, a to-do list and settings that all devices of an account share.
///
/// Each value has the merge type that fits it, so devices may change it at the same time and while
/// they are offline: visits add up, both new tasks are in the list, and of a setting the last write
/// is shown.
@main
struct SharedState {
    static let usage = """
        usage: shared-state show
               shared-state visit
               shared-state add TASK
               shared-state done TASK
               shared-state set NAME VALUE
               shared-state watch
        """

    let store = KeyValueStore.default

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            guard try await SharedState().run(arguments) else {
                print(usage)
                exit(64)
            }
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    /// - Returns: false for arguments that are no command.
    func run(_ arguments: [String]) async throws -> Bool {
        let tasks = store.list(of: String.self, "tasks")
        switch (arguments.first, arguments.count) {
        case ("show", 1):
            // Without a daemon, or a store that the program may use, there is nothing to show.
            _ = try store.status()
            return show()
        case ("visit", 1): try store.counter("visits").increment()
        case ("add", 2): try tasks.append(arguments[1])
        case ("done", 2):
            guard let place = tasks.elements.firstIndex(of: arguments[1]) else {
                throw KeyValueStoreError.refused(
                    key: "tasks",
                    sentence: "There is no such task."
                )
            }
            try tasks.remove(at: place)
        case ("set", 3): try store.map("settings").set(arguments[2], forField: arguments[1])
        case ("watch", 1): return await watch()
        default: return false
        }
        // The write is visible here at once. Now it is on the disk as well, and goes to the other
        // devices as soon as they can be reached.
        guard store.synchronize() else {
            // It throws the reason, for example that the program may not use this store.
            _ = try store.status()
            throw KeyValueStoreError.unavailable("The change could not be saved.")
        }
        return show()
    }

    private func show() -> Bool {
        print("visits: \(store.counter("visits").value)")
        for task in store.list(of: String.self, "tasks").elements { print("task: \(task)") }
        for (name, value) in store.map("settings").fields.sorted(by: { $0.key < $1.key }) {
            print("setting: \(name) = \(String(value) ?? "?")")
        }
        return true
    }

    /// Prints everything again whenever another device or program changes something.
    private func watch() async -> Bool {
        let changes = store.changes
        _ = show()
        // Another program may read the output line by line.
        fflush(nil)
        for await change in changes {
            print("changed: \(change.keys.joined(separator: ", "))")
            _ = show()
            fflush(nil)
        }
        return true
    }
}
