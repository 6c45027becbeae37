import Testing

@testable import RoostDocuments

/// Tests of the analysis of Markdown that need its internal interface.
@Suite struct MarkdownAnalysisTests {
    @Test func `Only the beginning of a very long text is analyzed`() {
        let text = "# One\n\n[[A]]\n\n# Two\n\n[[B]]\n"
        let analysis = MarkdownAnalysis(text, maximumLength: 22)
        #expect(!analysis.isComplete)
        #expect(analysis.sections.map(\.headings) == [["One"], ["Two"]])
        #expect(analysis.sections.last?.range.upperBound == text.utf8.count)
        #expect(analysis.scanner.links.count == 1)
        #expect(MarkdownAnalysis(text).isComplete)
    }

    @Test func `A long line is cut between characters`() {
        let text = String(repeating: "ä😀", count: 20)
        for length in 1...12 {
            let analysis = MarkdownAnalysis(text, maximumLength: length)
            #expect(String(validating: analysis.lines.bytes, as: UTF8.self) != nil)
            #expect(analysis.sections == [.init(headings: [], range: 0..<text.utf8.count)])
        }
    }

    @Test func `Lines end with a line feed, a carriage return, or both`() {
        let lines = MarkdownLines(Array("a\nb\r\nc\rd".utf8))
        #expect(
            (0..<lines.count).map { lines.bytes.text(lines.contentRange($0..<$0 + 1)) } == [
                "a", "b", "c", "d",
            ])
        #expect(MarkdownLines(Array("a\n".utf8)).count == 1)
        #expect(MarkdownLines([]).count == 0)
        #expect(MarkdownLines(Array("\n".utf8)).count == 1)
    }

    @Test(arguments: [
        ("> a\n> b\n\nc", [0..<2, 3..<4]), ("- a\n  b\n- c", [0..<2, 2..<3]),
        ("a\n# b\nc", [0..<1, 1..<2, 2..<3]),
        ("a\n\n\tcode\nb", [0..<1, 2..<3, 3..<4]), ("```\na\n```\nb", [0..<3, 3..<4]),
        ("<!--\na\n\nb\n-->\nc", [0..<5, 5..<6]), ("a\nb\n===\nc", [0..<3, 3..<4]),
        ("```\nunclosed\n\nend", [0..<4]), ("* * *\na", [0..<1, 1..<2]),
    ])
    func `Blocks have the lines of the text`(text: String, lines: [Range<Int>]) {
        #expect(MarkdownAnalysis(text).blocks.map(\.lines) == lines)
    }
}
