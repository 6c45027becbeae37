import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

/// Tests of the text, the links and the metadata that are read from web pages.
@Suite struct HTMLReaderTests {
    static func read(
        _ page: String, path: String = "/notes/page.html"
    ) async throws -> Document {
        let input = DocumentInput(data: Data(page.utf8), path: path)
        return try #require(try await HTMLReader().read(input, as: HTMLReader.type).documents.first)
    }

    static let sentence = "The river rises in the hills, and its water reaches the sea after forty miles. "

    static let article = """
        <!DOCTYPE html><html lang="en-GB"><head><title>The river | Example Times</title>
        <meta property="og:site_name" content="Example Times"><meta name="author" content="Ada Byron">
        <meta name="description" content="A walk along the river.">
        <meta property="article:published_time" content="2025-03-14T10:30:00+01:00">
        <meta property="article:modified_time" content="2025-03-15">
        <link rel="canonical" href="https://example.org/river"></head>
        <body><nav class="menu"><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li>
        <li><a href="/sport">Sport</a></li><li><a href="/login">Sign in</a></li></ul></nav>
        <main><article><h1>The river</h1><p>\(sentence)\(sentence)</p>
        <p>\(sentence)<a href="/map?x=1#top">The map</a> shows its course.</p><h2>Fish</h2>
        <p>\(sentence)</p><table><tr><th>Year</th><th>Level of the water in spring</th></tr>
        <tr><td>2024</td><td>3 m at the bridge</td></tr><tr><td>2025</td><td>2 m at the weir</td></tr></table>
        <p>\(sentence)</p><ul><li>Trout, which live in the upper part of the river</li>
        <li>Salmon, which return in autumn after three years in the sea</li></ul>
        <pre><code class="language-swift">let length = 40
        print(length)</code></pre><blockquote><p>\(sentence)</p></blockquote>
        </article></main>
        <footer class="footer"><a href="/privacy">Privacy policy</a> <a href="/terms">Terms</a>
        © 2025 Example Times. All rights reserved.</footer><script>track("secret")</script></body></html>
        """

    @Test func `The main content becomes Markdown without menu, footer and scripts`() async throws {
        let text = try await Self.read(Self.article).text
        #expect(text.contains("## Fish"))
        #expect(text.contains("- Trout, which live in the upper part of the river\n- Salmon"))
        #expect(text.contains("```swift\nlet length = 40\nprint(length)\n```"))
        #expect(text.contains("\n> The river rises"))
        #expect(text.contains("| Year | Level of the water in spring |\n| --- | --- |\n| 2024 |"))
        for word in ["Sign in", "Privacy policy", "All rights reserved", "secret", "Sport"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    @Test func `The title, author, dates, language, address and summary are read`() async throws {
        let document = try await Self.read(Self.article)
        #expect(document.title == "The river")
        #expect(document.metadata["author"] == .string("Ada Byron"))
        #expect(document.metadata["language"] == .string("en-GB"))
        #expect(document.metadata["url"] == .string("https://example.org/river"))
        #expect(document.metadata["description"] == .string("A walk along the river."))
        #expect(document.metadata["site"] == .string("Example Times"))
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_741_944_600))
        #expect(document.updatedAt == Date(timeIntervalSince1970: 1_741_996_800))
    }

