import Foundation

@testable import RoostDocuments

/// A kind of file for the tests with mutated documents: small files that contain the constructs of a format,
/// and the parts of its syntax.
struct FuzzKind: Sendable, CustomStringConvertible {
    /// A file, before it is mutated.
    enum Seed: Sendable {
        /// The bytes of a file.
        case file(Data)
        /// The parts of a ZIP archive.
        case archive([(name: String, data: Data)])
    }

    /// The name of the kind, such as `docx`.
    let name: String
    /// The names that files have, which select their reader and type. Mutations use them in turn.
    let fileNames: [String]
    /// The files that are mutated.
    let seeds: [Seed]
    /// The parts of the syntax that are inserted, repeated and nested.
    let tokens: [[UInt8]]

    /// Creates a kind with the seeds in the folder `Fixtures/Documents/fuzz/NAME`. There, each folder contains
    /// the parts of an archive. They are mutated before they are put into the archive, because most mutations
    /// of an archive only make it unreadable.
    init(_ name: String, _ fileNames: [String], seeds: [Seed] = [], tokens: [String]) {
        self.name = name
        self.fileNames = fileNames
        let folder = DocumentFixture.folder.deletingLastPathComponent().appendingPathComponent("fuzz/" + name)
        let found = seeds + Self.contents(of: folder).compactMap(Self.seed)
        self.seeds = found.isEmpty ? [.file(Data("key: a word\n".utf8))] : found
        self.tokens = (tokens + FuzzKind.commonTokens).map { Array($0.utf8) }
    }

    /// Returns the files and folders in a folder, in the order of their names.
    static func contents(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
    }

    /// Returns a file, or the files in a folder as the parts of an archive.
    static func seed(_ file: URL) -> Seed? {
        if let data = try? Data(contentsOf: file) { return .file(data) }
        let names = FileManager.default.enumerator(atPath: file.path)?.compactMap { $0 as? String } ?? []
        return .archive(
            names.sorted().compactMap { name in
                (try? Data(contentsOf: file.appendingPathComponent(name))).map { (name, $0) }
            })
    }

    var description: String { name }

    /// The readers that can be needed. Feeds are only read from the web, so they are last.
    static let readers = DocumentReaders(DocumentReaders.standard.readers + [FeedReader()])

    /// Characters that readers of many formats treat in special ways.
    private static let commonTokens = [
        "\u{0}", "\u{FEFF}", "\u{2028}", "\u{301}", "\u{202E}", "😀", "é", "\t", "\r", "\r\n", "\n", "\n\n",
        "    ", " ", "|", "-", "_", "*", "`", "\"", "'", "\\", "[", "]", "(", ")", "{", "}", "<", ">", "&",
        "#", "%", ":", "/", "=", "99999999999999999999", "-1", "9223372036854775807", "1e308", "a", "Ab. ",
    ]

    /// Reads a file with the reader that supports it, and checks the structure of its text.
    ///
    /// - Returns: A rule that the result violates; `nil` if there is none, or if the file cannot be read.
    func defect(of input: DocumentInput) async throws -> String? {
        if name == FuzzKind.pdfText.name {
            return Self.defect(ofPDFText: String(decoding: input.data, as: UTF8.self))
        }
        guard let match = Self.readers.match(input) else { return nil }
        let documents: [Document]
        do { documents = try await match.reader.read(input, as: match.type).documents } catch is DocumentError
        {
            // The expected result for many damaged files.
            return nil
        }
        for document in documents {
            if let defect = FuzzRules.defect(of: document.text, format: document.format) { return defect }
            if document.tags.contains(where: \.isEmpty) { return "empty tag" }
        }
        return nil
    }

    /// Reads a text as the output of the programs that read PDF documents.
    private static func defect(ofPDFText text: String) -> String? {
        let pages = text.split(separator: "\u{C}", omittingEmptySubsequences: false).map(String.init)
        _ = PDFProperties(pages.first ?? "")
        _ = PDFWriting.needsPositions(Data(text.utf8))
        return FuzzRules.defect(of: PDFPages(pages).cleaned().joined(separator: "\n\n"), format: .markdown)
    }
}

/// The kinds of office documents and books.
extension FuzzKind {
    private static let xmlTokens = [
        "<a>", "</a>", "<a/>", "<!--", "-->", "<![CDATA[", "]]>", "<?a", "?>", "<!DOCTYPE a [",
        "<!ENTITY a 'b'>", "&a;", "&amp;", "&#0;", "&#x110000;", "&#10;", " a='b'", " xmlns='b'",
        " xmlns:a='b'", "<a:b>", " xml:space='preserve'",
    ]

