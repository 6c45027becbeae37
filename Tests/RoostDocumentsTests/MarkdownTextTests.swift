import Foundation
import Testing

@testable import RoostDocuments

/// Tests of texts that are not Markdown and become a part of it.
@Suite struct MarkdownTextTests {
    @Test(arguments: [
        ("a [[b]] c", "a \\[[b]] c"), ("[[[b]]]", "\\[\\[[b]]]"), ("![[b]]", "!\\[[b]]"),
        ("\\[[b]]", "\\[[b]]"), ("\\\\[[b]]", "\\\\\\[[b]]"), ("x[1][2]", "x[1][2]"), ("[[", "\\[["),
    ])
    func `Two brackets do not begin a link to a note`(text: String, expected: String) {
        #expect(MarkdownText.escaped(text) == expected)
        #expect(MarkdownText.heading(ofPlainText: text, level: 2) == "## " + expected)
        #expect(MarkdownText.table([[text]]) == "| \(expected) |\n| --- |")
        #expect(TableRows.bytes(of: text) >= expected.utf8.count)
        #expect(MarkdownAnalysis(expected).scanner.links.isEmpty)
    }

    @Test func `Brackets in HTML do not begin a link to a note`() {
        let page = HTMLPage(Data("<h2>A [[b]]</h2><p>This [[c]]</p>".utf8))
        #expect(HTMLMarkdown.text(of: page.blocks, in: page) == "## A \\[[b]]\n\nThis \\[[c]]")
    }

    @Test func `A table without text is omitted`() {
        #expect(MarkdownText.table([["", " "], ["\n"]]).isEmpty)
        #expect(MarkdownText.table([["", "a"]]) == "|  | a |\n| --- | --- |")
    }
}
