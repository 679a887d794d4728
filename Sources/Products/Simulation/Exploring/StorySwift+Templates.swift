// The statement for each form of a line. In angle brackets stand its arguments: as a string's
// literal, as the variable of a device (`name of`), as it is (`raw`), or as a value.

extension StorySwift {
    package static let templates: [String: String] =
        actions.merging(keyValues) { $1 }.merging(expectations) { $1 }

    private static let actions = [
        "sync": "try story.sync()",
        "advance DURATION": "try story.advance(by: <duration>)",
        "show": "print(try story.summary())",
        "devices NAME...": "try story.addDevices(<texts NAME>)",
        "DEVICE offline": "try <name of DEVICE>.goOffline()",
        "DEVICE online": "try <name of DEVICE>.goOnline()",
        "DEVICE slow DURATION": "try <name of DEVICE>.slowDown(to: <duration>)",
        "DEVICE lossy PERCENT": "try <name of DEVICE>.loseMessages(share: <share>)",
        "DEVICE one-way": "try <name of DEVICE>.loseAnswers()",
        "DEVICE clock DURATION": "try <name of DEVICE>.setClock(ahead: <duration>)",
        "DEVICE lock": "try <name of DEVICE>.lock()",
        "DEVICE unlock": "try <name of DEVICE>.unlock()",
        "DEVICE kill": "try <name of DEVICE>.kill()",
        "DEVICE start": "try <name of DEVICE>.start()",
        "DEVICE disk-full": "try <name of DEVICE>.fillDisk()",
        "DEVICE disk-free": "try <name of DEVICE>.freeDisk()",
        "DEVICE crash-at-write NUMBER": "try <name of DEVICE>.crash(atWrite: <raw NUMBER>)",
        "DEVICE copy": "try <name of DEVICE>.copyDatabase()",
        "DEVICE put-back": "try <name of DEVICE>.putDatabaseBack()",
        "DEVICE clone NAME": "let <name of NAME> = try <name of DEVICE>.clone(as: <NAME>)",
        "join NAME": "let <name of NAME> = try story.join(<NAME>)",
        "DEVICE revoke OTHER": "try <name of DEVICE>.revoke(<name of OTHER>)",
        "DEVICE leave": "try <name of DEVICE>.leave(keepingItems: true)",
        "DEVICE leave-empty": "try <name of DEVICE>.leave(keepingItems: false)",
        "DEVICE return": "try <name of DEVICE>.returnToAccount()",
        "DEVICE keep-deleted": "try <name of DEVICE>.keepDeleted()",
        "DEVICE accept-deletions": "try <name of DEVICE>.acceptDeletions()",
        "server away": "story.server.goAway()",
        "server back": "try story.server.comeBack()",
        "server disk-full": "story.server.fillDisk()",
        "server disk-free": "story.server.freeDisk()",
        "server crash-at-write NUMBER": "try story.server.crash(atWrite: <raw NUMBER>)",
        "server backup": "try story.server.backUp()",
        "server restore": "try story.server.restore()",
        "server put-back": "try story.server.restore(isAnnounced: false)",
        "server empty": "try story.server.empty()",
        "server rebuild DEVICE": "try story.server.rebuild(from: <name of DEVICE>)",
        "server move": "try story.server.move()",
        "DEVICE move": "try <name of DEVICE>.moveToNewServer()",
        "server remove-deleted": "try story.server.removeDeleted()",
        "DEVICE add ITEM PASSWORD": "try <name of DEVICE>.add(<ITEM>, password: <PASSWORD>)",
        "DEVICE set ITEM FIELD VALUE": "try <name of DEVICE>.set(<FIELD>, of: <ITEM>, to: <VALUE>)",
        "DEVICE unset ITEM FIELD": "try <name of DEVICE>.removeField(<FIELD>, of: <ITEM>)",
        "DEVICE rename ITEM NEW": "try <name of DEVICE>.rename(<ITEM>, to: <NEW>)",
        "DEVICE delete ITEM": "try <name of DEVICE>.delete(<ITEM>)",
        "DEVICE restore ITEM": "try <name of DEVICE>.restore(<ITEM>)",
    ]