    static let docx = FuzzKind(
        "docx", ["a.docx"],
        tokens: xmlTokens + [
            "<p>", "</p>", "<p><r><t>x</t></r></p>", "<r>", "</r>", "<t>", "</t>", "<tbl>", "</tbl>", "<tr>",
            "</tr>", "<tc>", "</tc>", "<tc><p><r><t>x</t></r></p></tc>",
            "<tcPr><gridSpan val='9999'/></tcPr>", "<br/>", "<tab/>", "<ins>", "<del>", "<sdt><sdtContent>",
            "</sdtContent></sdt>", "<txbxContent>", "</txbxContent>", "<AlternateContent><Choice>",
            "</Choice><Fallback>", "<hyperlink id='r5'>", "</hyperlink>", "<footnoteReference id='2'/>",
            "<commentReference id='0'/>", "<instrText>",
            "<pPr><numPr><ilvl val='8'/><numId val='1'/></numPr></pPr>",
            "<pPr><pStyle val='Heading1'/></pPr>", "<style styleId='a'><basedOn val='a'/></style>",
            "<pPr><outlineLvl val='99'/></pPr>",
        ])

    static let pptx = FuzzKind(
        "pptx", ["a.pptx"],
        tokens: xmlTokens + [
            "<sp>", "</sp>", "<p>", "</p>", "<p><r><t>x</t></r></p>", "<r><t>", "</t></r>", "<tbl>", "</tbl>",
            "<tr>", "</tr>", "<tc>", "</tc>", "<tc><p><r><t>x</t></r></p></tc>",
            "<nvPr><ph type='title'/></nvPr>", "<pPr lvl='9'/>", "<br/>", "<hlinkClick r:id='r1'/>",
            "<sldId id='1' r:id='r1'/>", "<cxnSp>", "<Fallback>", "<grpSp>", "</grpSp>",
        ])

    static let xlsx = FuzzKind(
        "xlsx", ["a.xlsx"],
        tokens: xmlTokens + [
            "<row>", "</row>", "<row r='1048576'>", "<c><v>1</v></c>", "<c r='XFD1048576'><v>1</v></c>",
            "<c r='ZZZZZZZZ1'><v>1</v></c>", "<c t='s'><v>1</v></c>", "<c t='s'><v>-1</v></c>", "<c s='9'>",
            "<c s='2'><v>1e300</v></c>", "<c s='2'><v>-999999999999</v></c>", "<c s='2'><v>nan</v></c>",
            "<v>", "</v>", "</c>", "<si><t>x</t></si>", "<xf numFmtId='200'/>",
            "<numFmt numFmtId='200' formatCode='[h]:mm'/>", "<sheet name='x' r:id='r1'/>", "<is><t>", "yyyy",
            "[h]", "&quot;",
        ])

    private static let openTokens =
        xmlTokens + [
            "<text:p>", "</text:p>", "<text:p>x</text:p>", "<text:h text:outline-level='99'>", "</text:h>",
            "<text:list>", "</text:list>", "<text:list-item>", "</text:list-item>",
            "<text:s text:c='99999999'/>", "<text:tab/>", "<text:line-break/>", "<text:note>", "</text:note>",
            "<text:note-body>", "<office:annotation>", "</office:annotation>", "<text:a xlink:href='a'>",
            "</text:a>", "<table:table>", "</table:table>", "<table:table-row>", "</table:table-row>",
            "<table:table-cell>", "</table:table-cell>",
            "<table:table-row table:number-rows-repeated='99999999'>",
            "<table:table-cell table:number-columns-repeated='99999999'>", "<table:covered-table-cell/>",
            "<draw:page>", "</draw:page>", "<draw:frame>", "</draw:frame>", "<draw:g>",
            "<presentation:notes>", "<text:tracked-changes>", "<text:span>",
        ]

    static let odt = FuzzKind("odt", ["a.odt"], tokens: openTokens)

    static let ods = FuzzKind("ods", ["a.ods"], tokens: openTokens)

    static let odp = FuzzKind("odp", ["a.odp"], tokens: openTokens)

