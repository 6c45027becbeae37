import Foundation
import TestSupport
import Testing

@testable import RoostDocuments

/// Tests with damaged and hostile pages: no crash, and bounded time.
@Suite struct HTMLFuzzTests {
    /// Reads a page; returns the time, and the document if the page has text.
    private static func read(_ page: [UInt8]) async -> (time: Duration, document: Document?) {
        let clock = ContinuousClock()
        let start = clock.now
        // A page without text throws an error, which is a valid result here.
        let document = try? await HTMLReader().read(
            DocumentInput(data: Data(page), path: "x.html"), as: HTMLReader.type)
        return (clock.now - start, document?.first)
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

    /// The number of mutated pages: 100, or the value of ROOST_FUZZ_PAGES.
    private static let count =
        ProcessInfo.processInfo.environment["ROOST_FUZZ_PAGES"].flatMap { Int($0) } ?? 100

    /// The number of tags of a page: 20,000, or one million if ROOST_FUZZ_PAGES is set.
    private static let tagCount =
        ProcessInfo.processInfo.environment["ROOST_FUZZ_PAGES"] == nil ? 20_000 : 1_000_000

    @Test func `Mutated pages are read without a crash`() async {
        var generator = Seeded(state: 24)
        let parts = [
            "<table><tr><td>", "<template><p>", "</template>", "<svg><title>x</svg>", "<math><mi>y</math>",
            "<noscript>", "<select><option>", "</body>", "<frameset>", "<!DOCTYPE x", "<plaintext>", "<a><a>",
            "<b><i></b></i>", "&amp", "&#0;", "&#x110000;", "\u{0}", "<![CDATA[", "<form><form>",
            "<html lang=x>",
            "<script type='application/ld+json'>[[[", "<base href='//'>", "<p hidden style='display:none'>",
            "<isindex>", "<image>", "<table><b><table>", "<li></ul>", "<ruby><rt>", "<textarea>", "<title>",
        ].map { Array($0.utf8) }
        for _ in 0..<Self.count {
            var page = Array(HTMLReaderTests.article.utf8)
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let position = Int.random(in: 0..<page.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: page[position] = UInt8.random(in: 0...255, using: &generator)
                case 1: page.insert(contentsOf: parts.randomElement(using: &generator) ?? [], at: position)
                case 2:
                    let end = min(page.count, position + Int.random(in: 1...80, using: &generator))
                    page.removeSubrange(position..<end)
                default:
                    let end = min(page.count, position + Int.random(in: 1...200, using: &generator))
                    page.insert(contentsOf: page[position..<end], at: position)
                }
                if page.isEmpty { page = [0x3C] }
            }
            let (time, _) = await Self.read(page)
            #expect(time < Self.maximumTime)
        }
    }
}
