import Testing

@testable import RoostText

struct TextTitleTests {
    @Test(
        arguments: [
            ("---\ntags: a\ntitle: \"My note\"\n---\n# Heading", "My note"),
            ("+++\ntitle = 'From TOML'\n+++\ntext", "From TOML"),
            ("---\ntags: a\n---\n\n## The heading\ntext", "The heading"),
            (
                "[![Build](https://x.y/b.svg)](https://ci) ![x](y)\n\n# The *Roost* tool\ntext",
                "The Roost tool"
            ),
            ("Setext\n======\ntext", "Setext"),
            ("\u{FEFF}# Closed #\r\ntext", "Closed"),
            ("A first line\nand another", "A first line"),
            ("```swift\nlet x\n```", "let x"),
            ("---\n\ntext after a rule", "text after a rule"),
            ("中文标题\n正文", "中文标题"),
            // 54 characters, but 162 bytes
            (
                "雨水を貯める樽は庭の水やりに使えます。春には雨が多く降ります。夏には樽が空になります。秋には葉が落ちます\n二",
                "雨水を貯める樽は庭の水やりに使えます。春には雨が多く降ります。夏には樽が空になります。秋には葉が落ちます"
            ),
        ])
    func `a title is found in front matter, headings and first lines`(_ text: String, _ title: String) {
        #expect(TextTitle.title(of: text) == title)
    }

    @Test func `the title of a long paragraph is its first sentence`() {
        let text = "This is the first sentence. " + String(repeating: "And more words follow it. ", count: 20)
        #expect(TextTitle.title(of: text) == "This is the first sentence.")
        let endless = String(repeating: "word ", count: 5000)
        #expect((TextTitle.title(of: endless)?.count ?? 0) <= 120)
    }

    @Test(arguments: ["", " \n\t\n", "![badge](https://x.y/z.svg)", "<br>\n\n&nbsp;"])
    func `a text without content has no title`(_ text: String) {
        #expect(TextTitle.title(of: text) == nil)
    }

    @Test(arguments: [
        ("Contact anna@example.com about the invoice.", "Contact anna@example.com about the invoice."),
        ("See <https://example.com/a%20b> first", "See https://example.com/a%20b first"),
        ("# Write to <anna@example.com>", "Write to anna@example.com"),
        ("Use `std::vector<int>` in C++", "Use std::vector<int> in C++"),
        ("Learn C#", "Learn C#"), ("the type is `List<T>`", "the type is List<T>"),
        ("A **bold** [link](https://x.y/z) and ![image](a.png)", "A bold link and"),
        ("https://example.com/\n\nThe page", "The page"),
        ("a `code span", "a code span"),
        ("## [`Collections`][Module] module", "Collections module"),
        ("[![Build][badge]][build-url] The [tool][1]", "The tool"),
        ("Read matrix[i][j], then a", "Read matrix[i][j], then a"),
    ])
    func `a title keeps addresses and code`(_ text: String, _ title: String) {
        #expect(TextTitle.title(of: text) == title)
    }

    @Test func `a title of plain text keeps what looks like markup`() {
        let text = "The <br> tag, *stars* and  `std::vector<int>`\nmore"
        #expect(
            TextTitle.title(of: text, as: .plain) == "The <br> tag, *stars* and `std::vector<int>`")
        #expect(TextTitle.title(of: "https://example.com/\nmore", as: .plain) == "https://example.com/")
        #expect(TextTitle.title(of: "mail anna@example.com", as: .words) == "mail")
    }

    @Test func `a line without markup is its own title`() {
        // White space around a line does not change its words, but a line with tabs is read in the general
        // way.
        for line in [
            "The swifts came back, again", "version 3.14 of the www page", "see www.example.org for more",
            "a. b.c", "two  spaces", "ends with a space ", " begins with one", "- item", "a_b", "*a*",
            "50% of 3 < 4", "e.g. this", "What does www. mean", "see www.-x here", "www., and more",
            "WWW... is", "a saw. b",
        ] {
            let plain = TextTitle.plainText(line[...])
            let words = TextTitle.plainText("\t\(line)\t"[...])
            #expect(plain == words, "\(line)")
        }
    }

    @Test func `a long title is shortened at the end of a word`() {
        let title = "a title that is quite long and needs to be cut at a boundary of a word, yes it does"
        let short = TextTitle.shortened(title)
        #expect(short == "a title that is quite long and needs to be cut at a…")
        #expect(TextTitle.shortened("short") == "short")
        #expect(TextTitle.shortened(String(repeating: "长", count: 100)).count == 60)
    }
}
