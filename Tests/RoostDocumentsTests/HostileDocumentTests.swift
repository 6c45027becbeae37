import Foundation
import TestSupport
import Testing

@testable import RoostDocuments

/// Tests of small documents whose reading must not need time that grows faster than their size.
@Suite struct HostileDocumentTests {
    /// Returns a message with nested alternatives, each of which has a plain text and the next one.
    private static func alternatives(depth: Int, plain: String, html: String) -> String {
        var message = "From: a@example.org\nSubject: News\nMIME-Version: 1.0\n"
        for level in 0..<depth {
            message += "Content-Type: multipart/alternative; boundary=\"x\(level).\"\n\n--x\(level).\n"
            message += "Content-Type: text/plain\n\n\(plain)\n--x\(level).\n"
        }
        message += "Content-Type: text/html\n\n\(html)\n"
        for level in (0..<depth).reversed() { message += "--x\(level).--\n" }
        return message
    }

    @Test func `Each part of nested alternatives of a message is read once`() async throws {
        let html = "<p>The pump runs. <a href='https://example.org/p'>Photo</a></p>"
        let nested = Self.alternatives(depth: 40, plain: "", html: html)
        let document = try await DocumentFixture.document(nested, name: "a.eml")
        #expect(document.text == "The pump runs. Photo" && document.links.count == 1)
        let similar = Self.alternatives(depth: 40, plain: "The pump runs.", html: html)
        let plain = try await DocumentFixture.document(similar, name: "a.eml")
        #expect(plain.text == "The pump runs." && plain.links.isEmpty && plain.unreadParts.isEmpty)
    }

    @Test(arguments: [
        ("<title>A - B</title>", "<h1>B</h1>"), ("<title>A - B</title><a href='#'>", ".<br>"),
    ])
    func `A page with very many headings or signs is read in a short time`(start: String, unit: String) {
        let page = Data((start + String(repeating: unit, count: 30_000)).utf8)
        let seconds = ReaderDetailTests.threadSeconds()
        #expect(HTMLPage(page).metadata.title == "A - B")
        #expect(ReaderDetailTests.threadSeconds() - seconds < 10)
    }

    @Test(arguments: [
        ("<table><tr><td class=lineno>", "<span class=lineno>1</span>", "x"), ("<ol>", "<li>a b", "</ol>"),
        ("<div>", "<a href='/x'>a</a><hr>", "</div>"), ("<div class=code>", "<div class=line>a</div>", "b"),
    ])
    func `A page that repeats an element is read in linear time`(start: String, unit: String, end: String) {
        func seconds(count: Int) -> Double {
            let data = Data((start + String(repeating: unit, count: count) + end).utf8)
            let before = ReaderDetailTests.threadSeconds()
            let page = HTMLPage(data)
            _ = HTMLMarkdown.text(of: MainContent(of: page).blocks, in: page)
            return ReaderDetailTests.threadSeconds() - before
        }
        // Linear time grows by a factor of 4, quadratic time by one of 16.
        let measurements = (0..<4).lazy.map { _ in (short: seconds(count: 6000), long: seconds(count: 24_000))
        }
        #expect(measurements.contains { $0.long < 0.5 || $0.long < 9 * $0.short })
    }

    @Test(arguments: ["<div style='color: red; margin: 0; padding: 0; border: none'>", "<header>"])
    func `Deeply nested styles and headers are examined once`(tag: String) {
        func seconds(_ tag: String) -> Double {
            let page =
                String(repeating: tag, count: 190) + "<a href='/'>x</a>"
                + String(repeating: "<p>a b c</p>", count: 2500)
            let before = ReaderDetailTests.threadSeconds()
            let document = HTMLPage(Data(page.utf8))
            _ = MainContent(of: document)
            return ReaderDetailTests.threadSeconds() - before
        }
        // Examined for each block, they need 19 and 8 times as long as other elements.
        let measurements = (0..<4).lazy.map { _ in (plain: seconds("<div>"), other: seconds(tag)) }
        #expect(measurements.contains { $0.other < 4 * $0.plain })
    }
}

/// Tests with damaged and hostile pages: no crash, and bounded time.
@Suite struct HTMLFuzzTests {
    /// Reads a page; returns the time, and the document if the page has text.
    private static func read(_ page: [UInt8]) async -> (time: Duration, document: Document?) {
        let clock = ContinuousClock()
        let start = clock.now
        // A page without text throws an error, which is a valid result here.
        let document = try? await HTMLReader().read(
            DocumentInput(data: Data(page), path: "x.html"), as: HTMLReader.type)
        return (clock.now - start, document?.documents.first)
    }