    private static let keyValues = [
        "set KEY VALUE": "set(<KEY>, to: <value VALUE>)",
        "delete KEY": "delete(<KEY>)",
        "declare KEY TYPE": "declare(<KEY>, as: .<type>)",
        "increment KEY NUMBER": "increment(<KEY>, by: <raw NUMBER>)",
        "reset KEY NUMBER": "reset(<KEY>, to: <raw NUMBER>)",
        "add KEY VALUE...": "add(<values VALUE>, to: <KEY>)",
        "remove KEY VALUE...": "remove(<values VALUE>, from: <KEY>)",
        "set-field KEY FIELD VALUE": "setField(<FIELD>, of: <KEY>, to: <value VALUE>)",
        "increment-field KEY FIELD NUMBER": "incrementField(<FIELD>, of: <KEY>, by: <raw NUMBER>)",
        "remove-field KEY FIELD": "removeField(<FIELD>, of: <KEY>)",
        "append KEY VALUE...": "append(<values VALUE>, to: <KEY>)",
        "insert KEY PLACE VALUE...": "insert(<values VALUE>, into: <KEY>, at: <raw PLACE>)",
        "set-element KEY PLACE VALUE": "setElement(<raw PLACE>, of: <KEY>, to: <value VALUE>)",
        "remove-element KEY PLACE": "removeElement(<raw PLACE>, of: <KEY>)",
        "move-element KEY PLACE TARGET": "moveElement(<raw PLACE>, of: <KEY>, to: <raw TARGET>)",
    ].reduce(into: [String: String]()) {
        $0["DEVICE kv \($1.key)"] = "try <name of DEVICE>.keyValues.\($1.value)"
    }

    private static let expectations = [
        "DEVICE kv KEY is VALUE": "try <name of DEVICE>.keyValues.value(<KEY>) == <expected>",
        "DEVICE kv KEY conflicts VALUE...":
            "try <name of DEVICE>.keyValues.conflicts(<KEY>) == <expected list>",
        "DEVICE kv KEY history VALUE...":
            "try <name of DEVICE>.keyValues.history(<KEY>) == <expected list>",
        "DEVICE kv KEY by OTHER": "try <name of DEVICE>.keyValues.writer(<KEY>) == <OTHER>",
        "DEVICE shows ITEM": "try <name of DEVICE>.shows(<ITEM>)",
        "DEVICE lacks ITEM": "try !<name of DEVICE>.shows(<ITEM>)",
        "DEVICE ITEM FIELD is VALUE":
            "try <name of DEVICE>.value(<FIELD>, of: <ITEM>) == <expected text>",
        "DEVICE ITEM FIELD conflicts VALUE...":
            "try <name of DEVICE>.conflicts(<FIELD>, of: <ITEM>).map(\\.value) == <expected texts>",
        "DEVICE ITEM FIELD history VALUE...":
            "try <name of DEVICE>.history(<FIELD>, of: <ITEM>).map(\\.value) == <expected texts>",
        "DEVICE ITEM FIELD by OTHER":
            "try <name of DEVICE>.writer(<FIELD>, of: <ITEM>) == <OTHER>",
        "DEVICE deleted-elsewhere ITEM": "try <name of DEVICE>.isDeletedElsewhere(<ITEM>)",
        "DEVICE unsent NUMBER": "try <name of DEVICE>.unsentCount() == <raw NUMBER>",
        "DEVICE unsent because REASON": "try <name of DEVICE>.unsentReason() == <reason>",
        "DEVICE pause PAUSE": "try <name of DEVICE>.pauseReason() == <pause>",
        "DEVICE answered ANSWER": "<name of DEVICE>.lastAnswer == <answer>",
        "agreement": "try story.difference() == nil",
        "server records NUMBER": "try story.server.recordCount() == <raw NUMBER>",
        "server deleted NUMBER": "try story.server.deletedRecordCount() == <raw NUMBER>",
        "server cannot-read TEXT": "try !story.server.canRead(<TEXT>)",
    ].reduce(into: [String: String]()) {
        $0["expect \($1.key)"] = "#expect(\($1.value))"
    }
}
