import Foundation
import Testing

@testable import RoostDocuments

/// Tests of pages in XHTML, in several encodings, with unknown elements and with elements that are not
/// closed.
@Suite struct PageSyntaxTests {
    private static let sentence = MainContentTests.sentence

    private static func text(_ body: String) -> String {
        text(Data("<html><body>\(body)</body></html>".utf8))
    }

    private static func text(_ page: Data) -> String {
        let page = HTMLPage(page)
        return HTMLMarkdown.text(of: page.blocks, in: page)
    }

    // MARK: XHTML

    @Test(arguments: ["<?xml version=\"1.0\"?><html>", "<html xmlns=\"http://www.w3.org/1999/xhtml\">"])
    func `Empty elements of XHTML do not contain the rest of the page`(start: String) async throws {
        let document = try await HTMLReaderTests.read(
            """
            \(start)<head><script src="a.js"/><title>The river</title></head><body><a id="top"/>
            <p>\(Self.sentence)</p>
            <textarea rows='2' /><p>The <![CDATA[mill < weir & leat]]>.</p><!-- <div/> --></body></html>
            """)
        #expect(document.title == "The river")
        #expect(document.text == "\(Self.sentence)\n\nThe mill < weir & leat.")
        #expect(document.links.isEmpty)
    }

    @Test(arguments: [
        ("<p>a<br/>b</p>", "<p>a<br/>b</p>"), ("<i a='>'/>", "<i a='>'></i>"), ("<a href=x/>y</a>", nil),
        ("<script>if (a < b/>c) {}</script>", nil), ("<style/>p", "<style></style>p"), ("<!-- <b/> -->", nil),
        ("a < b", nil), ("<p class=\"x", nil), ("<![CDATA[a", "a"), ("<b/", nil), ("</b/>", nil), ("<", nil),
        ("<g:x/>", "<g:x></g:x>"),
    ])
    func `Only empty elements and sections of XHTML are converted`(body: String, expected: String?) {
        let start = "<?xml version=\"1.0\"?>"
        let converted = XHTMLSyntax.converted(Array((start + body).utf8))
        #expect(String(decoding: converted, as: UTF8.self) == start + (expected ?? body))
        #expect(XHTMLSyntax.converted(Array(body.utf8)) == Array(body.utf8))
    }

    @Test func `Very many quotation marks and sections that do not end are converted in linear time`() {
        let seconds = ReaderDetailTests.threadSeconds()
        for part in ["<a b=\"", "<a b='\"", "<![CDATA[", "<!--", "<script>"] {
            let page = Array(("<?xml ?>" + String(repeating: part, count: 200_000)).utf8)
            #expect(XHTMLSyntax.converted(page).count >= 200_000)
        }
        #expect(ReaderDetailTests.threadSeconds() - seconds < 30)
    }

    // MARK: Encodings

    @Test func `A part in windows-1252 does not spoil a page in UTF-8`() {
        var page = Data("<meta charset=utf-8><p>Der Fluß fließt über Köln — „so weit“.</p><p>Die M".utf8)
        page.append(0xFC)
        page.append(contentsOf: "hle in Gr".utf8)
        page.append(0xFC)
        page.append(contentsOf: "n.</p>".utf8)
        #expect(Self.text(page) == "Der Fluß fließt über Köln — „so weit“.\n\nDie Mühle in Grün.")
    }

    @Test func `A damaged character is not converted from windows-1252`() {
        var page = Data("<meta charset=utf-8><p>Der Fluß fließt über Köln ".utf8)
        page.append(contentsOf: [0xE2, 0x80])
        page.append(contentsOf: " weit</p>".utf8)
        #expect(!Self.text(page).contains("â"))
        #expect(MixedEncoding.repaired([0xFC, 0xC3, 0xA4]) == nil)
    }

    // MARK: Elements

