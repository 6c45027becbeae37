import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

/// Tests of details of documents that programs and people write.
@Suite struct ReaderDetailTests {
    private func page(_ html: String) async throws -> Document {
        let input = DocumentInput(data: Data(html.utf8), path: "a.html")
        return try #require(try await HTMLReader().read(input, as: HTMLReader.type).first)
    }

    // MARK: Web pages and mail

    @Test func `Text for browsers without scripts is read if the page has little other text`() async throws {
        let posts = (0..<5).map {
            "<p>Post \($0) describes at length how the barrel on the roof was filled.</p>"
        }
        let text = try await page(
            "<html><body><div>Loading</div><noscript>\(posts.joined())</noscript></body></html>"
        ).text
        #expect(text.contains("Post 0 describes") && text.contains("Post 4 describes"))
    }

    @Test func `A short page without links is read completely`() async throws {
        let text = try await page(
            "<html><p>A page of a few words only.</p><p>Second &nbsp;paragraph<br>with break"
        )
        .text
        #expect(text == "A page of a few words only.\n\nSecond paragraph\nwith break")
    }

    @Test func `Text after a list in a table of a message begins a new line`() async throws {
        let html =
            "<table><tr><td><h1>Rain</h1><ul><li>One<li>Two</ul><a href='x'>Leave</a></td></tr></table>"
        let text = try await DocumentFixture.document(
            "From: a@b.example\nSubject: s\nContent-Type: text/html\n\n" + html, name: "a.eml"
        ).text
        #expect(text == "# Rain\n\n- One\n- Two\n\nLeave")
    }

    @Test func `Character references in captions are decoded`() async throws {
        let text = try await DocumentFixture.document(
            "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ines>Rain &amp; hail &lt;3\n", name: "a.vtt"
        ).text
        #expect(text == "[00:00:01] Ines: Rain & hail <3")
    }

    // MARK: Office and PDF

    @Test func `A hidden run is not read, and the first heading is the title`() async throws {
        let document = try await DocumentFixture.document("hidden-text.docx")
        #expect(document.title == "Report on rain")
        #expect(document.text.contains("\n\nVisible words\n\nlink link"))
        #expect(document.links.count == 300 && document.links.allSatisfy { $0.text == "link " })
    }

    @Test func `The title of a template is replaced with that of the first slide`() async throws {
        #expect(try await DocumentFixture.document("template-title.pptx").title == "Rain and roofs")
    }

    @Test func `Cells after the last column that is read are reported`() async throws {
        let document = try await DocumentFixture.document("wide.xlsx")
        #expect(document.text.contains("near") && !document.text.contains("far"))
        #expect(document.unreadParts == ["sheet Wide: 1 cell after column 256"])
    }

    @Test func `Slides that differ only in numbers keep their text`() async throws {
        let pages = try await DocumentFixture.document("slides.pdf").text.split(separator: "\u{C}")
        #expect(pages.count == 8)
        for (index, page) in pages.enumerated() {
            #expect(page.contains("Topic \(index + 1)") && page.contains("Second point \(index + 1)"))
        }
    }

    @Test func `Hyphens within compounds are kept at line ends`() async throws {
        let text = try await DocumentFixture.document("compounds.pdf").text
        #expect(text == "The state-of-the-art pumps are well-suited for comprehensively cleaned barrels.")
    }

    // MARK: Names of files

    @Test(arguments: [
        ("/notes/2025-03-31.md", 1_743_379_200.0), ("2025_03_31 meeting.md", 1_743_379_200),
        ("2025-03-31-post.md", 1_743_379_200), ("2025-02-30.md", nil), ("2025-03_31.md", nil),
        ("2025-03-311.md", nil), ("about 2025-03-31.md", nil), ("20250331.md", nil), ("", nil),
    ])
    func `A name that begins with a day states a date`(path: String, seconds: Double?) {
        let input = DocumentInput(data: Data(), path: path)
        #expect(input.dateInFileName == seconds.map { Date(timeIntervalSince1970: $0) })
    }

    @Test func `Captions have the name of their file as their title`() async throws {
        let captions = "1\n00:00:01,500 --> 00:00:03,000\nOne.\n"
        let document = try await DocumentFixture.document(captions, name: "/a/Rain. Part 2.srt")
        #expect(document.title == "Rain. Part 2")
    }

