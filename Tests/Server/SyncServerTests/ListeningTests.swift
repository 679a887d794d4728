import Testing

import KSSyncServer

struct ListeningTests {
    @Test(arguments: [
        ("127.0.0.1:8443", "127.0.0.1", 8443), ("[::1]:0", "::1", 0),
        ("localhost:443", "localhost", 443),
    ])
    func `an address is a host and a port`(text: String, host: String, port: Int) {
        #expect(ListenAddress(text) == ListenAddress(host: host, port: port))
        #expect(ListenAddress(host: host, port: port).text == text)
    }

    @Test(arguments: [
        "", "8443", ":8443", "127.0.0.1", "127.0.0.1:", "::1:80", "host:70000", "h:-1",
    ])
    func `other texts are not addresses`(text: String) {
        #expect(ListenAddress(text) == nil)
    }

    @Test(arguments: [
        ("https://Sync.Example.org", "https://sync.example.org"),
        ("https://sync.example.org:443/", "https://sync.example.org"),
        ("HTTPS://sync.example.org:8443", "https://sync.example.org:8443"),
        ("https://[::1]:8443", "https://[::1]:8443"),
    ])
    func `an origin has one form`(url: String, origin: String) {
        #expect(Origins.origin(ofURL: url) == origin)
    }

    @Test(arguments: [
        "", "sync.example.org", "http://sync.example.org", "https://sync.example.org/path",
        "https://sync.example.org?query", "https://user@sync.example.org", "https://",
    ])
    func `a URL with more or less than an origin is refused`(url: String) {
        #expect(Origins.origin(ofURL: url) == nil)
    }

    @Test
    func `a server on loopback is known by each of its names`() {
        let origins = ListenAddress(host: "127.0.0.1", port: 0).origins(port: 9000)
        #expect(Set(origins).isSuperset(of: ["https://127.0.0.1:9000", "https://localhost:9000"]))
        #expect(
            ListenAddress(host: "192.0.2.1", port: 0).origins(port: 443) == ["https://192.0.2.1"]
        )
    }
}

struct RateLimiterTests {
    @Test
    func `each address has its own allowance, which is refilled with time`() {
        let clock = ManualClock()
        let limiter = RateLimiter(burst: 2, perSecond: 0.5, clock: clock.wallClock)
        #expect(limiter.secondsToWait(address: "a") == nil)
        #expect(limiter.secondsToWait(address: "a") == nil)
        #expect(limiter.secondsToWait(address: "a") == 2)
        #expect(limiter.secondsToWait(address: "b") == nil)
        clock.advance(seconds: 2)
        #expect(limiter.secondsToWait(address: "a") == nil)
        #expect(limiter.secondsToWait(address: "a") == 2)
    }

    @Test
    func `a clock that is set back adds no tokens and refuses nobody`() {
        let clock = ManualClock()
        let limiter = RateLimiter(burst: 2, perSecond: 0.5, clock: clock.wallClock)
        for _ in 0..<2 { #expect(limiter.secondsToWait(address: "a") == nil) }
        clock.setBack(seconds: 1000)
        #expect(limiter.secondsToWait(address: "a") == 2)
        #expect(limiter.secondsToWait(address: "b") == nil)
        clock.advance(seconds: 2)
        #expect(limiter.secondsToWait(address: "a") == nil)
    }

    @Test
    func `many addresses cannot reset the limit of another`() {
        let limiter = RateLimiter(burst: 2, perSecond: 0.001, clock: ManualClock().wallClock)
        for _ in 0..<3 { _ = limiter.secondsToWait(address: "busy") }
        for number in 0..<20_000 { _ = limiter.secondsToWait(address: "\(number)") }
        #expect(limiter.secondsToWait(address: "busy") != nil)
    }

    @Test
    func `of too many addresses those with most tokens are dropped`() {
        let limiter = RateLimiter(burst: 2, perSecond: 0.001, clock: ManualClock().wallClock)
        _ = limiter.secondsToWait(address: "seldom")
        for number in 0..<16_384 {
            for _ in 0..<2 { _ = limiter.secondsToWait(address: "\(number)") }
        }
        // Its bucket was dropped: it gets a new, full one.
        for _ in 0..<2 { #expect(limiter.secondsToWait(address: "seldom") == nil) }
        #expect(limiter.secondsToWait(address: "seldom") != nil)
    }

    @Test
    func `exhausted addresses do not all get new tokens`() {
        let limiter = RateLimiter(burst: 1, perSecond: 0.001, clock: ManualClock().wallClock)
        for number in 0..<16_385 { _ = limiter.secondsToWait(address: "\(number)") }
        let waiting = (0..<2000).filter { limiter.secondsToWait(address: "\($0)") != nil }
        #expect(waiting.count > 500)
    }
}