    /// The maximum time for a page. It is generous, because other tests use the processor too.
    private static let maximumTime = Duration.seconds(600)

    @Test(arguments: [
        "<div>", "<b>", "<p><b>", "<table>", "<a href=x>", "<template>", "<svg>", "<math>", "<noscript>",
        "</p>",
        "<ul><li>", "<blockquote>", "<pre>", "<select>", "<font a=b>", "<i></b>", "<", "</", "<!--",
        "<![CDATA[",
        "&", "&#x1F600;", "<h1>", "<td>", "<p a", "<p a='", "<title>", "<script>", "\u{0}", "<br>",
        "<frameset>",
    ])
    func `A page of many tags is read in bounded time`(tag: String) async {
        let text = Array("The end of the page is a sentence of some length.".utf8)
        var page: [UInt8] = []
        for _ in 0..<Self.tagCount { page += Array(tag.utf8) }
        let (time, _) = await Self.read(page + text)
        #expect(time < Self.maximumTime)
    }

    @Test func `A page that is too deep for the HTML parser is refused`() async {
        let page = String(repeating: "<div>", count: 1_000_000) + "<p>" + HTMLReaderTests.sentence
        await #expect(throws: DocumentError.self) { try await HTMLReaderTests.read(page) }
    }

    @Test func `A large attribute and a large text are read`() async throws {
        let attribute = String(repeating: "x y ", count: 1_000_000)
        let page = "<div class='\(attribute)' data-x='\(attribute)'><p>\(HTMLReaderTests.sentence)</p></div>"
        let (time, document) = await Self.read(Array(page.utf8))
        #expect(document?.text.hasPrefix("The river rises") == true)
        #expect(time < Self.maximumTime)
        let long = "<p>" + String(repeating: HTMLReaderTests.sentence, count: 20_000)
        #expect(await Self.read(Array(long.utf8)).document?.text.utf8.count ?? 0 > 1_000_000)
    }

    @Test func `Invalid UTF-8 and zero bytes in a page do not prevent its reading`() async throws {
        let start = Array("<meta charset=utf-8><p>".utf8)
        let end = Array(HTMLReaderTests.sentence.utf8)
        let utf8 = Array(String(repeating: "Grüße ", count: 500).utf8)
        let (_, document) = await Self.read(start + utf8 + [0xFF, 0, 0xC3] + end)
        let text = try #require(document?.text)
        #expect(text.contains("Grüße") && text.contains("The river rises"))
    }

    /// The number of tags of a page: 20,000, or one million if ROOST_FUZZ_FILES is set.
    private static let tagCount =
        ProcessInfo.processInfo.environment["ROOST_FUZZ_FILES"] == nil ? 20_000 : 1_000_000
}

/// Reads documents of many pages, whose texts must be complete and in order.
struct LargeDocumentTests {
    private static let words = [
        "swift", "barrel", "compost", "lens", "oboe", "dough", "trail", "ledger", "query", "comet", "frost",
    ]

    private static let sentences = (0..<4000).map { number in
        let word = words[number % 11]
        return "Sentence \(number) is about the \(word), the \(words[number / 11 % 11]) and nothing else."
    }

    private static func word() -> Data {
        let paragraphs = sentences.map { "<w:p><w:r><w:t>\($0)</w:t></w:r></w:p>" }.joined()
        return StoredArchive.data([
            ("word/document.xml", "<w:document xmlns:w='w'><w:body>\(paragraphs)</w:body></w:document>")
        ])
    }

    private static func message() -> Data {
        Data("From: a@b.example\r\nSubject: Long\r\n\r\n\(sentences.joined(separator: "\r\n"))\r\n".utf8)
    }

    @Test(arguments: ["docx", "eml"])
    func `the text of a large document is complete and in order`(type: String) async throws {
        let data = type == "docx" ? Self.word() : Self.message()
        let documents = try await DocumentFixture.documents(
            DocumentInput(data: data, path: "/notes/large." + type))
        let document = try #require(documents.first)
        #expect(documents.count == 1 && document.unreadParts.isEmpty)
        let text = document.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let found = text.matches(of: /Sentence [^.]*\./).map { String($0.output) }
        #expect(found == Self.sentences)
    }
}
