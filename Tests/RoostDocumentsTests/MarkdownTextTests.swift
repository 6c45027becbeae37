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

    @Test(arguments: [
        ("a\u{1B}[1;31mb\u{1B}[0m", "ab"), ("5%\r50%\r100%\nb", "100%\nb"), ("a\r\nb\r\n", "a\nb\n"),
        ("\u{1B}]8;;https://e.org\u{7}link\u{1B}]8;;\u{1B}\\ x", "link x"), ("\u{1B}(Ba\u{1B}7b", "ab"),
        ("\u{1B}[31", ""), ("\u{1B}[3\nb", "\nb"), ("\u{1B}]0;t\nb", "\nb"), ("é\u{1B}é", "éé"),
    ])
    func `Output of a program has no sequences for the terminal`(text: String, expected: String) {
        #expect(TerminalOutput.visibleText(text) == expected)
    }
}
