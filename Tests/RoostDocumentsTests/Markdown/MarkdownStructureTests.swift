import Foundation
import Testing

@testable import RoostDocuments

/// Tests of the structure of Markdown: sections, hidden parts and blocks.
@Suite struct MarkdownStructureTests {
    private func structure(_ text: String) -> TextStructure { TextStructure(of: text, format: .markdown) }

    private func visible(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for part in structure(text).hiddenParts.reversed() { bytes.removeSubrange(part.range) }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
    }

    private func parts(_ text: String, _ kind: TextStructure.HiddenPart.Kind) -> [String] {
        let bytes = Array(text.utf8)
        return structure(text).hiddenParts.filter { $0.kind == kind }
            .map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    // MARK: Visible text

    @Test(arguments: [
        ("[text](https://example.org/x \"Title\") end", "text end"),
        ("![alt text](a.png) end", "alt text end"),
        ("[[Note]] and [[Folder/Note#Part|shown]]", "Note and shown"), ("![[photo.jpg]] end", "end"),
        ("![[Other note]]", "Other note"), ("foo[[bar]]s", "foobars"),
        ("a %%hidden%% b", "a b"), ("a %% b", "a %% b"),
        ("100%% sure\n\nand 50%% off", "100%% sure and 50%% off"),
        ("`%%` a `%%`", "`%%` a `%%`"), ("a <!-- hidden --> b", "a b"),
        ("a <br>b <b>c</b>d", "a b cd"), ("List<String> and <username>", "List<String> and <username>"),
        ("[a][ref] b\n\n[ref]: https://example.org 'T'", "a b"), ("text[^1]\n\n[^1]: A note", "text A note"),
        ("> [!warning]+ Hot\n> Text", "> Hot > Text"), ("- [ ] a\n- [x] b", "- a - b"),
        ("End of line. ^abc-1", "End of line."), ("2^10 stays ^ here", "2^10 stays ^ here"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "| a | b | | 1 | 2 |"),
        ("a\n\n***\n\nb", "a b"), ("<https://example.org> b", "https://example.org b"),
        ("\\[a](b) c", "\\[a](b) c"), ("[a](b c) d", "[a](b c) d"), ("[a]( b", "[a]( b"),
        ("<script>\nlet x = 1\n</script>\ntext", "text"),
        ("<div>\n<p>one</p>\n<p>two</p>\n</div>", "one two"),
    ])
    func `The visible text lacks markup, addresses and comments`(text: String, expected: String) {
        #expect(visible(text) == expected)
    }

    @Test func `Front matter is hidden`() {
        let text = "---\ntitle: T\n---\nBody\n\n```swift\nlet a = 1\n```\n"
        #expect(parts(text, .frontMatter) == ["---\ntitle: T\n---\n"])
        #expect(visible(text) == "Body ```swift let a = 1 ```")
    }

    @Test func `A comment can contain several paragraphs`() {
        let text = "Start\n\n%%\nfirst\n\n- second\n%%\n\nEnd\n"
        #expect(parts(text, .comment) == ["%%\nfirst\n\n- second\n%%"])
        #expect(visible(text) == "Start End")
        #expect(visible("a\n\n<!--\nfirst\n\nsecond\n-->\n\nb") == "a b")
    }

    // MARK: Sections and blocks

    @Test func `Sections have the path of their headings`() {
        let text = """
            Before

            # One

            Text

            ## Two *b*

            ```
            # no heading
            ```

            Three
            -----

            > # quoted

            - # in a list

            ### Four
            # Five
            """
        let structure = structure(text)
        #expect(
            structure.sections.map(\.headings) == [
                [], ["One"], ["One", "Two b"], ["One", "Three"], ["One", "Three", "Four"], ["Five"],
            ])
        #expect(structure.sections.first?.range.lowerBound == 0)
        #expect(structure.sections.last?.range.upperBound == text.utf8.count)
        let bytes = Array(text.utf8)
        let starts = structure.sections.map { String(decoding: bytes[$0.range].prefix(5), as: UTF8.self) }
        #expect(starts == ["Befor", "# One", "## Tw", "Three", "### F", "# Fiv"])
        #expect(structure.section(at: 0) == structure.sections[0])
        #expect(structure.section(at: text.utf8.count) == structure.sections[5])
    }

    @Test func `Code blocks and tables are blocks`() {
        let table = "| a | b |\n|---|---|\n| 1 | 2 |"
        let code = "~~~~sh\n~~~\nls\n~~~~"
        let text = "# T\n\n\(code)\n\ntext\n\n\(table)\n\n    indented\n    code\n"
        let bytes = Array(text.utf8)
        let blocks = structure(text).blocks.map { String(decoding: bytes[$0], as: UTF8.self) }
        #expect(blocks == [code, table, "    indented\n    code"])
    }

    @Test func `The rows of a large table are separate blocks`() {
        let row = "| \(String(repeating: "word ", count: 20))| 2 |"
        let text = "| a | b |\n|---|---|\n" + Array(repeating: row, count: 40).joined(separator: "\n")
        let structure = structure(text)
        #expect(structure.blocks.count == 41)
        #expect(structure.blocks.last.map { $0.count } == row.utf8.count)
    }

