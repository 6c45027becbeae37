import Foundation

/// The kinds of source code: one for each language.
extension FuzzKind {
    private static let codeTokens = [
        "{", "}", "(", ")", "[", "]", ";", ",", ":", "//", "/*", "*/", "#", "--", "--[[", "]]", "{-", "-}",
        "(*", "*)", "#=",
        "=#", "=begin\n", "\n=end", "\"\"\"", "'''", "\"", "'", "`", "${", "\\(", "#\"", "\"#", "r#\"",
        "R\"(", ")\"", "<<A\n", "\nA\n",
        "<<~'B'\n", "%(", "/", "\\", "\\\n", "=>", "->", "<", ">", "::", "@", "$", "?", "|", "end\n", "do\n",
        "begin\n", "then\n",
        "if (a) {\n", "else\n", "\t", "    ", "class A {\n", "class A:\n", "struct A {", "func a() {\n",
        "def a\n", "def a():\n",
        "function a() {\n", "fn a() {", "void a() {\n", "int a(int b) {\n", "module A\n", "namespace a {",
        "impl A {", "@interface A\n",
        "@end\n", "- (void)a {\n", "defmodule A do\n", "(defn a []\n", "create table a (\n", "sub a {\n",
        "let a = ", "type A = ",
        "template <class T>\n", "#if A\n", "#endif\n", "#define A {\n", "<script>\n", "</script>\n",
        "<?php\n", "?>", "@media a {",
        "a {", "a:hover,", "extern \"C\" {", "public static ", "async ", "export default ", "R\"abc(",
        "\\\\ a\n", "0x'1",
    ]

    /// The languages, with a small program for each.
    static let code: [FuzzKind] = {
        let folder = DocumentFixture.folder.deletingLastPathComponent().appendingPathComponent("code")
        return contents(of: folder).map { file in
            FuzzKind(
                "code-" + file.pathExtension, [file.lastPathComponent], seeds: [seed(file)].compactMap { $0 },
                tokens: codeTokens)
        }
    }()

    /// The kinds of files that are read as documents, except source code.
    static let documents: [FuzzKind] = [
        .docx, .pptx, .xlsx, .odt, .ods, .odp, .epub, .eml, .mbox, .html, .feed, .markdown, .tomlFrontMatter,
        .canvas, .base,
        .org, .rst, .asciidoc, .latex, .json, .notebook, .yaml, .toml, .xml, .captions, .text,
    ]
}
