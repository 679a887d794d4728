internal import KSKeychain
internal import KSMatching

/// A mistake in a story: what it asks for cannot be done.
public enum StoryError: Error, Equatable, Sendable {
    /// There is no device of this name.
    case noDevice(String, known: [String])
    /// There is a device of this name already.
    case deviceExists(String)
    /// The name of a device is empty, or has other characters than letters, digits and hyphens.
    case wrongName(String)
    /// A story has at most this many devices of this kind.
    case tooManyDevices(String, max: Int)
    /// The device is locked, and this needs its keys.
    case locked(device: String)
    /// The device's process does not run.
    case killed(device: String)
    /// The device has left its account.
    case hasLeft(device: String)
    /// The device cannot return to its account, since it has not left it.
    case hasNotLeft(device: String)
    /// The device cannot reach the server.
    case offline(device: String)
    /// The device, or the server if it is nil, has no copy that could be put back.
    case noCopy(device: String?)
    /// The server has lost the account, or has not.
    case serverIsEmpty(Bool)
    /// The device does not know the newest writes, which this needs.
    case notUpToDate(device: String)
    /// The device shows no item of this name.
    case noItem(String, device: String, shown: [String])
    /// The device shows several items of this name.
    case severalItems(String, device: String, shown: [String])
    /// The device has an item of this name already.
    case itemExists(String, device: String)
    /// The device keeps no deleted item of this name.
    case notDeleted(String, device: String)
    /// The disk of the device, or of the server if it is nil, has no room; nothing was changed.
    case diskFull(device: String?)
    /// The power of the device failed, so nothing was answered: the change is there, or it is not.
    case powerFailed(device: String)
    /// A store refuses a value; the sentence says why.
    case refused(String)
    /// The devices do not stop syncing; each reason says who waits for what.
    case notQuiet([String])
}

extension StoryError {
    /// Whether a device's disk has failed, which a story can want.
    var isOfDisk: Bool {
        switch self {
        case .diskFull(.some), .powerFailed: true
        default: false
        }
    }
}

extension StoryError: CustomStringConvertible {
    /// What is wrong and what to do, as one sentence.
    public var description: String {
        switch self {
        case .noDevice(let name, let known):
            "there is no device \(name); \(Self.near(name, known, "the story has"))"
        case .deviceExists(let name): "there is a device \(name) already; take another name"
        case .wrongName(let name):
            "\(name.isEmpty ? "an empty text" : name) is no name of a device; use letters, digits"
                + " and hyphens, and neither expect nor server"
        case .tooManyDevices(let kind, let max): "a story has at most \(max) \(kind)"
        case .locked(let device): "\(device) is locked; unlock it first"
        case .killed(let device): "\(device) does not run; start it first"
        case .hasLeft(let device): "\(device) has left its account; let it return first"
        case .hasNotLeft(let device): "\(device) has not left its account; let it leave first"
        case .offline(let device): "\(device) does not reach the server; take it online first"
        case .noCopy(let device?): "\(device) has no copy of its database; copy it first"
        case .noCopy(nil): "the server has no backup; back it up first"
        case .serverIsEmpty(true): "the server has lost the account; let a device rebuild it first"
        case .serverIsEmpty(false): "the server has the account; empty it first"
        case .notUpToDate(let device): "\(device) does not know the newest writes; sync first"
        case .noItem(let name, let device, let shown):
            "\(device) shows no item \(name); \(Self.near(name, shown, "it shows"))"
        case .severalItems(let name, let device, let shown):
            "\(device) shows several items \(name); name one as USER@PLACE:"
                + " \(shown.joined(separator: ", "))"
        case .itemExists(let name, let device):
            "\(device) has an item \(name) already; set its password, or take another name"
        case .notDeleted(let name, let device): "\(device) keeps no deleted item \(name)"
        case .diskFull(let device?): "\(device): \(ItemStoreError.diskFull.message)"
        case .diskFull(nil): "the server's disk is full; free it first"
        case .powerFailed(let device):
            "\(device): no answer, since its power failed; the change is there, or it is not"
        case .refused(let sentence): sentence
        case .notQuiet(let reasons):
            "the devices do not come to rest: \(reasons.joined(separator: "; "))"
        }
    }

    /// The name that may be meant, or some of those that there are.
    private static func near(_ name: String, _ names: [String], _ verb: String) -> String {
        if let near = NearWord.find(name, in: names) { return "did you mean \(near)?" }
        guard !names.isEmpty else { return "\(verb) none" }
        let more = names.count > namedMax ? " and \(names.count - namedMax) more" : ""
        return "\(verb) \(names.prefix(namedMax).joined(separator: ", "))\(more)"
    }

    private static let namedMax = 8
}
