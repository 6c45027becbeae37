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

    /// Random values of TOML. The parser of TOMLKit has assertions, which end the process.
    static let tomlFrontMatter = FuzzKind(
        "toml-front-matter", ["a.md"],
        tokens: [
            "2024-01-01", "2024-01-01T10:00:00", "10:00:00", "T", "t", "Z", "+01:00", ".", "0", "1", "07",
            "0x", "0b",
            "0o", "1e", "e", "inf", "nan", "true", "\"\"\"", "'''", "\\u", "\\U0010FFFF", "[[a]]\n",
            "[a.b]\n", "a = ",
            "\nb = ", "a.b.c", ",", "1.5", "+", "{a = ", "[[", "{", "}", "]", "# ", "\u{1}",
        ])

    static let canvas = FuzzKind(
        "canvas", ["a.canvas"],
        tokens: jsonTokens + [
            "{\"type\":\"group\",\"x\":0,\"y\":0,\"width\":9,\"height\":9},",
            "{\"type\":\"text\",\"text\":\"a\"},",
            "\"x\":1e308,", "\"width\":-1e308,", "\"nodes\":[", "null", "\"label\":\"a\",",
        ])

    private static let yamlTokens = [
        "- ", "a: ", "\n  b: ", "&a ", "*a", "<<: *a\n", "? ", "|\n", ">-\n", "!!binary ", "!a ", "---\n",
        "...\n",
        "'", "\"", "[", "{", "[*a, *a]", "%YAML 1.2\n", "~", "2025-03-14", "a: [", "x: &x [*x]\n", ", ",
    ]

    static let base = FuzzKind(
        "base", ["a.base"],
        tokens: yamlTokens + ["views:\n", "filters:\n", "  - not:\n"])

    static let yaml = FuzzKind(
        "yaml", ["a.yaml"],
        tokens: yamlTokens)

    static let toml = FuzzKind(
        "toml", ["a.toml"],
        tokens: ["[[", "]]", "a = ", "\"\"\""])

    static let org = FuzzKind(
        "org", ["a.org"],
        tokens: [
            "* ", "** ", "[[", "][", "]]", "[[a][b]]", "*a*", "/a/", "=a=", "~a~", "+a+", "_a_",
            "#+BEGIN_SRC\n",
            "#+END_SRC\n", "#+TITLE: ", "#+FILETAGS: :a", ":a:b:", ":PROPERTIES:\n", ":END:\n", "| a |\n",
            "|-\n", "- ",
            "1. ", ": ", "[fn:1]", "<2025-03-14>", "<<", ">>", "#+BEGIN_EXAMPLE\n", "TODO ", "[#A] ",
            "https://a.b",
            "{{{", "$a$", "\\(", "\\[",
        ])

    static let rst = FuzzKind(
        "rst", ["a.rst"],
        tokens: [
            "====\n", "----\n", "~~~~\n", ".. ", ".. code:: a\n\n   ", ".. note:: ", "::\n\n   ", "`a <b>`_",
            "`", "``",
            ":ref:`a`", ":a: ", "**", "|a|", "[1]_", ".. [1] ", ".. _a: ", "a_", "* ", "1. ", "#. ",
            "=== ===\n",
            "+---+\n", "| a |\n", "   ", "\n   ", ".. raw:: html\n\n", ".. toctree::\n", ">>> ", "a\n  b\n",
            "__",
        ])

    static let asciidoc = FuzzKind(
        "asciidoc", ["a.adoc"],
        tokens: [
            "= ", "== ", "====== ", "----\n", "....\n", "====\n", "____\n", "****\n", "////\n", "|===\n",
            "| a ", "[source,a]\n",
            "[[", "]]", "<<a,b>>", "link:a[b]", "https://a.b[", "image::a[", "* ", "** ", ". ", "a:: ",
            ":a: ", "// ",
            "*a*", "_a_", "`a`", "+++", "footnote:[", "{a}", "include::a[]", "+\n", "[quote]\n",
            "Mara <m@a.b>\n",
        ])

    static let latex = FuzzKind(
        "latex", ["a.tex"],
        tokens: [
            "\\section{", "\\begin{a}", "\\end{a}", "\\begin{verbatim}", "\\end{verbatim}",
            "\\begin{itemize}", "\\item ",
            "\\item[", "\\emph{", "\\textbf{", "}", "{", "[", "]", "\\cite[", "\\cite{a}", "\\href{a}{b}",
            "\\url{", "\\verb|",
            "$", "$$", "\\(", "\\[", "\\]", "%", "\\\\", "&", "~", "\\'", "\\\"", "\\^", "\\c", "\\footnote{",
            "\\title{",
            "\\newcommand{", "\\begin{document}", "\\end{document}", "\\begin{tabular}{l}", "\\begin{",
            "\\end{", "--", "``",
            "''", "\\today", "\\begin{equation}", "\\verb", "\\caption{", "\\input{a}", "\\b", "\\a ",
        ])

    private static let jsonTokens = [
        "{", "}", "[", "]", ",", ":", "\"a\":", "\"a\"", "null", "true", "-0", "1e999", "\\u0000", "\\ud800",
        "\\uD83D\\uDE00",
        "\\", "[[", "{\"a\":", "[1,", "\"\":", "1,", "{},", "[],", "\"\\n\\n\",",
    ]

    static let json = FuzzKind(
        "json", ["a.json", "a.geojson"],
        tokens: jsonTokens)

    static let notebook = FuzzKind(
        "notebook", ["a.ipynb"],
        tokens: jsonTokens + [
            "{\"cell_type\":\"code\",\"source\":\"a\",\"outputs\":[{\"text\":\"b\"}]},",
            "{\"cell_type\":\"markdown\",\"source\":\"# a\"},",
            "\"source\":[", "\"outputs\":[", "\"cells\":[", "{\"name\":\"a\"},",
        ])

    static let xml = FuzzKind(
        "xml", ["a.xml"],
        tokens: [
            "<a>", "</a>", "<a/>", "<b c='d'>", "</b>", "<!--", "-->", "<![CDATA[", "]]>", "<?a", "?>",
            "<!DOCTYPE a [",
            "<!ENTITY a 'b'>", "&a;", "&amp;", "&#0;", "&#x41;", " a='b'", " xmlns='b'", "<n:p>", " c=\"",
            "<title>",
            "<a>b</a>", "<?xml version='1.0' encoding='UTF-16'?>", "<?xml version='1.0' encoding='EUC-JP'?>",
            "<item>1</item>",
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
}
