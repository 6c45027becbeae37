import Testing

@testable import RoostText

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

    @Test(arguments: ["", " \n\t\n", "---\n\n***", "https://example.com/ <https://example.org>"])
    func `a text without words has no title`(_ text: String) {
        #expect(TextTitle.firstSentence(of: text, isMarkdown: true) == nil)
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
        #expect(TextTitle.words(of: "see https://example.org/x now") == "see now")
    }

    @Test func `a long title is shortened at the end of a word`() {
        let title = "a title that is quite long and needs to be cut at a boundary of a word, yes it does"
        let short = TextTitle.shortened(title)
        #expect(short == "a title that is quite long and needs to be cut at a…")
        #expect(TextTitle.shortened("short") == "short")
        #expect(TextTitle.shortened(String(repeating: "长", count: 100)).count == 60)
    }
}
