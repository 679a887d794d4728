internal import Glibc
internal import KSScreens

/// What the picker has done for it, each as the result of one of its actions.
///
/// They run on the caller's thread, between two keys; a failure is a sentence for the user.
package struct PickActions {
    package typealias Outcome = Result<[PickEvent], PickFailure>

    package var loadDetails: (_ id: String) -> Outcome
    package var reveal: (_ id: String, _ field: Int) -> Outcome
    package var copy: (_ id: String, _ field: Int?) -> Outcome
    /// Runs while the terminal is as usual, so that an editor can use it.
    package var edit: (_ id: String) -> Outcome
    package var generate: (_ id: String) -> Outcome

    package init(
        loadDetails: @escaping (_ id: String) -> Outcome,
        reveal: @escaping (_ id: String, _ field: Int) -> Outcome,
        copy: @escaping (_ id: String, _ field: Int?) -> Outcome,
        edit: @escaping (_ id: String) -> Outcome,
        generate: @escaping (_ id: String) -> Outcome
    ) {
        self.loadDetails = loadDetails
        self.reveal = reveal
        self.copy = copy
        self.edit = edit
        self.generate = generate
    }
}

/// Why an action failed, in one sentence for the user.
package struct PickFailure: Error, Hashable, Sendable {
    package let sentence: String

    package init(_ sentence: String) {
        self.sentence = sentence
    }
}

/// Runs a ``Picker`` on the terminal of the process, until the user leaves.
///
/// It throws a ``ScreenError`` if there is no fitting terminal.
package enum PickScreen {
    /// `choosesOnEnter`: whether Enter chooses what it copies otherwise, and leaves.
    ///
    /// - Returns: what the user has chosen; nil if they left without that.
    @discardableResult
    package static func run(
        entries: [PickEntry],
        query: String = "",
        environment: [String: String],
        choosesOnEnter: Bool = false,
        highlight: PickHighlighter? = nil,
        match: @escaping PickMatcher,
        actions: PickActions
    ) throws -> (id: String, field: Int?)? {
        try TerminalScreen.run(environment: environment) { screen in
            var picker = Picker(
                entries: entries,
                query: query,
                rows: screen.rows,
                columns: screen.columns,
                seconds: now,
                choosesOnEnter: choosesOnEnter,
                highlight: highlight,
                match: match
            )
            while true {
                screen.show(picker.frame)
                let wait = picker.secondsToNextTick.map { _ in millisecondsToNextSecond }
                var open: [PickAction] = []
                switch screen.nextEvent(waitingMilliseconds: wait) {
                case .key(let key): open = picker.handle(.tick(seconds: now)) + picker.handle(key)
                case .resized(let rows, let columns):
                    open = picker.handle(.resized(rows: rows, columns: columns))
                case .timeOver: open = picker.handle(.tick(seconds: now))
                case .ended: return nil
                }
                while !open.isEmpty {
                    let action = open.removeFirst()
                    if action == .quit { return nil }
                    if case .choose(let id, let field) = action { return (id, field) }
                    for event in events(of: action, actions, screen) {
                        open += picker.handle(event)
                    }
                }
            }
        }
    }

    private static func events(
        of action: PickAction,
        _ actions: PickActions,
        _ screen: TerminalScreen
    ) -> [PickEvent] {
        let outcome: PickActions.Outcome
        switch action {
        case .loadDetails(let id): outcome = actions.loadDetails(id)
        case .reveal(let id, let field): outcome = actions.reveal(id, field)
        case .copy(let id, let field): outcome = actions.copy(id, field)
        case .edit(let id): outcome = screen.suspended { actions.edit(id) }
        case .generate(let id): outcome = actions.generate(id)
        case .choose, .quit: return []
        }
        switch outcome {
        case .success(let events): return events
        case .failure(let failure): return [.failed(failure.sentence)]
        }
    }

    private static var now: Int { Int(time(nil)) }

    /// Codes change with the second, so the bar does too.
    private static var millisecondsToNextSecond: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return 1000 - Int64(time.tv_nsec) / 1_000_000
    }
}
