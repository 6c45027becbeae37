import Testing

@testable import RoostText

@Suite struct SnippetTests {
    private static let text = """
        # Force push a branch

        If the history of your branch differs, git prevents you from pushing to the remote. You can push by force:

            $ git push --force origin main

        There is a short form. Prefix the branch with a plus
        and push it. Every push to main replaces what others have pushed to the remote.

        In a team, it is safer to use `--force-with-lease` instead, which fails if the remote has commits that
        you have not seen. Otherwise, check twice what will happen before you push to a branch of others.
        """

    private func query(_ text: String) throws -> TextQuery {
        var builder = InvertedIndexBuilder()
        builder.add(Self.text)
        for index in 0..<20 { builder.add("push number \(index) of git to a remote branch") }
        var collection = TextCollection()
        collection.parts = [TextPart(builder.finish())]
        return try collection.resolved(TextQuery(text), correctsSpelling: true)
    }

    private func line(ofByte byte: Int, in text: String) -> Int {
        text.utf8.prefix(byte).count { $0 == UInt8(ascii: "\n") } + 1
    }

    private func part(_ range: Range<Int>, of text: String) -> String {
        String(decoding: Array(text.utf8)[range], as: UTF8.self)
    }

    @Test(arguments: [20, 40, 66, 146, 226, 240, 400, 10_000])
    func `the anchor is the most informative match, regardless of the length`(limit: Int) throws {
        let query = try query("git push --force-with-lease")
        for end in [300, Self.text.utf8.count] {
            let snippet = Snippet(of: Self.text, preferring: 0..<end, for: query, limit: limit)
            #expect(line(ofByte: snippet.anchor, in: Self.text) == 10)
            #expect(part(snippet.utf8Range, of: Self.text).contains("`--force-with-lease`") || limit < 24)
            #expect(snippet.utf8Range.contains(snippet.anchor))
        }
    }

    @Test func `the preferred range is kept if the words elsewhere are not much more informative`() throws {
        let text = Self.text
        let start = try #require(text.utf8.firstRange(of: "In a team".utf8)).lowerBound
        let passage = text.utf8.distance(from: text.startIndex, to: start)..<text.utf8.count
        let snippet = Snippet(of: text, preferring: passage, for: try query("push branch"), limit: 100)
        #expect(passage.contains(snippet.anchor))
    }

    @Test func `an excerpt of Markdown has no markup, and its ranges are those of the original`() throws {
        let text =
            "# Branch\n> the **old** `a ** b` [branch](x.md)\n| oil | 2 |\n```sh\ncat *.md | x\n```\na_b == c"
        let readable = ReadableText(
            text, hiding: [32..<33, 39..<46], isMarkdown: true, blocks: [47..<58, 59..<81])
        let all = 0..<text.utf8.count
        let snippet = Snippet(of: readable, preferring: all, for: try query("branch"), limit: 500)
        #expect(snippet.text == "Branch\nthe old a ** b branch\n oil  2 \n\ncat *.md | x\n\na_b == c")
        #expect(snippet.highlights == [2..<8, 33..<39] && snippet.marks == [0..<6, 22..<28])
    }