    @Test func `A table with many cells ends before the heading that follows`() {
        let header = "|" + String(repeating: "a|", count: 400)
        let line = "|" + String(repeating: "-|", count: 400)
        // cmark would create 400 cells for each row.
        let rows = String(repeating: "|a\n", count: 30_000)
        let structure = structure("# T\n\n\(header)\n\(line)\n\(rows)\n# After\n\ntext\n")
        #expect(structure.sections.map(\.headings) == [["T"], ["After"]])
        #expect(structure.blocks.count > 300)
    }

    @Test(arguments: [
        ("---\ntags: a\ntitle: \"My note\"\n---\n# Heading", "My note"),
        ("---\ntags: a\n---\n\n## The *heading*\ntext", "The heading"), ("Setext\n======\ntext", "Setext"),
        ("\u{FEFF}# Closed #\r\ntext", "Closed"), ("text\n\n# Later", nil), ("---\n\ntext", nil),
    ])
    func `The title is in the front matter or a heading at the beginning`(text: String, title: String?) {
        #expect(structure(text).title == title)
    }

    @Test func `The links are those of the text and of the front matter, in order`() {
        let links = structure("---\nup: \"[[Top]]\"\n---\n[a](b.md#c) ![[d.png]] https://e.org\n").links
        #expect(
            links == [
                DocumentLink(kind: .wiki, target: "Top"),
                DocumentLink(kind: .address, target: "b.md", fragment: "c", text: "a"),
                DocumentLink(kind: .embed, target: "d.png"),
                DocumentLink(kind: .address, target: "https://e.org"),
            ])
    }

    @Test func `Plain text has no structure`() {
        #expect(TextStructure(of: "# no heading\n[a](b)", format: .plain) == TextStructure())
        #expect(TextStructure(of: "", format: .markdown).sections == [.init(headings: [], range: 0..<0)])
    }

    // MARK: Large and malicious texts

    @Test(arguments: [
        "[", "![", "[[", "[a](", "[a](b", "](", "`", "`a``", "<", "<a ", "<!--", "<a \"", "$", "$a ", "%%",
        "% %", ">",
        "> ", "- ", "* ", "*_", "#", "# a\n", "|", "| a |\n", "a|b\n-|-\n", "{{title", "[a]: b\n", "[^1]: ",
        "^a\n", "http://", "http://a[", "\\", "\r", "\r\n\r\n", "    a\n", "```\n", "1. ", "<div>\n", "---\n",
        "--- a: b\n",
        "[a][b", "![[a", "<% ", "&amp;", "\u{0}", "ä#", " #ä", "a\n===\n", "%%\n\n", "(((((", "[x](y)",
        "![x](y)", "[[a]] | ", "<b>", "</p>", "> [!a] ", "- [ ] x\n", "a ^b\n",
    ])
    func `Repeated markup takes linear time`(unit: String) {
        func seconds(length: Int) -> Double {
            let text = String(repeating: unit, count: length / unit.utf8.count)
            let start = ReaderDetailTests.threadSeconds()
            let result = structure(text)
            let seconds = ReaderDetailTests.threadSeconds() - start
            #expect(result.sections.last?.range.upperBound == text.utf8.count)
            return seconds
        }
        // Linear time grows by a factor of 4, quadratic time by one of 16. Other programs can slow down a
        // single measurement, because they share the caches of the processor.
        let measurements = (0..<4).lazy.map { _ in
            (short: seconds(length: 10_000), long: seconds(length: 40_000))
        }
        #expect(measurements.contains { $0.long < 0.5 || $0.long < 9 * $0.short })
    }

    @Test func `Long texts keep their structure`() {
        let part = "# Heading\n\nText with [a link](https://example.org/target).\n\n```\n# code\n\n```\n\n"
        let count = 13_000
        let structure = structure(String(repeating: part, count: count))
        #expect(structure.sections.count == count)
        #expect(structure.blocks.count == count)
        #expect(structure.hiddenParts.count == 2 * count)
    }
}

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

/// Tests of texts that are not Markdown and become a part of it.
@Suite struct MarkdownTextTests {
    @Test(arguments: [
        ("a [[b]] c", "a \\[[b]] c"), ("[[[b]]]", "\\[\\[[b]]]"), ("![[b]]", "!\\[[b]]"),
        ("\\[[b]]", "\\[[b]]"), ("\\\\[[b]]", "\\\\\\[[b]]"), ("x[1][2]", "x[1][2]"), ("[[", "\\[["),
    ])
    func `Two brackets do not begin a link to a note`(text: String, expected: String) throws {
        #expect(MarkdownText.escaped(text) == expected)
        #expect(MarkdownText.heading(ofPlainText: text, level: 2) == "## " + expected)
        #expect(try MarkdownText.table([[text]], maximumBytes: 1000) == "| \(expected) |\n| --- |")
        #expect(MarkdownAnalysis(expected).scanner.links.isEmpty)
    }

    @Test func `Brackets in HTML do not begin a link to a note`() {
        let page = HTMLPage(Data("<h2>A [[b]]</h2><p>This [[c]]</p>".utf8))
        #expect(HTMLMarkdown.text(of: page.blocks, in: page) == "## A \\[[b]]\n\nThis \\[[c]]")
    }

    @Test func `A table without text is omitted`() throws {
        #expect(try MarkdownText.table([["", " "], ["\n"]], maximumBytes: 1000).isEmpty)
        #expect(try MarkdownText.table([["", "a"]], maximumBytes: 1000) == "|  | a |\n| --- | --- |")
    }
}