    // MARK: Styles of Word

    @Test func `A style that states only a level has the list of its parent, if any`() throws {
        func numbering(_ properties: String) -> String { "<w:pPr><w:numPr>\(properties)</w:numPr></w:pPr>" }
        let xml =
            "<w:styles xmlns:w='x'><w:style w:styleId='Subtitle'>\(numbering("<w:ilvl w:val='1'/>"))</w:style>"
            + "<w:style w:styleId='L'>\(numbering("<w:numId w:val='7'/>"))</w:style><w:style w:styleId='L2'>"
            + "<w:basedOn w:val='L'/>\(numbering("<w:ilvl w:val='1'/>"))</w:style></w:styles>"
        let styles = try WordStyles(
            styles: try XMLPull(xml: Data(xml.utf8), isCancelled: { false }), numbering: nil)
        #expect(styles.list(ofStyle: "Subtitle") == nil)
        #expect(styles.list(ofStyle: "L") == WordStyles.ListReference(list: "7", level: 0))
        #expect(styles.list(ofStyle: "L2") == WordStyles.ListReference(list: "7", level: 1))
    }

    // MARK: Markup

    @Test func `LaTeX accents, nested commands and properties are read`() async throws {
        let document = try await DocumentFixture.document(
            #"""
            \title[Short]{On \emph{Barrels}\thanks{Nobody}}
            \author{Ines Graf \and Karl B\"ohm}
            \date{14 March 2024}
            \begin{document}
            \section{The \emph{big} one}\label{a}
            Caf\'e, na\"{\i}ve, \c{c}a, stra\ss e, M\"{u}ller. $\ss x$
            \hline
            \bibitem{a} J. Smith.
            \end{document}
            rest
            """#, name: "a.tex")
        #expect(document.title == "On Barrels")
        #expect(document.metadata["author"] == .string("Ines Graf, Karl Böhm"))
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_710_374_400))
        #expect(document.text.contains("\n## The big one\nCafé, naïve, ça, straße, Müller. $\\ss x$\n"))
        #expect(document.text.contains("\n- J. Smith.\n") && document.text.hasSuffix("<!-- rest -->"))
    }

    @Test func `The text of an environment of LaTeX in one line is kept`() async throws {
        let document = try await DocumentFixture.document(
            #"""
            \begin{abstract}Buoys drift.\end{abstract}
            \begin{quote}
            Two lines.
            \end{quote}
            \begin{itemize}\item one\end{itemize}
            \begin{tabular}{ll}
            The end.\end{center}
            """#, name: "a.tex")
        #expect(document.text == "Buoys drift.\n\nTwo lines.\n\n- one\n\nThe end.")
    }

    @Test(arguments: [
        (#"the return\footnote{Only at \emph{low} tide.}. Then"#, "the return (Only at low tide.). Then"),
        (#"\begin{tabular}{l|l}Berth & Vessel\end{tabular}"#, "Berth & Vessel"),
        (
            #"\begin{figure}[h]\centering\includegraphics[width=3cm]{a.png}\caption{A whelk}\label{f}\end{figure}"#,
            "A whelk"
        ),
        (#"\begin{itemize}\item One \item Two\end{itemize}"#, "- One; Two"), (#"\label{a} After."#, "After."),
    ])
    func `Several commands of LaTeX in a line are converted`(latex: String, expected: String) async throws {
        #expect(try await DocumentFixture.document(latex, name: "a.tex").text == expected)
    }

    @Test func `A heading of Org that is a comment is hidden with the headings below it`() async throws {
        let document = try await DocumentFixture.document(
            """
            * A
            ** TODO [#A] COMMENT Draft :x:
            #+TITLE: Old
            *** Child
            #+begin_src
            ** COMMENT B
            * COMMENTED
            """, name: "a.org")
        #expect(document.title == nil && document.tags.isEmpty)
        #expect(
            document.text.split(separator: "\n") == [
                "# A", "<!-- ** TODO [#A] COMMENT Draft :x: -->", "<!-- #+TITLE: Old -->",
                "<!-- *** Child -->", "<!-- #+begin_src -->", "<!-- ** COMMENT B -->", "# COMMENTED",
            ])
    }

    @Test func `Directives, tables and literal blocks of reStructuredText are converted`() async throws {
        let text = try await DocumentFixture.document(
            """
            .. contents:: Table
               :depth: 2

            Use ``a``, `a link <https://example.org>`_ and [1]_.

            .. code-block:: bash
               :linenos:

               pip install barrel

            .. py:function:: fill(litres)

            .. [1] A note.

            +---+---+
            | a | b |
            +===+===+

            Example::

               x = 1

            #. first
            """, name: "a.rst"
        ).text
        #expect(text.hasPrefix("<!-- .. contents:: Table -->\n"))
        #expect(text.contains("\nUse `a`, [a link](https://example.org) and [1].\n"))
        #expect(
            text.contains("```bash\n   pip install barrel\n") || text.contains("```bash\n\n   pip install"))
        #expect(text.contains("\nfill(litres)\n") && text.contains("\n[1] A note.\n"))
        #expect(text.contains("\n\n| a | b |\n\n"))
        #expect(text.contains("Example:\n```\n   x = 1\n```\n1. first"))
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 23)
    }

    @Test func `Org dates, tables and links to files are converted`() async throws {
        let document = try await DocumentFixture.document(
            "#+DATE: 14 March 2024\n\n| a | b |\n|---+---|\n| 1 | 2 |\n[[file:b.org][other]]\n", name: "a.org"
        )
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_710_374_400))
        #expect(document.text.contains("| a | b |\n|---|---|\n| 1 | 2 |"))
        #expect(document.links.first?.target == "b.org")
    }

    @Test func `Tasks of Org have states, priorities and dates, and headings do not`() async throws {
        let file = """
            #+TITLE: Garden
            #+TODO: OPEN(o) | SOLVED(s!) DROPPED
            * TODO [#A] Repair the barrel [1/3] :water:
              SCHEDULED: <2025-03-14 Fri 10:00 +1w> DEADLINE: <2025-03-20 Thu>
              Text.
            ** SOLVED Buy a lid [50%]
               CLOSED: [2025-03-02 Sun 09:15]
            ** OPEN [#B] Clean it
               CLOCK: [2025-03-01 Sat 10:00]--[2025-03-01 Sat 11:00] =>  1:00
            * DEADLINE and plans
            DEADLINE: soon, and SCHEDULED: <2025-03-14 Fri> later
            * [2/2 done] TODO stays here
            """
        let document = try await DocumentFixture.document(file, name: "a.org")
        let structure = TextStructure(of: document.text, format: document.format)
        #expect(
            structure.sections.compactMap(\.headings.last) == [
                "Repair the barrel", "Buy a lid", "Clean it", "DEADLINE and plans",
                "[2/2 done] TODO stays here",
            ])
        let expected = [
            "todo": ["TODO", "SOLVED", "OPEN"], "priority": ["A", "B"], "scheduled": ["2025-03-14"],
            "deadline": ["2025-03-20"], "closed": ["2025-03-02"],
        ]
        for (name, values) in expected {
            #expect(document.metadata[name] == .array(values.map { .string($0) }), "\(name)")
        }
        #expect(document.tags == ["water"])
        #expect(document.text.contains("\nDEADLINE: soon, and SCHEDULED: <2025-03-14 Fri> later\n"))
        #expect(document.text.split(separator: "\n", omittingEmptySubsequences: false).count == 12)
        let bytes = Array(document.text.utf8)
        let hidden = structure.hiddenParts.map { String(decoding: bytes[$0.range], as: UTF8.self) }.joined()
        #expect(
            hidden.contains("SCHEDULED: <2025-03-14") && hidden.contains("CLOSED: [")
                && hidden.contains("CLOCK"))
    }

    @Test func `The ends of AsciiDoc blocks are not headings, and the header is read`() async throws {
        let document = try await DocumentFixture.document(
            "= Guide\nInes Graf <ines@example.org>\nv1.0, 2024-03-14\n\n.Example\n====\nWords\n====\n",
            name: "a.adoc")
        #expect(document.metadata["author"] == .string("Ines Graf"))
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_710_374_400))
        let structure = TextStructure(of: document.text, format: document.format)
        #expect(structure.sections.compactMap(\.headings.last).allSatisfy { $0 == "Guide" })
        #expect(document.text.contains("\nExample\n\nWords\n"))
    }

    @Test func `AsciiDoc titles in two lines and long delimiters are read`() async throws {
        let text = """
            Rain Guide
            ==========
            Ines Graf <ines@example.org>
            v1.0, 2024-03-14

            Roofs
            -----
            Water runs down.
            -----
            text in the block
            ----
            -----
            //////
            not shown
            ////
            //////

            [[gutters]]
            Gutters
            ~~~~~~~
            .Pipe
            ----
            inside
            ----
            One:
            ----
            two
            ----
            |======
            |cell
            |======
            """
        let document = try await DocumentFixture.document(text, name: "a.adoc")
        #expect(document.title == "Rain Guide")
        #expect(document.metadata["author"] == .string("Ines Graf"))
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_710_374_400))
        let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == text.split(separator: "\n", omittingEmptySubsequences: false).count)
        #expect(lines[0] == "# Rain Guide" && lines[1].isEmpty)
        #expect(
            lines[5...10] == ["## Roofs", "", "Water runs down.", "```", "text in the block", "----"])
        #expect(lines[11] == "```" && lines[12...15].allSatisfy { $0.hasPrefix("<!--") })
        #expect(
            lines[18...] == [
                "### Gutters", "", "Pipe", "```", "inside", "```", "One:", "```", "two", "```", "", "|cell",
                "",
            ])
    }

    @Test(arguments: [
        ("a.rst", "The ``Rain`` *class*\n====================\n\nText\n", "The Rain class"),
        ("a.rst", "Call f(\\*args)\n=============\n\nText\n", "Call f(*args)"),
        ("a.adoc", "= The `rain_gauge` *tool*\n\nText\n", "The rain_gauge tool"),
    ])
    func `Titles of markup contain no markup`(name: String, text: String, title: String) async throws {
        #expect(try await DocumentFixture.document(text, name: name).title == title)
    }

    @Test func `Anchors of AsciiDoc are not links`() async throws {
        let document = try await DocumentFixture.document(
            "== Roofs[[roofs]]\n\n[[a,b]]Water [[[Graf]]] a[0].\n", name: "a.adoc")
        #expect(document.text == "## Roofs\n\nWater [Graf] a[0].\n" && document.title == "Roofs")
    }

    // MARK: Hostile texts

    @Test(arguments: [
        ("a.adoc", "link:a["), ("a.rst", ":a:"), ("a.tex", "\\section{"), ("a.rb", "<<A\n"),
        ("a.org", "[[a]] "),
        ("a.tex", "\\title{a\n"),
    ])
    func `Repeated markup is read in linear time`(name: String, unit: String) {
        func seconds(count: Int) -> Double {
            let text = String(repeating: unit, count: count)
            let lines = text.components(separatedBy: "\n")
            let start = Self.threadSeconds()
            switch name {
            case "a.adoc": _ = AsciiDocMarkup.converted(lines) {}
            case "a.rst": _ = RestructuredMarkup.converted(lines) {}
            case "a.tex": _ = LaTeXMarkup.converted(lines) {}
            case "a.org": _ = OrgMarkup.converted(lines) {}
            default: _ = TextStructure(of: text, format: .code("ruby"))
            }
            return Self.threadSeconds() - start
        }
        // Linear time grows by a factor of 4, quadratic time by one of 16.
        let measurements = (0..<4).lazy.map { _ in (short: seconds(count: 3000), long: seconds(count: 12_000))
        }
        #expect(measurements.contains { $0.long < 0.5 || $0.long < 9 * $0.short })
    }

    /// Returns the processor time of this thread, which does not depend on other programs.
    static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `An XML element with very many attributes is not read`() async throws {
        let attributes = (0..<6000).map { "a\($0)='v'" }.joined(separator: " ")
        await #expect(throws: DocumentError.limitExceeded("an XML element has more than 5000 attributes")) {
            try await DocumentFixture.document("<a \(attributes)/>", name: "a.xml")
        }
        let quotes = String(repeating: "\"v\",", count: 6000)
        let text = try await DocumentFixture.document("<a><![CDATA[\(quotes)]]></a>", name: "a.xml").text
        #expect(text.contains("\"v\",\"v\""))
    }
}
