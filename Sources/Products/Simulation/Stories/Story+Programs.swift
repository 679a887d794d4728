public import Foundation
public import KeyValueStore
public import KeychainSync
public import UbiquitousKeyValueStore

// What a program of a device really uses, so that an app's own code runs on every device of a
// story.

extension Story {
    /// What the programs of one device have open.
    struct OpenPrograms {
        let standIn: DevicePrograms
        /// By the names that programs have given.
        var stores: [String?: KeyValueStore] = [:]
        var ubiquitousStore: NSUbiquitousKeyValueStore?
    }
}

extension Story.Device {
    /// The key-value store of the device's programs, as an app opens it.
    ///
    /// What one program writes is on the device's disk at once. Changes of other devices arrive
    /// during ``Story/sync()`` and ``Story/advance(by:)``, and observers are called in that thread.
    /// The story has to live as long as its stores are used.
    ///
    /// - Parameter name: the store's name; nil for the one that ``keyValues`` shows.
    /// - Returns: the same object each time, until ``endPrograms()``.
    public func keyValueStore(named name: String? = nil) -> KeyValueStore {
        var open = openPrograms()
        if let store = open.stores[name] { return store }
        let store = KeyValueStore(named: name, on: open.standIn)
        open.stores[name] = store
        story.programs[device.index] = open
        return store
    }

    /// The `NSUbiquitousKeyValueStore` of the device's programs, with the values of
    /// ``keyValueStore(named:)``.
    ///
    /// Its notifications are posted in the thread of ``Story/sync()`` or ``Story/advance(by:)``,
    /// whatever `notificationQueue` is. It is the same object each time, until ``endPrograms()``.
    public var ubiquitousStore: NSUbiquitousKeyValueStore {
        let store = keyValueStore()
        var open = openPrograms()
        if let made = open.ubiquitousStore { return made }
        let made = NSUbiquitousKeyValueStore(store: store)
        open.ubiquitousStore = made
        story.programs[device.index] = open
        return made
    }

    /// The keychain of the device's programs, with the items that the story's steps show.
    ///
    /// Its calls are answered at once, in the task that makes them.
    public var keychain: Keychain { Keychain(of: openPrograms().standIn) }

    /// The time of the device's clock, for an app that takes its time from outside.
    public var date: Date {
        Date(timeIntervalSince1970: Double(device.clock.milliseconds) / 1000)
    }

    /// Ends all programs of the device, with what they have not handed to it; ``kill()`` ends only
    /// the daemon that they call.
    ///
    /// The stores that they had open stay as they are. The next program opens new ones.
    public func endPrograms() {
        world.turn.take {
            world.trace("the programs of \(name) end")
            story.programs.removeValue(forKey: device.index)?.standIn.end()
            device.programs = nil
        }
    }

    private func openPrograms() -> Story.OpenPrograms {
        if let open = story.programs[device.index], !open.standIn.hasEnded { return open }
        let open = Story.OpenPrograms(standIn: DevicePrograms(on: device, in: world))
        device.programs = open.standIn
        story.programs[device.index] = open
        return open
    }
}