    @Test(arguments: [
        ("> ```\n>   *x*\n> ```\n**b**", "\n  *x*\n\nb", 19),
        ("````md\n```\n*x*\n````\n**b**", "\n```\n*x*\n\nb", 19),
        ("```*x*``` **b**, ~~c~~. ==d==, a==b\n===\n", "*x* b, c. d, a==b\n\n", 0),
        (#"\*a\* \`b\` `\*` `` ` *c* `` d|e"#, "*a* `b` \\*  ` *c*  d|e", 0),
        ("日本**語**と 2*3*4 a_b | |a|b|\n|a|b\\||", "日本語と 2*3*4 a_b | |a|b|\na b|", 0),
    ])
    func `signs of Markdown are found as readers of Markdown do`(text: String, readable: String, code: Int) {
        #expect(ReadableText(text, isMarkdown: true, blocks: [0..<code]).text == readable)
    }

    @Test func `headings end with a colon, and tables and characters are shown as readers of Markdown do`() {
        let text =
            "# A year\n## Spring?\nSwifts &amp; &lt;b&gt; `&amp;`\na | b\n--- | :-:\n1 | 2\n\n    cat | x\n"
        // A table, whose second line the reader hides, and indented code.
        let readable = ReadableText(
            text, hiding: [57..<66], isMarkdown: true, blocks: [51..<72, 78..<85], headings: [0, 9])
        #expect(readable.text == "A year:\nSpring?\nSwifts & <b> &amp;\na  b\n\n1  2\n\n    cat | x\n")
        let underlined = ReadableText("A\r\nyear\r\n===\r\nSwifts\n", isMarkdown: true, headings: [0])
        #expect(underlined.text == "A\r\nyear:\r\n\nSwifts\n")
        // Neither a part before the area nor a hidden one is shown.
        #expect(ReadableText("&amp;a&gt;b", in: 5..<11, hiding: [5..<10], isMarkdown: true).text == "b")
    }

    @Test func `front matter is shown only if nothing else matches`() throws {
        let front = "---\ntags: heron, otter\n---\n"
        let text = front + String(repeating: "A row about rivers. ", count: 20) + "A heron."
        func snippet(_ words: String) throws -> Snippet {
            Snippet(
                of: text, preferring: 60..<200, bodyStart: front.utf8.count, for: try query(words), limit: 60)
        }
        #expect(part(try snippet("heron otter").utf8Range, of: text).hasSuffix("A heron."))
        #expect(part(try snippet("otter").utf8Range, of: text).contains("otter"))
    }

    @Test func `the anchor is in the line with most words of the query`() throws {
        let text =
            "Some words on otters here.\n\nFiller line about nothing in particular.\n\n## Two\n\n"
            + "The quick river otters swim upstream nightly.\n"
        let snippet = Snippet(
            of: text, preferring: 0..<text.utf8.count, for: TextQuery("quick river otters swim upstream"),
            limit: 200)
        #expect(line(ofByte: snippet.anchor, in: text) == 7)
    }

    @Test func `the anchor is a phrase rather than one of its words shortly before it`() {
        let text = "A lantern.\nThen comes paper\non the next line: the paper lantern festival.\n"
        func line(_ words: String) -> Int {
            let snippet = Snippet(
                of: text, preferring: 0..<text.utf8.count, for: TextQuery(words), limit: 200)
            return self.line(ofByte: snippet.anchor, in: text)
        }
        #expect(line("paper lantern") == 3)
        // Without a phrase, the first occurrence is the anchor.
        #expect(line("lantern") == 1 && line("paper") == 2)
    }

    @Test(arguments: ["a a", "a b", "b b b"])
    func `an excerpt of a long text with only matches takes time in proportion to its length`(words: String) {
        func duration(_ count: Int) -> Duration {
            let text = String(repeating: "a b ", count: count)
            return ContinuousClock().measure {
                let snippet = Snippet(
                    of: text, preferring: 0..<text.utf8.count, for: TextQuery(words), limit: 100)
                #expect(snippet.anchor <= 2 && !snippet.highlights.isEmpty)
            }
        }
        // A search through the text before each match would take minutes.
        #expect(duration(1 << 18) < .seconds(10))
    }

    @Test func `an excerpt without a query or a match is the beginning of the preferred range`() {
        let text = String(repeating: "Some more text follows. ", count: 20)
        for query in [nil, TextQuery("heron")] {
            let snippet = Snippet(of: text, preferring: 24..<400, for: query, limit: 60)
            #expect(snippet.utf8Range.lowerBound == 24 && snippet.anchor == 24 && snippet.highlights.isEmpty)
        }
        let empty = Snippet(of: "", preferring: 0..<0, for: TextQuery("heron"), limit: 60)
        #expect(empty.utf8Range.isEmpty && empty.anchor == 0)
    }
}

struct TextTitleTests {
    @Test(
        arguments: [
            ("A first line\nand another", "A first line"), ("\n \r\n\tIndented\t line\n", "Indented line"),
            ("中文标题\n正文", "中文标题"),
            // 54 characters, but 162 bytes
            (
                "雨水を貯める樽は庭の水やりに使えます。春には雨が多く降ります。夏には樽が空になります。秋には葉が落ちます\n二",
                "雨水を貯める樽は庭の水やりに使えます。春には雨が多く降ります。夏には樽が空になります。秋には葉が落ちます"
            ),
            ("The <br> tag, *stars* and  `std::vector<int>`", "The <br> tag, *stars* and `std::vector<int>`"),
            ("https://example.com/\nmore", "https://example.com/"),
        ])
    func `the title of plain text is its first line`(_ text: String, _ title: String) {
        #expect(TextTitle.firstSentence(of: text) == title)
    }

    @Test func `the title of a long paragraph is its first sentence`() {
        let text = "This is the first sentence. " + String(repeating: "And more words follow it. ", count: 20)
        #expect(TextTitle.firstSentence(of: text) == "This is the first sentence.")
        let endless = String(repeating: "word ", count: 5000)
        #expect((TextTitle.firstSentence(of: endless)?.count ?? 0) <= 120)
    }

    @Test(arguments: [
        ("Contact anna@example.com about the invoice.", "Contact anna@example.com about the invoice."),
        ("Use `std::vector<int>` in C++", "Use std::vector<int> in C++"), ("Learn C#", "Learn C#"),
        ("the type is `List<T>`", "the type is List<T>"), ("A **bold** word", "A bold word"),
        ("https://example.com/\n\nThe page", "The page"), ("a `code span", "a code span"),
        ("---\n\n> text after a rule", "text after a rule"), ("- item", "item"),
        ("Read matrix[i][j], then a", "Read matrix[i][j], then a"),
    ])
    func `a title of Markdown keeps addresses and code, without signs around words`(
        _ text: String, _ title: String
    ) {
        #expect(TextTitle.firstSentence(of: text, isMarkdown: true) == title)
    }

    @Test func `the words of a title for labels lack addresses and markup`() {
        #expect(TextTitle.words(of: "mail <b>*anna@example.com*</b> &amp; [Bob](x)") == "mail Bob](x)")
        #expect(TextTitle.words(of: "# C# https://example.org/x *notes*") == "C# notes")
    }

    @Test func `a long title is shortened at the end of a word`() {
        let title = "a title that is quite long and needs to be cut at a boundary of a word, yes it does"
        let short = TextTitle.shortened(title)
        #expect(short == "a title that is quite long and needs to be cut at a…")
        #expect(TextTitle.shortened("short") == "short")
        #expect(TextTitle.shortened(String(repeating: "长", count: 100)).count == 60)
    }
}
