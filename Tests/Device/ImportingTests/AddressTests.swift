import KSImporting
import Testing

/// The addresses of a cell.
struct AddressTests {
    @Test(arguments: [
        (
            "https://a.example,https://b.example/x,http://c.example",
            "https://a.example https://b.example/x http://c.example"
        ),
        (
            "a.example, b.example:81 ,192.168.1.1",
            "https://a.example https://b.example:81 https://192.168.1.1"
        ),
        ("https://a.example/list/1,2,b.html", "https://a.example/list/1,2,b.html"),
        ("https://a.example/list/1,b.example", "https://a.example/list/1 https://b.example"),
        ("https://a.example/?q=1,b:2,c/d", "https://a.example/?q=1,b:2,c/d"),
        ("https://a.example,https://a.example", "https://a.example"),
        ("[2001:db8::1]:8080,localhost", "https://[2001:db8::1]:8080 https://localhost"),
        ("a.example,xn--fiqs8s.xn--fiqs8s", "https://a.example https://xn--fiqs8s.xn--fiqs8s"),
        (",a.example,", "https://a.example"),
        ("a.example,note,b.example/,c", "https://a.example note https://b.example/,c"),
        ("androidapp://org.example,a.example", "androidapp://org.example https://a.example"),
    ])
    func `a comma separates where another address follows`(cell: String, texts: String) {
        #expect(AddressList(cell, isSplit: true).texts.joined(separator: " ") == texts)
        #expect(AddressList(cell, isSplit: false).texts.count == 1)
    }

    @Test
    func `a cell with very many commas or sites is read at once, and nothing of it is lost`() {
        let commas = "https://a.example/" + String(repeating: ",", count: 1 << 20)
        #expect(AddressList(commas, isSplit: true).texts == [commas])
        let sites = (0..<10_000).map { "s\($0).example" }.joined(separator: ",")
        #expect(AddressList(sites, isSplit: true).texts == [sites])
    }

    @Test(arguments: [
        ("https://example.org", "htps", "example.org", 0),
        ("https://example.org:443/", "htps", "example.org", 0),
        ("http://example.org:80", "http", "example.org", 0),
        ("http://example.org:443", "http", "example.org", 443),
        ("HTTPS://user:p@EXAMPLE.org?q@r", "htps", "example.org", 0),
        ("http://[2001:db8::1]:8080/", "http", "2001:db8::1", 8080),
        ("https://bücher.example.org#x", "htps", "bücher.example.org", 0),
        ("example.org/login", "htps", "example.org", 0),
        ("WWW.Example.org", "htps", "www.example.org", 0),
        ("192.168.7.1/admin", "htps", "192.168.7.1", 0),
        ("nas.example.org:5001", "htps", "nas.example.org", 5001),
    ])
    func `server, protocol and port come from the address`(
        url: String,
        protocolCode: String,
        server: String,
        port: UInt16
    ) throws {
        let site = try #require(WebSite(url))
        #expect(site.protocolCode == protocolCode && site.server == server && site.port == port)
    }

    @Test(arguments: [
        "https://example.org:99999/", "https:///nohost", "android://AbC=@org.example.app/",
        "router", "mailto:ada@example.org", "ada@example.org", "example..org",
        "ftp://example.org", "",
    ])
    func `other texts are not web addresses`(url: String) { #expect(WebSite(url) == nil) }

    @Test(arguments: [
        ([] as [Int], ""), ([3], "3"), ([2, 3], "2-3"), ([2, 4, 5, 6, 9], "2, 4-6, 9"),
        ([3, 3, 4, 4, 8], "3-4, 8"),
    ])
    func `numbers of rows are shown as ranges`(rows: [Int], text: String) {
        #expect(RowNumbers.text(rows) == text)
    }
}