    static let epub = FuzzKind(
        "epub", ["a.epub"],
        tokens: xmlTokens + markupTokens + [
            "<item id='c' href='c1.xhtml'/>", "<itemref idref='c'/>", "<itemref idref='n'/>", "<navPoint>",
            "<rootfile full-path='E/a.opf'/>", "<dc:title>", "../", "%2e%2e/", "<nav>", "</nav>",
        ])
}

/// The kinds of notes, markup, data and captions.
extension FuzzKind {
    static let markdown = FuzzKind(
        "markdown", ["a.md"],
        tokens: [
            "---\n", "+++\n", "```\n", "~~~", "%%", "<!--", "-->", "[[", "]]", "![[", "](", "![", "[a](b)",
            "``", "$$", "$", "# ", "###### ", "> ", "> > ", "- ", "1. ", "  - ", "|-|\n", "| a |\n", "<div>",
            "</div>", "</", "<a b='", "**", "***", "__", "~~", "==", "\\", "http://a.b/c", "[^1]", "[^1]: ",
            "[a]: b\n", "[a]: <", " ^id\n", "key: &a [*a]\n", "? ", ": ", "- a: ", "{{", "}}", "<%", "%>",
            "===\n", "#tag ", "#a/b/c", "[!note] ", "tags: ", "&amp;", "&#x41;", "www.a.b", "<?", "?>",
            "<![CDATA[", "a@b.c", "[ ] ", "```a\nb\n```\n", "[b](https://img.shields.io/a) ", "*a", "a*",
            "_a_", "<a>", "!", "[a][b]", "[]()",
        ])

    private static let jsonTokens = [
        "{", "}", "[", "]", ",", ":", "\"a\":", "\"a\"", "null", "true", "-0", "1e999", "\\u0000", "\\ud800",
        "\\uD83D\\uDE00", "\\", "[[", "{\"a\":", "[1,", "\"\":", "1,", "{},", "[],", "\"\\n\\n\",",
    ]

    static let notebook = FuzzKind(
        "notebook", ["a.ipynb"],
        tokens: jsonTokens + [
            "{\"cell_type\":\"code\",\"source\":\"a\",\"outputs\":[{\"text\":\"b\"}]},",
            "{\"cell_type\":\"markdown\",\"source\":\"# a\"},", "\"source\":[", "\"outputs\":[",
            "\"cells\":[", "{\"name\":\"a\"},",
        ])

    static let captions = FuzzKind(
        "captions", ["a.vtt", "a.srt"],
        tokens: [
            "00:01.000 --> 00:02.000\n", "00:00:01,000 --> 00:00:02,000\na\n\n", "-->", " --> ", "<v ", "<b>",
            "</b>", "{\\", "}", "<", "NOTE ", "WEBVTT\n", "&amp;", "1\n", ".", "99999:00:00,0 --> 1\n",
            "<00:01.500>", "inf:nan --> 1\n",
        ])

    static let text = FuzzKind(
        "text", ["a.txt"], tokens: ["\u{C}", "日本", "שלום", "\u{85}", "e\u{301}\u{302}", "👨‍👩‍👧", "🇩🇪"])

    static let code = FuzzKind(
        "code", ["a.swift", "a.py", "a.c"],
        tokens: [
            "{", "}", "(", ");", "// ", "/* ", "*/", "\t", "        ", "\n\n", "class A {\n", "class A:\n",
            "func a() {\n", "def a():\n", "    let b = 1\n\n", "#if A\n", "@a\n", "\u{B}", "\u{2028}",
        ])

    /// The kinds of files that are read as documents: one for each type that has a reader in this process.
    static let documents: [FuzzKind] = DocumentReaders.isolated.types.map { type in
        described.first { $0.name == type.name }
            ?? FuzzKind(type.name, type.extensions.sorted().map { "a." + $0 }, tokens: [])
    }

    /// The kinds whose syntax is described here.
    private static let described: [FuzzKind] = [
        .docx, .pptx, .xlsx, .odt, .ods, .odp, .epub, .mail, .mbox, .html, .feed, .markdown, .notebook, .code,
        .captions, .text,
    ]
}

