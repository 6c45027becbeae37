/// The kinds of notes, markup, data and captions.
extension FuzzKind {
    static let markdown = FuzzKind(
        "markdown", ["a.md"],
        tokens: [
            "---\n", "+++\n", "```\n", "~~~", "%%", "<!--", "-->", "[[", "]]", "![[", "](", "![", "[a](b)",
            "``", "$$",
            "$", "# ", "###### ", "> ", "> > ", "- ", "1. ", "  - ", "|-|\n", "| a |\n", "<div>", "</div>",
            "</", "<a b='",
            "**", "***", "__", "~~", "==", "\\", "http://a.b/c", "[^1]", "[^1]: ", "[a]: b\n", "[a]: <",
            " ^id\n",
            "key: &a [*a]\n", "? ", ": ", "- a: ", "{{", "}}", "<%", "%>", "===\n", "#tag ", "#a/b/c",
            "[!note] ",
            "tags: ", "&amp;", "&#x41;", "www.a.b", "<?", "?>", "<![CDATA[", "a@b.c", "[ ] ",
            "```a\nb\n```\n",
            "[b](https://img.shields.io/a) ", "*a", "a*", "_a_", "<a>", "!", "[a][b]", "[]()",
        ])

    private static let jsonTokens = [
        "{", "}", "[", "]", ",", ":", "\"a\":", "\"a\"", "null", "true", "-0", "1e999", "\\u0000", "\\ud800",
        "\\uD83D\\uDE00",
        "\\", "[[", "{\"a\":", "[1,", "\"\":", "1,", "{},", "[],", "\"\\n\\n\",",
    ]

    static let notebook = FuzzKind(
        "notebook", ["a.ipynb"],
        tokens: jsonTokens + [
            "{\"cell_type\":\"code\",\"source\":\"a\",\"outputs\":[{\"text\":\"b\"}]},",
            "{\"cell_type\":\"markdown\",\"source\":\"# a\"},",
            "\"source\":[", "\"outputs\":[", "\"cells\":[", "{\"name\":\"a\"},",
        ])

    static let captions = FuzzKind(
        "captions", ["a.vtt", "a.srt"],
        tokens: [
            "00:01.000 --> 00:02.000\n", "00:00:01,000 --> 00:00:02,000\na\n\n", "-->", " --> ", "<v ", "<b>",
            "</b>", "{\\", "}",
            "<", "NOTE ", "WEBVTT\n", "&amp;", "1\n", ".", "99999:00:00,0 --> 1\n", "<00:01.500>",
            "inf:nan --> 1\n",
        ])

    static let text = FuzzKind(
        "text", ["a.txt"], tokens: ["\u{C}", "日本", "שלום", "\u{85}", "e\u{301}\u{302}", "👨‍👩‍👧", "🇩🇪"])

    static let code = FuzzKind(
        "code", ["a.swift", "a.py", "a.c"],
        tokens: [
            "{", "}", "(", ");", "// ", "/* ", "*/", "\t", "        ", "\n\n", "class A {\n", "class A:\n",
            "func a() {\n", "def a():\n", "    let b = 1\n\n", "#if A\n", "@a\n", "\u{B}", "\u{2028}",
        ])

    /// The kinds of files that are read as documents.
    static let documents: [FuzzKind] = [
        .docx, .pptx, .xlsx, .odt, .ods, .odp, .epub, .eml, .mbox, .html, .feed, .markdown, .notebook, .code,
        .captions, .text,
    ]
}
