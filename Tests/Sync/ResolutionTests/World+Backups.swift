import KSCausality
import KSResolution

/// A backup of one device of a world.
struct WorldBackup {
    /// Nil for a record without a living item.
    var states: [RecordState?]
    /// The writes that each state has seen.
    var seen: [Set<Int>]
}

extension World {
    /// Backs a device up, once the batch under way is answered.
    mutating func backUp(_ device: Int, number: UInt64) -> WorldBackup {
        push(device, isCalm: true)
        var author = Author(1_000 + number)
        var backup = WorldBackup(states: [], seen: [])
        for record in server.indices {
            backup.seen.append(devices[device].copies[record].known)
            backup.states.append(
                devices[device].copies[record].local.stampUnsent { author.stamp($0, $1) }
            )
        }
        return backup
    }

    mutating func restore(_ backup: WorldBackup, on device: Int) {
        for (record, state) in backup.states.enumerated() {
            guard let state else { continue }
            let clock = devices[device].author.clock
            let change = devices[device].copies[record].local
                .restore(state, atMilliseconds: clock)
            guard change != .deleted, change != .unchanged else { continue }
            devices[device].copies[record].editSeen.formUnion(backup.seen[record])
        }
    }

    /// Users and devices act, back up and restore.
    mutating func runWithBackups(steps: Int) {
        var backups: [WorldBackup] = []
        for step in 0..<steps {
            run(steps: 1)
            guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
            let device = Int.random(in: devices.indices, using: &random)
            if backups.isEmpty || Bool.random(using: &random) {
                backups.append(backUp(device, number: UInt64(step)))
            } else {
                let backup = backups[Int.random(in: backups.indices, using: &random)]
                for _ in 0..<Int.random(in: 1...2, using: &random) {
                    restore(backup, on: device)
                }
            }
        }
    }
}
