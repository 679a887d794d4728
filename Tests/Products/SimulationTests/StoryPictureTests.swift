import Foundation
import Simulation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Pictures of stories.
struct StoryPictureTests {
    private static let conflict = """
        devices laptop phone
        laptop add mail first
        sync
        server away
        laptop set mail password "from <the> & laptop"
        phone set mail password "from the phone"
        server back
        sync
        expect laptop mail password conflicts nothing
        """

    private func picture(of text: String, seed: UInt64 = 1) throws -> StoryPicture {
        let outcome = try StoryFile(parsing: text).run(seed: seed, keepsRecord: true)
        return StoryPicture(title: "A <story> & \"more\"", try #require(outcome.record))
    }

    /// The texts of all elements of this name; nil unless the document is well-formed.
    private func texts(of element: String, in document: String) -> [String]? {
        let reader = ElementReader(element)
        let parser = XMLParser(data: Data(document.utf8))
        parser.delegate = reader
        return parser.parse() ? reader.texts : nil
    }

    @Test
    func `an image is well-formed, and has every device, line and message`() throws {
        let svg = try picture(of: Self.conflict).svg
        let shown = try #require(texts(of: "text", in: svg))
        for text in ["laptop", "phone", "server", "sync", "push of 1", "accepted", "pull"] {
            #expect(shown.contains(text), "\(text)")
        }
        #expect(shown.contains("set mail password \"from the"))
        #expect(shown.contains("news with 1"))
        let titles = try #require(texts(of: "title", in: svg))
        #expect(titles.first == "A <story> & \"more\"")
        #expect(titles.contains { $0.hasPrefix("laptop to server: push of 1") })
        let summary = try #require(texts(of: "desc", in: svg)?.first)
        #expect(summary.contains("A story of laptop, phone and the server: 9 lines"))
        #expect(summary.contains("line 9 fails, expected: nothing, shown: \"from <the> & laptop\""))
    }

    @Test
    func `a failed expectation and a lost message are marked`() throws {
        let svg = try picture(of: Self.conflict).svg
        #expect(svg.contains("<rect class=\"failed\""))
        // What the two tried to send while the server was away.
        #expect(svg.contains("<g class=\"request lost\">"))
        #expect(svg.contains("<line class=\"lane away\""))
        let kept = try picture(
            of: Self.conflict.split(separator: "\n").dropLast().joined(separator: "\n")
        )
        #expect(!kept.svg.contains("<rect class=\"failed\""))
    }

    @Test
    func `a page is whole without anything from outside, and has a list for readers`() throws {
        let html = try picture(of: Self.conflict).html
        #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        for outside in ["http:", "https:", "src=", "url(", "@import", "<script", "href="] {
            #expect(!html.contains(outside), "\(outside)")
        }
        #expect(html.contains("prefers-color-scheme: dark"))
        #expect(html.contains("<h1>A &lt;story&gt; &amp; &quot;more&quot;</h1>"))
        #expect(html.contains("line 5: laptop set mail password &quot;from &lt;the&gt; &amp; "))
        #expect(!html.contains("<the>"))
    }

    @Test
    func `the same story has the same picture, and another seed another one`() throws {
        let first = try picture(of: Self.conflict)
        let second = try picture(of: Self.conflict)
        #expect(first.svg == second.svg && first.html == second.html)
        #expect(try picture(of: Self.conflict, seed: 2).svg != first.svg)
    }

    /// Characters that no document may hold, in a name, a field and a value.
    @Test
    func `control characters and wide letters do not break an image`() throws {
        let text = """
            devices laptop
            laptop kv set "k\u{1}\u{7F}" "\\n\\t\u{FFFE} 日本語のとても長いテキスト ]]>"
            sync
            """
        let svg = try picture(of: text).svg
        #expect(texts(of: "text", in: svg) != nil)
        #expect(!svg.contains("\u{1}"))
    }

    /// `scripts/generate-pictures` draws them.
    @Test(arguments: ["first", "delete-against-note"])
    func `the documents show the pictures of the present stories`(name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../..").standardizedFileURL
        func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }
        let story = try StoryFile(parsing: text("Examples/Stories/\(name).story"))
        let record = try #require(try story.run(keepsRecord: true).record)
        let picture = StoryPicture(title: name, record)
        #expect(try text("docs/pictures/\(name).svg") == picture.svg)
        #expect(try text("docs/Sync.md").contains("](pictures/\(name).svg)"))
    }

    @Test(arguments: [
        "devices a b c d e f g\nsync\nserver move\na move\nsync", "devices a", "sync",
    ])
    func `many devices, two servers, or none have a picture`(text: String) throws {
        let svg = try picture(of: text).svg
        #expect(texts(of: "text", in: svg) != nil)
        if text.contains("move") { #expect(svg.contains(">server 2</text>")) }
    }
}

/// Collects the texts of an element.
private final class ElementReader: NSObject, XMLParserDelegate {
    private let element: String
    private var isInside = false
    private(set) var texts: [String] = []

    init(_ element: String) { self.element = element }

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard name == element else { return }
        isInside = true
        texts.append("")
    }

    func parser(
        _ parser: XMLParser,
        didEndElement name: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        if name == element { isInside = false }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if isInside { texts[texts.count - 1] += text }
    }
}
