import Foundation
import RoostDocuments

/// The kinds of web pages, feeds, messages and PDF documents.
extension FuzzKind {
    /// Elements of HTML.
    static let markupTokens = [
        "<p>", "</p>", "<div>", "</div>", "<h1>", "</h1>", "<b>", "</b>", "<i>", "<a href=x>", "</a>", "<ul>",
        "</ul>",
        "<ol start=99999999999>", "<li>", "</li>", "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>",
        "<td colspan=9999 rowspan=9999>", "<pre>", "</pre>", "<code>", "</code>", "<blockquote>",
        "</blockquote>",
        "<br>", "<hr>", "<img src=a alt=b>", "<script>", "</script>", "<style>", "<svg>", "<math>",
        "<template>",
        "</template>", "<noscript>", "<select>", "<option>", "<textarea>", "<title>", "</title>", "<dl><dt>",
        "<dd>",
        "<ruby><rt>", "<p hidden>", "<span style='display:none'>", "<form>", "<font a=b>", "<frameset>",
        "<isindex>",
        "<plaintext>", "<details><summary>", "<iframe>", "<object>", "<caption>", "<section>", "<article>",
        "</article>", "<nav>", "<aside>", "<main>", "<body>", "</body>", "<html lang=x>", "</", "<!",
        "<p a='",
        " class='comment sidebar'", "&nbsp;", "&lt;",
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
            "]]>",
            "&lt;p&gt;", "<category>a</category>", "{\"id\":1},", "\"items\":[", "<title>x</title>",
            "<channel>",
            "<description>", "<!ENTITY a 'b'>",
        ])

    private static let mailTokens =
        markupTokens.prefix(40) + [
            "\n\n", "--b\n", "--b--\n", "--c\n", "> ", ">> ", "-- \n", "From: ", "\nFrom ", "=?utf-8?q?",
            "?=",
            "=?utf-8?B?", "Content-Type: multipart/mixed; boundary=b\n\n--b\n", "Content-Type: text/html\n\n",
            "Content-Type: message/rfc822\n\n", "Content-Transfer-Encoding: base64\n", "; charset=shift_jis",
            "; charset=utf-7", "=C3", "=\n", "(", ")", "<a@b>,", "\n ", "; name*0*=", "\"",
            "On Monday, A wrote:\n",
            "a@b, ", "group: ", "begin 644 a\n", "-----Original Message-----\n",
        ]

    static let eml = FuzzKind(
        "eml", ["a.eml"],
        tokens: Array(mailTokens))

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
            "/Count -1",
            "1 0 R", "xref\n", "trailer", "startxref\n0\n", "%%EOF", "/Filter /FlateDecode", "BT ", " ET",
            "(a) Tj",
            "/Prev 0", "/Parent 3 0 R", "/Type /Pages", "[", "/MediaBox [0 0 1e9 1e9]",
        ])

    /// The text that `pdftotext` writes, and the lines of `pdfinfo`.
    static let pdfText = FuzzKind(
        "pdf-text", ["a.pages"],
        tokens: [
            "\u{C}", "-\n", "\u{AD}\n", "ﬁ", "\u{202B}", "\n1\n", "Water\n", "雨", "- ", "Title: ", "Pages: ",
            ".\n",
            "and\n", "\u{C}\n1\n", "Keywords: ",
        ])
}
