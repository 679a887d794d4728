import NIOCore
import Testing

import KSSyncServer

/// The address that limits count behind a proxy.
struct TrustedProxyTests {
    private func counted(
        _ peer: String,
        _ forwarded: [String],
        trusting proxies: String...
    ) throws -> String {
        let networks = try proxies.map { try #require(TrustedProxies.Network($0), "\($0)") }
        return TrustedProxies(networks)
            .counted(try SocketAddress(ipAddress: peer, port: 1), forwarded: forwarded)
    }

    @Test
    func `without a trusted proxy the header does not count`() throws {
        #expect(try counted("10.0.0.7", ["1.2.3.4"]) == "10.0.0.7")
        #expect(try counted("9.9.9.9", ["1.2.3.4"], trusting: "10.0.0.0/8") == "9.9.9.9")
    }

    @Test
    func `the last address that no trusted proxy has counts`() throws {
        let proxies = "10.0.0.0/8"
        #expect(try counted("10.0.0.7", ["1.2.3.4"], trusting: proxies) == "1.2.3.4")
        // The client made the first one up.
        let lie = ["8.8.8.8, 1.2.3.4"]
        #expect(try counted("10.0.0.7", lie, trusting: proxies) == "1.2.3.4")
        #expect(try counted("10.0.0.7", ["8.8.8.8", "1.2.3.4"], trusting: proxies) == "1.2.3.4")
        // Two proxies of ours.
        let two = ["8.8.8.8, 1.2.3.4 , 10.200.0.1"]
        #expect(try counted("10.0.0.7", two, trusting: proxies) == "1.2.3.4")
        #expect(try counted("10.0.0.7", ["10.1.1.1"], trusting: proxies) == "10.1.1.1")
    }

    @Test
    func `a word that names nobody leaves the proxy's own address`() throws {
        for word in ["unknown", "", "_hidden", "1.2.3", "1.2.3.4:80"] {
            #expect(try counted("10.0.0.7", [word], trusting: "10.0.0.7") == "10.0.0.7")
        }
    }

    @Test
    func `networks of both families are read, and nothing else`() throws {
        #expect(
            try counted("fd00::1", ["2001:db8::5"], trusting: "fd00::/8") == "20:1:d:b8:0:0:0:0"
        )
        #expect(try counted("::ffff:10.0.0.7", ["1.2.3.4"], trusting: "10.0.0.0/30") == "10.0.0.7")
        #expect(try counted("::ffff:10.0.0.7", ["1.2.3.4"], trusting: "10.0.0.4/30") == "1.2.3.4")
        #expect(try counted("9.9.9.9", ["1.2.3.4"], trusting: "0.0.0.0/0") == "1.2.3.4")
        for text in [
            "", "10.0.0.0/33", "10.0.0/8", "fd00::/129", "10.0.0.0/-1", "a/8", "1.2.3.4/8/9",
        ] {
            #expect(TrustedProxies.Network(text) == nil, "\(text)")
        }
    }
}
