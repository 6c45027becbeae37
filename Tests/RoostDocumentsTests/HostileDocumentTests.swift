import Foundation
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
