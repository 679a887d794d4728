// The table of what a story's lines can be: parser, help and document are made from it.

extension StoryForm {
    /// All forms of a story's lines, in the order of their sections.
    public static let all: [StoryForm] =
        timeForms + deviceForms + accountForms + serverForms + itemForms + keyValueForms
        + expectationForms

    private static let timeForms = [
        act(.time, "sync", "every device that reaches the server syncs until nothing is left") {
            story,
            _ in try story.sync()
        },
        act(.time, "advance DURATION", "time passes, with what happens in it: `advance 31d`") {
            try $0.advance(by: $1.duration())
        },
        StoryForm(
            .time,
            "show",
            "prints what every device shows",
            .show { story, _ in try story.summary() }
        ),
    ]

    private static let deviceForms = [
        act(.devices, "devices NAME...", "these devices are in the account, and in sync") {
            try $0.addDevices($1.texts("NAME"))
        },
        on(.devices, "DEVICE offline", "it reaches nobody; messages on their way are lost") {
            device,
            _ in try device.goOffline()
        },
        on(.devices, "DEVICE online", "it is online, and nothing is lost or slow") {
            device,
            _ in try device.goOnline()
        },
        on(.devices, "DEVICE slow DURATION", "it is online, and each message takes this long") {
            try $0.slowDown(to: $1.duration())
        },
        on(.devices, "DEVICE lossy PERCENT", "it is online, and so many messages are lost") {
            try $0.loseMessages(share: Double($1.number("PERCENT")) / 100)
        },
        on(.devices, "DEVICE one-way", "the server gets its requests, and no answer comes back") {
            device,
            _ in try device.loseAnswers()
        },
        on(.devices, "DEVICE clock DURATION", "its clock is this far ahead: `+10y`, `-2h`, `0s`") {
            try $0.setClock(ahead: $1.duration())
        },
        on(.devices, "DEVICE lock", "its keys are out of reach") { device, _ in try device.lock() },
        on(.devices, "DEVICE unlock", "its keys are back") { device, _ in try device.unlock() },
        on(.devices, "DEVICE kill", "its process ends, in the middle of what it does") {
            device,
            _ in try device.kill()
        },
        on(.devices, "DEVICE start", "its process starts again, unlocked") { device, _ in
            try device.start()
        },
        on(.devices, "DEVICE disk-full", "its disk is full: whatever it would write there fails") {
            device,
            _ in try device.fillDisk()
        },
        on(.devices, "DEVICE disk-free", "there is room on its disk again") { device, _ in
            try device.freeDisk()
        },
        on(
            .devices,
            "DEVICE crash-at-write NUMBER",
            "its power fails in the middle of its NUMBER-th write to the disk from now: what was"
                + " not synced is lost or torn, and it starts again"
        ) { try $0.crash(atWrite: Int($1.number())) },
        on(.devices, "DEVICE copy", "its database is copied, for `put-back`") { device, _ in
            try device.copyDatabase()
        },
        on(.devices, "DEVICE put-back", "it goes on, unlocked, with the copy of its database") {
            device,
            _ in try device.putDatabaseBack()
        },
        on(.devices, "DEVICE clone NAME", "another machine starts with a copy of its disk") {
            try $0.clone(as: $1.text("NAME"))
        },
    ]

    private static let accountForms = [
        act(.account, "join NAME", "a new device joins the account") {
            try $0.join($1.text("NAME"))
        },
        StoryForm(
            .account,
            "DEVICE revoke OTHER",
            "it removes another device from the account",
            .act { try $1.device($0).revoke($1.device($0, "OTHER")) }
        ),
        on(.account, "DEVICE leave", "it leaves the account, and keeps its items") { device, _ in
            try device.leave(keepingItems: true)
        },
        on(.account, "DEVICE leave-empty", "it leaves the account, and its items go") {
            device,
            _ in try device.leave(keepingItems: false)
        },
        on(.account, "DEVICE return", "it joins the account again that it has left") { device, _ in
            try device.returnToAccount()
        },
        on(.account, "DEVICE keep-deleted", "its user keeps what others deleted, when asked") {
            device,
            _ in try device.keepDeleted()
        },
        on(.account, "DEVICE accept-deletions", "its user lets it go, when asked") { device, _ in
            try device.acceptDeletions()
        },
    ]

    private static let serverForms = [
        act(.server, "server away", "nobody reaches the server") { story, _ in
            story.server.goAway()
        },
        act(.server, "server back", "the server is in reach again") { story, _ in
            try story.server.comeBack()
        },
        act(.server, "server disk-full", "its disk is full: it answers, and takes no write") {
            story,
            _ in story.server.fillDisk()
        },
        act(.server, "server disk-free", "there is room on its disk again") { story, _ in
            story.server.freeDisk()
        },
        act(
            .server,
            "server crash-at-write NUMBER",
            "its power fails in the middle of its NUMBER-th write to the disk from now, while it"
                + " answers a device; it starts again"
        ) { try $0.server.crash(atWrite: Int($1.number())) },
        act(.server, "server backup", "the server is backed up, for the next two lines") {
            story,
            _ in try story.server.backUp()
        },
        act(.server, "server restore", "`sync-server restore` puts it back to its backup") {
            story,
            _ in try story.server.restore()
        },
        act(.server, "server put-back", "only its file is put back, and it does not know that") {
            story,
            _ in try story.server.restore(isAnnounced: false)
        },
        act(.server, "server empty", "it loses everything, the account too") { story, _ in
            try story.server.empty()
        },
        act(.server, "server rebuild DEVICE", "a device makes the account again") {
            try $0.server.rebuild(from: $1.device($0))
        },
        act(.server, "server move", "the account gets another server, with a copy of this one") {
            story,
            _ in try story.server.move()
        },
        on(.server, "DEVICE move", "its user names the new server to it") { device, _ in
            try device.moveToNewServer()
        },
        act(
            .server,
            "server remove-deleted",
            "deleted records go that are 30 days old, once every device has applied the deletion"
                + " or was silent for 90 days"
        ) { story, _ in try story.server.removeDeleted() },
    ]

