import Synchronization
import Testing

import KSAgent

struct ShortWaitTests {
    /// A clock that advances by a quarter of the wait at each reading.
    private struct Clock: ~Copyable {
        private let now = Mutex(1_000_000)

        func look() -> Int {
            now.withLock { now in
                defer { now += ShortWait.nanosecondsMax / 4 }
                return now
            }
        }
    }

    @Test
    func `the first answer in time is taken, and no other is asked for`() {
        let clock = Clock()
        var asked = 0
        let answer = ShortWait.first(processorCount: 2, now: { clock.look() }) {
            asked += 1
            return asked == 3 ? "answer" : nil
        }
        #expect(answer == "answer")
        #expect(asked == 3)
    }

    @Test
    func `asking ends with the wait`() {
        let clock = Clock()
        var asked = 0
        let answer: String? = ShortWait.first(processorCount: 2, now: { clock.look() }) {
            asked += 1
            return nil
        }
        #expect(answer == nil)
        #expect(asked == 4)
    }

    @Test
    func `with one processor there is no short wait`() {
        var isAsked = false
        let answer = ShortWait.first(processorCount: 1) {
            isAsked = true
            return isAsked
        }
        #expect(answer == nil && !isAsked)
    }
}
