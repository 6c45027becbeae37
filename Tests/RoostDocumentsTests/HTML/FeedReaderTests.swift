import Foundation
import RoostDocuments
import RoostModel
import Testing

/// Tests of the items that are read from feeds.
@Suite struct FeedReaderTests {
    private func read(_ feed: String) async throws -> [Document] {
        let input = DocumentInput(data: Data(feed.utf8), path: "https://example.org/feed")
        return try await FeedReader().read(input, as: FeedReader.type).documents
    }

    @Test func `The items of RSS are documents with their content, links and dates`() async throws {
        let items = try await read(
            """
            <?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
              xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>River news</title>
            <language>en</language><item><title>High water &amp;amp; fog</title><guid>id-1</guid>
            <link>https://example.org/1</link><dc:creator>Ada</dc:creator><category>Water</category>
            <pubDate>Fri, 14 Mar 2025 10:30:00 +0100</pubDate><description>Short</description>
            <content:encoded><![CDATA[<h2>Level</h2><p>It is <a href="/map">three metres</a>.</p>]]>
            </content:encoded></item><item><title>Second</title><link>https://example.org/2</link>
            <description>Only a &lt;b&gt;summary&lt;/b&gt;</description></item></channel></rss>
            """)
        #expect(items.map(\.key) == ["id-1", "https://example.org/2"])
        #expect(items.map(\.title) == ["High water & fog", "Second"])
        #expect(items[0].text == "## Level\n\nIt is three metres.")
        #expect(items[0].links.map(\.target) == ["https://example.org/map"])
        #expect(items[0].metadata["author"] == .string("Ada"))
        #expect(items[0].metadata["site"] == .string("River news"))
        #expect(items[0].tags == ["Water"])
        #expect(items[0].createdAt == Date(timeIntervalSince1970: 1_741_944_600))
        #expect(items[1].text == "Only a summary")
    }

    @Test func `The entries of Atom are read, including XHTML`() async throws {
        let items = try await read(
            """
            <?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Fluss</title>
            <entry><id>urn:1</id><title>Pegel</title><link rel="self" href="https://example.org/self"/>
            <link href="https://example.org/1"/><author><name>Ada</name></author>
            <published>2025-03-14T09:30:00Z</published><updated>2025-03-15T00:00:00Z</updated>
            <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Drei <b>Meter</b> &amp; mehr</p>
            </div></content></entry></feed>
            """)
        #expect(items.map(\.key) == ["urn:1"])
        #expect(items[0].text == "Drei Meter & mehr")
        #expect(items[0].metadata["url"] == .string("https://example.org/1"))
        #expect(items[0].metadata["author"] == .string("Ada"))
        #expect(items[0].updatedAt == Date(timeIntervalSince1970: 1_741_996_800))
    }

    @Test func `Relative addresses are resolved against the base or the page of the feed`() async throws {
        let atom = try await read(
            """
            <?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://a.example/blog/">
            <title type="html">A &lt;i&gt;river&lt;/i&gt;</title><link href="index.html"/>
            <entry><id>1</id><title>One</title><link href="e1.html"/>
            <content type="html">&lt;a href="other.html"&gt;Other&lt;/a&gt;</content></entry>
            <entry xml:base="sub/"><id>2</id><title>Two</title><link href="e2.html"/>
            <summary>Words</summary></entry><entry><id>3</id><title>Three</title><summary>Words</summary></entry>
            </feed>
            """)
        #expect(
            atom.map { $0.metadata["url"] } == [
                .string("https://a.example/blog/e1.html"), .string("https://a.example/blog/sub/e2.html"), nil,
            ])
        #expect(atom[0].links.map(\.target) == ["https://a.example/blog/other.html"])
        #expect(atom[0].metadata["site"] == .string("A river"))
        let rss = try await read(
            """
            <?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://b.example/n/</link>
            <item><title>One</title><link>/one</link><description>Words</description></item>
            <item><title>Two</title><link>mailto:ann@example.org</link><description>Words</description></item>
            </channel></rss>
            """)
        #expect(
            rss.map { $0.metadata["url"] } == [
                .string("https://b.example/one"), .string("mailto:ann@example.org"),
            ])
    }

    @Test func `The items of RSS 1_0 follow the channel`() async throws {
        let items = try await read(
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
            <channel><title>News</title></channel><item rdf:about="https://example.org/1"><title>One</title>
            <description>First text</description></item></rdf:RDF>
            """)
        #expect(items.map(\.key) == ["https://example.org/1"])
        #expect(items.map(\.text) == ["First text"])
    }

    @Test func `The items before a fault of a feed are read, and the fault is reported`() async throws {
        let feed =
            "<rss><channel><item><title>One</title></item><item><title>Two</title></item><item></channel></rss>"
        let input = DocumentInput(data: Data(feed.utf8), path: "https://example.org/feed")
        let contents = try await FeedReader().read(input, as: FeedReader.type)
        #expect(contents.documents.map(\.title).prefix(2) == ["One", "Two"] && !contents.isComplete)
        #expect(contents.faults.map(\.reason) == ["its XML is not well-formed"])
        // An item that is cut would replace its complete text.
        let cut = DocumentInput(
            data: Data("<rss><channel><item><title>One</title></item><item><title>Tw".utf8), path: "/feed")
        let read = try await FeedReader().read(cut, as: FeedReader.type)
        #expect(read.documents.map(\.title) == ["One"] && !read.isComplete)
    }

    @Test func `Feeds with entities or without items are rejected`() async {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
            <rss><channel><item><title>&b;</title></item></channel></rss>
            """
        let file = """
            <!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><item><title>&x;</title>
            </item></channel></rss>
            """
        for feed in [bomb, file, "<rss/>", "<html></html>", "{}", "{", "", "<rss><channel><item"] {
            await #expect(throws: DocumentError.self) { try await read(feed) }
        }
    }
}