/// The kinds of web pages, feeds, messages and PDF documents.
extension FuzzKind {
    /// Elements of HTML.
    static let markupTokens = [
        "<p>", "</p>", "<div>", "</div>", "<h1>", "</h1>", "<b>", "</b>", "<i>", "<a href=x>", "</a>", "<ul>",
        "</ul>", "<ol start=99999999999>", "<li>", "</li>", "<table>", "</table>", "<tr>", "</tr>", "<td>",
        "</td>", "<td colspan=9999 rowspan=9999>", "<pre>", "</pre>", "<code>", "</code>", "<blockquote>",
        "</blockquote>", "<br>", "<hr>", "<img src=a alt=b>", "<script>", "</script>", "<style>", "<svg>",
        "<math>", "<template>", "</template>", "<noscript>", "<select>", "<option>", "<textarea>", "<title>",
        "</title>", "<dl><dt>", "<dd>", "<ruby><rt>", "<p hidden>", "<span style='display:none'>", "<form>",
        "<font a=b>", "<frameset>", "<isindex>", "<plaintext>", "<details><summary>", "<iframe>", "<object>",
        "<caption>", "<section>", "<article>", "</article>", "<nav>", "<aside>", "<main>", "<body>",
        "</body>", "<html lang=x>", "</", "<!", "<p a='", " class='comment sidebar'", "&nbsp;", "&lt;",
    ]

    static let html = FuzzKind(
        "html", ["a.html", "a.xhtml"], seeds: [.file(Data(HTMLReaderTests.article.utf8))],
        tokens: markupTokens + [
            "&#0;", "&#x110000;", "&amp", "<![CDATA[", "]]>", "<!--", "-->", "<meta charset=shift_jis>",
            "<meta property='og:title' content='", "<script type='application/ld+json'>[", "{\"@graph\":[",
            "\"author\":{", "<base href='//'>", "<image>",
            "<meta http-equiv='content-type' content='charset=utf-16'>",
        ])

    static let feed = FuzzKind(
        "feed", ["feed.rss"],
        tokens: markupTokens + [
            "<item>", "</item>", "<entry>", "</entry>", "<link>", "<content type='xhtml'>", "<![CDATA[",
            "]]>", "&lt;p&gt;", "<category>a</category>", "{\"id\":1},", "\"items\":[", "<title>x</title>",
            "<channel>", "<description>", "<!ENTITY a 'b'>",
        ])

    private static let mailTokens =
        markupTokens.prefix(40) + [
            "\n\n", "--b\n", "--b--\n", "--c\n", "> ", ">> ", "-- \n", "From: ", "\nFrom ", "=?utf-8?q?",
            "?=", "=?utf-8?B?", "Content-Type: multipart/mixed; boundary=b\n\n--b\n",
            "Content-Type: text/html\n\n", "Content-Type: message/rfc822\n\n",
            "Content-Transfer-Encoding: base64\n", "; charset=shift_jis", "; charset=utf-7", "=C3", "=\n",
            "(", ")", "<a@b>,", "\n ", "; name*0*=", "\"", "On Monday, A wrote:\n", "a@b, ", "group: ",
            "begin 644 a\n", "-----Original Message-----\n",
        ]

    static let mail = FuzzKind("mail", ["a.eml"], tokens: Array(mailTokens))

    static let mbox = FuzzKind(
        "mbox", ["a.mbox"],
        tokens: mailTokens + ["\n\nFrom a@example.org Fri Mar 14 09:30:00 2025\nSubject: x\n\n"])

    static let pdf = FuzzKind(
        "pdf", ["a.pdf"],
        seeds: ["compounds.pdf", "plain.pdf", "partly-scanned.pdf", "without-table.pdf"].compactMap {
            (try? DocumentFixture.input($0).data).map(Seed.file)
        },
        tokens: [
            "obj", "endobj", "<<", ">>", "stream\n", "endstream", "/Kids [1 0 R]", "/Length 99999999",
            "/Count -1", "1 0 R", "xref\n", "trailer", "startxref\n0\n", "%%EOF", "/Filter /FlateDecode",
            "BT ", " ET", "(a) Tj", "/Prev 0", "/Parent 3 0 R", "/Type /Pages", "[",
            "/MediaBox [0 0 1e9 1e9]",
        ])

    /// The text that `pdftotext` writes, and the lines of `pdfinfo`.
    static let pdfText = FuzzKind(
        "pdf-text", ["a.pages"],
        tokens: [
            "\u{C}", "-\n", "\u{AD}\n", "ﬁ", "\u{202B}", "\n1\n", "Water\n", "雨", "- ", "Title: ", "Pages: ",
            ".\n", "and\n", "\u{C}\n1\n", "Keywords: ",
        ])
}
