import KSKeyValues
import KSResolution

// Copies of a device, and of its disk.

extension MergingWorld {
    /// Copies a device with its disk: two devices have one actor.
    mutating func clone(_ device: Int) {
        guard !isFull, devices.count < 6 else { return }
        devices[device].part?.isShared = true
        devices.append(copyWithOperations(of: devices[device]))
    }

    /// Copies a device's disk, or puts the copy back: the device becomes an earlier one.
    ///
    /// It notices nothing until a page shows further writes of its actor, or a batch is refused.
    mutating func keepOrPutBack(_ device: Int) {
        guard !isFull else { return }
        guard let copy = kept.removeValue(forKey: device) else {
            devices[device].part?.isShared = true
            kept[device] = devices[device]
            return
        }
        putBacks += 1
        // The batch that it had under way may still arrive.
        if let part = devices[device].part, !part.isShared { late.append(part) }
        devices[device] = copyWithOperations(of: copy)
        devices[device].isPutBack = true
    }

    /// A copy whose unsent operations are further ones: the original may send, or have sent, its
    /// own.
    private mutating func copyWithOperations(of original: Device) -> Device {
        var copy = original
        let (nodes, _) = repeated(copy.editNodes, isRepetition: false)
        copy.editSeen &= ~OperationLog.mask(copy.editNodes)
        copy.editSeen |= OperationLog.mask(nodes)
        copy.editNodes = nodes
        return copy
    }

    /// Adds operations once more, each of which has seen the same others.
    mutating func repeated(
        _ old: [Int],
        isRepetition: Bool
    ) -> (nodes: [Int], mask: UInt64) {
        var new: [Int: Int] = [:]
        for number in old {
            var node = log.nodes[number]
            for (earlier, later) in new where node.past >> UInt64(earlier) & 1 == 1 {
                if !isRepetition { node.past &= ~(1 << UInt64(earlier)) }
                node.past |= 1 << UInt64(later)
            }
            if isRepetition { node.past |= OperationLog.mask(old) }
            node.repeats = isRepetition ? number : node.repeats
            node.order = .unsent
            new[number] = log.nodes.count
            log.nodes.append(node)
        }
        let nodes = old.compactMap { new[$0] }
        return (nodes, OperationLog.mask(nodes))
    }
}