    @Test(arguments: [
        ("<p>Seen <relative-time>2 days</relative-time> ago</p>", "Seen 2 days ago"),
        ("<p>In <st1:City w:st='on'>London</st1:City>.<o:p></o:p></p>", "In London."),
        ("<x-line>One</x-line><x-line>Two</x-line>", "One\n\nTwo"),
        ("One <x-card><p>Two</p></x-card> three", "One\n\nTwo\n\nthree"),
        ("<h2><x-icon></x-icon><x-name>Fish</x-name> <x-count>2</x-count></h2>", "## Fish 2"),
        (
            "<p><span style='display: block'>One</span><span style='display:block'>Two</span></p>",
            "One\n\nTwo"
        ),
        ("<p>One<span style='display:inline-block'>, two</span></p>", "One, two"),
        ("<p>One<img style='display:block'> two</p>", "One two"),
    ])
    func `Elements that only a style sheet or a script defines are parts of a line`(
        body: String, text: String
    ) {
        #expect(Self.text(body) == text)
    }

    @Test(arguments: ["listing", "xmp", "plaintext"])
    func `Obsolete elements for preformatted text are code`(name: String) {
        #expect(Self.text("<p>a</p><\(name)>b\n  c</\(name)>").hasPrefix("a\n\n```\nb\n  c"))
    }

    @Test func `The template of a shadow root is shown, and others are not`() {
        let card = "<x-card><template shadowrootmode=\"open\"><p>Shown</p></template></x-card>"
        #expect(Self.text("\(card)<template><p>Not shown</p></template>") == "Shown")
    }

    @Test func `The items of lists have the numbers that the page states`() {
        #expect(Self.text("<ol><li>a<li value=7>b<li>c</ol>") == "1. a\n7. b\n8. c")
        #expect(Self.text("<ol reversed><li>a<li>b<li>c</ol>") == "3. a\n2. b\n1. c")
        #expect(Self.text("<ol reversed start=9><li>a<li>b</ol>") == "9. a\n8. b")
    }

    @Test func `A heading that does not end does not contain the text of the page`() async throws {
        let long = String(repeating: Self.sentence + " ", count: 4).trimmingCharacters(in: .whitespaces)
        let document = try await HTMLReaderTests.read("<body><h1>The river<p>\(long)<p>Fish")
        #expect(document.text == "# The river\n\n\(long)\n\nFish")
        #expect(document.title == "The river")
        #expect(Self.text("<h2><p>Fish</p></h2>") == "## Fish")
    }

    @Test(arguments: [
        ("<p>forty miles.<a href='#footnote-1'>1</a> In spring</p>", "forty miles.[1] In spring"),
        ("<p>chapter <a href='#note-1'>1</a></p>", "chapter 1"),
        ("<p>part<a href='#part-2'>2</a></p>", "part2"),
        ("<div><a href='#footnote-anchor-12'>12</a><div><p>See page 8.</p></div></div>", "[12] See page 8."),
        ("<div><a href='#chapter-12'>12</a><div><p>See page 8.</p></div></div>", "12\n\nSee page 8."),
    ])
    func `The numbers of notes are in brackets, also if they are not raised`(body: String, text: String) {
        #expect(Self.text(body) == text)
    }

    // MARK: Pages without text

    @Test func `The text in JSON-LD replaces a placeholder`() async throws {
        let words = String(repeating: Self.sentence + " ", count: 2).trimmingCharacters(in: .whitespaces)
        func page(_ body: String) -> String {
            """
            <script type="application/ld+json">{"@type": "NewsArticle", "articleBody": "\(words)"}</script>
            <body><div>\(body)</div></body>
            """
        }
        #expect(try await HTMLReaderTests.read(page("Loading")).text == words)
        #expect(try await HTMLReaderTests.read(page("")).text == words)
        #expect(try await HTMLReaderTests.read(page(Self.sentence)).text == Self.sentence)
    }

    @Test func `A page of frames is reported as such`() async {
        let error = await #expect(throws: DocumentError.self) {
            try await HTMLReaderTests.read("<frameset><frame src='a.html'><frame src='b.html'></frameset>")
        }
        guard case .noText(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("frames"))
    }
}