    private static let itemForms = [
        on(.items, "DEVICE add ITEM PASSWORD", "adds an item; ITEM is `PLACE` or `USER@PLACE`") {
            try $0.add($1.text("ITEM"), password: $1.text("PASSWORD"))
        },
        on(
            .items,
            "DEVICE set ITEM FIELD VALUE",
            "sets `password`, `user`, `note`, `title` or a field of its own"
        ) { try $0.set($1.text("FIELD"), of: $1.text("ITEM"), to: $1.text("VALUE")) },
        on(.items, "DEVICE unset ITEM FIELD", "removes a note, a title or a field of its own") {
            try $0.removeField($1.text("FIELD"), of: $1.text("ITEM"))
        },
        on(.items, "DEVICE rename ITEM NEW", "gives the item another place") {
            try $0.rename($1.text("ITEM"), to: $1.text("NEW"))
        },
        on(.items, "DEVICE delete ITEM", "deletes the item") {
            try $0.delete($1.text("ITEM"))
        },
        on(.items, "DEVICE restore ITEM", "makes an item again that was deleted within 30 days") {
            try $0.restore($1.text("ITEM"))
        },
    ]

    private static let keyValueForms = [
        store("set KEY VALUE", "sets the value; of a merged type the difference") {
            try $0.set($1.text("KEY"), to: $1.value())
        },
        store("delete KEY", "deletes the key") { try $0.delete($1.text("KEY")) },
        store("declare KEY TYPE", "gives a key its merge type, such as `max`") {
            try $0.declare(
                $1.text("KEY"),
                as: StoryMergeType(rawValue: $1.text("TYPE")) ?? .register
            )
        },
        store("increment KEY NUMBER", "adds to a counter") {
            try $0.increment($1.text("KEY"), by: $1.number())
        },
        store("reset KEY NUMBER", "sets a counter") {
            try $0.reset($1.text("KEY"), to: $1.number())
        },
        store("add KEY VALUE...", "adds elements to a set") {
            try $0.add($1.values(), to: $1.text("KEY"))
        },
        store("remove KEY VALUE...", "removes elements from a set") {
            try $0.remove($1.values(), from: $1.text("KEY"))
        },
        store("set-field KEY FIELD VALUE", "sets a field of a map") {
            try $0.setField($1.text("FIELD"), of: $1.text("KEY"), to: $1.value())
        },
        store("increment-field KEY FIELD NUMBER", "adds to a field that is a counter") {
            try $0.incrementField($1.text("FIELD"), of: $1.text("KEY"), by: $1.number())
        },
        store("remove-field KEY FIELD", "removes a field of a map") {
            try $0.removeField($1.text("FIELD"), of: $1.text("KEY"))
        },
        store("append KEY VALUE...", "adds elements at the end of a list") {
            try $0.append($1.values(), to: $1.text("KEY"))
        },
        store("insert KEY PLACE VALUE...", "inserts elements into a list, from place 0 on") {
            try $0.insert($1.values(), into: $1.text("KEY"), at: $1.place())
        },
        store("set-element KEY PLACE VALUE", "sets an element of a list") {
            try $0.setElement($1.place(), of: $1.text("KEY"), to: $1.value())
        },
        store("remove-element KEY PLACE", "removes an element of a list") {
            try $0.removeElement($1.place(), of: $1.text("KEY"))
        },
        store("move-element KEY PLACE TARGET", "moves an element, to a place without it") {
            try $0.moveElement($1.place(), of: $1.text("KEY"), to: $1.place("TARGET"))
        },
    ]

    // MARK: Rows

    static func act(
        _ section: Section,
        _ pattern: String,
        _ meaning: String,
        _ act: @escaping @Sendable (Story, StoryArguments) throws -> Void
    ) -> StoryForm { StoryForm(section, pattern, meaning, .act(act)) }

    private static func on(
        _ section: Section,
        _ pattern: String,
        _ meaning: String,
        _ act: @escaping @Sendable (Story.Device, StoryArguments) throws -> Void
    ) -> StoryForm {
        StoryForm(section, pattern, meaning, .act { try act($1.device($0), $1) })
    }

    private static func store(
        _ pattern: String,
        _ meaning: String,
        _ act: @escaping @Sendable (Story.Device.KeyValues, StoryArguments) throws -> Void
    ) -> StoryForm {
        on(.keyValues, "DEVICE kv \(pattern)", meaning) { try act($0.keyValues, $1) }
    }
}