    @Test func `Links are relative in a file and complete in a page from a server`() async throws {
        let file = try await Self.read(Self.article)
        #expect(
            file.links == [DocumentLink(kind: .address, target: "/map?x=1", fragment: "top", text: "The map")]
        )
        let page = try await Self.read(Self.article, path: "https://example.org/a/b")
        #expect(page.links.map(\.target) == ["https://example.org/map?x=1"])
    }

    @Test func `JSON-LD states the author and the dates`() async throws {
        let page = """
            <html><head><title>A - B</title><script type="application/ld+json">{"@graph": [{"@type":
            ["NewsArticle"], "headline": "A", "author": [{"name": "Ada"}, {"name": "Bob"}], "datePublished":
            "2024-02-29"}]}</script></head><body><p>\(Self.sentence)</p></body></html>
            """
        let document = try await Self.read(page)
        #expect(document.metadata["author"] == .string("Ada, Bob"))
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_709_164_800))
    }

    @Test func `Text that looks like markup or Markdown is escaped`() async throws {
        let text = try await Self.read(
            "<p># no heading &lt;b&gt; in this sentence, which is long enough to be a paragraph of text.</p>"
        ).text
        #expect(text.hasPrefix("\\# no heading \\<b>"))
    }

    @Test func `Nested and numbered lists keep their structure`() {
        let list = "<ol start=3><li>Fill it<ul><li>or the urn</ul><li>Pour it<p>slowly</ol>"
        let page = HTMLPage(Data(list.utf8))
        let text = HTMLMarkdown.text(of: page.blocks, in: page)
        #expect(text == "3. Fill it\n  - or the urn\n4. Pour it\n\n   slowly")
    }

    @Test func `A page is recognized by its contents`() {
        func type(_ text: String, path: String = "x") -> String? {
            HTMLReader().recognizedType(of: DocumentInput(data: Data(text.utf8), path: path))?.name
        }
        #expect(type("\u{FEFF} <!-- a --><!DOCTYPE html><p>") == "html")
        #expect(type("<?xml version=\"1.0\"?><html xmlns=\"x\">") == "html")
        #expect(type("<svg>") == nil)
        #expect(type("Some <html> text") == nil)
        #expect(type("<!-- never closed") == nil)
        #expect(type("<html><?php f() ?>", path: "a.PHP") == nil)
    }

    @Test func `A page without text is reported`() async {
        for page in ["", "<html><body><script>x()</script></body></html>", "\0\0\0"] {
            await #expect(throws: DocumentError.self) { try await Self.read(page) }
        }
    }

    @Test(arguments: [
        ("<meta charset=windows-1251><p>", "\u{cf}\u{f0}\u{e8}\u{e2}\u{e5}\u{f2}", "Привет"),
        ("<p>", "caf\u{e9} \u{80} 5", "café € 5"), ("<meta charset=iso-8859-1><p>", "\u{93}x\u{94}", "“x”"),
        (
            "<meta http-equiv=content-type content='text/html; charset=Shift_JIS'><p>",
            "\u{93}\u{fa}\u{96}\u{7b}", "日本"
        ),
        ("<meta charset=x-unknown><p>", "na\u{ef}ve", "naïve"),
    ])
    func `The stated character encoding is used`(head: String, latin: String, expected: String) async throws {
        let bytes = latin.unicodeScalars.map { UInt8($0.value) }
        let input = DocumentInput(data: Data(head.utf8) + Data(bytes), path: "x.html")
        let text = try await HTMLReader().read(input, as: HTMLReader.type).documents.first?.text
        #expect(text == expected)
    }

    @Test(arguments: [
        ("windows-1251", "Дождь над садом"), ("iso-8859-1", "Grüße"),
        ("gb2312", "雨落在花园里，今天下午一直下"),
    ])
    func `A page that was converted to UTF-8 is read as such, in spite of its statement`(
        name: String, text: String
    ) async throws {
        let data = Data("<meta charset=\(name)><p>\(text)</p>".utf8)
        for stated in [nil, name] {
            let input = DocumentInput(data: data, path: "x.html", encodingName: stated)
            #expect(try await HTMLReader().read(input, as: HTMLReader.type).documents.first?.text == text)
        }
    }

    @Test func `A byte order mark takes precedence over the encoding that the server states`() async throws {
        let text = "<p>Grüße aus Köln</p>"
        let utf16 = Data([0xFE, 0xFF]) + Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        for data in [utf16, Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)] {
            let input = DocumentInput(data: data, path: "x.html", encodingName: "windows-1252")
            #expect(
                try await HTMLReader().read(input, as: HTMLReader.type).documents.first?.text
                    == "Grüße aus Köln")
        }
    }

    @Test func `The title of a page is its heading without the name of the site`() async throws {
        for stated in ["Fish return | River Times", "River Times - Fish return", "Fish return"] {
            let page =
                "<title>\(stated)</title><h1>Fish return<a href='#x'>¶</a></h1><p>\(Self.sentence)</p>"
            #expect(try await Self.read(page).title == "Fish return")
        }
    }

    @Test func `Links to headings and links to edit sections are no parts of headings`() async throws {
        let page = """
            <h1>The river<a class="headerlink" href="#river">¶</a></h1><p>\(Self.sentence)</p>
            <h2><a href="page.html#fish">#</a> Fish <span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2>
            <p>\(Self.sentence)See <a href="#fish">C#</a><a href="#fish">1</a>.</p>
            """
        let document = try await Self.read(page)
        #expect(document.title == "The river" && document.text.contains("\n\n## Fish\n\n"))
        #expect(document.text.hasSuffix("See C#1."))
    }

    @Test func `The name of the site is removed from titles`() {
        func short(_ title: String, _ site: String? = nil) -> String {
            HTMLMetadata.withoutSiteName(title, siteName: site)
        }
        #expect(short("How to bake bread - The Kitchen") == "How to bake bread")
        #expect(short("Blog | Bread", "Blog") == "Bread")
        #expect(short("Bread and butter") == "Bread and butter")
        #expect(
            short("C - a language for systems and much more") == "C - a language for systems and much more")
    }
}
