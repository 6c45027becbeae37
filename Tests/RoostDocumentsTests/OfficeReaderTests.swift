import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostDocuments

/// Tests of office documents and books, which `Fixtures/Documents/office.py` generates.
@Suite struct OfficeReaderTests {
    private let barrels = """
        | Barrel | Litres | Colour |
        | --- | --- | --- |
        | North | 200 | green |
        | South | 310 | blue |
        | Shed | 120 | black \\| grey |
        """

    @Test func `A Word document keeps headings, lists, tables and comments`() async throws {
        let document = try await DocumentFixture.document("report.docx")
        #expect(document.title == "Report on water")
        #expect(document.metadata["author"] == .string("Mara Lindqvist"))
        #expect(document.tags == ["garden", "water"])
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_741_944_600))
        #expect(document.text.hasPrefix("# The garden in a dry summer\n\n# Water in the garden\n\nA barrel"))
        #expect(document.text.contains("\n\n## Soil and mulch\n\n"))
        #expect(
            document.text.contains("- Barrel of 200 litres\n- Hose of 20 metres\n- Lid against mosquitoes"))
        #expect(document.text.contains("1. Clean the gutter\n2. Fill the barrel"))
        #expect(document.text.contains(barrels))
        #expect(document.text.contains("%% Mara: Check this number. %%"))
        #expect(document.unreadParts.isEmpty)
    }

    @Test func `Footnotes, text boxes and inserted text are read, deleted text is not`() async throws {
        let text = try await DocumentFixture.document("footnotes.docx").text
        #expect(
            text == "The barrel is full[^2].\n\ninserted words\n\nText in a box\n\n[^2]: Measured in June.")
    }

    @Test func `A workbook has durations, formulas, links and comments`() async throws {
        let types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
        func relationship(_ id: String, _ type: String, _ target: String, _ mode: String = "Internal")
            -> String
        {
            "<Relationship Id='\(id)' Type='\(types)\(type)' Target='\(target)' TargetMode='\(mode)'/>"
        }
        let cells = """
            <c r='A1' s='0'><v>1.25</v></c><c r='B1' s='1'><v>-0.5</v></c><c r='C1'><f>SUM(A1:A2)</f><v/></c>\
            <c r='D1'><f t='shared' si='0'/></c><c r='E1' t='str'><f>""</f><v/></c><c r='F1' s='2'><v>0.25</v></c>
            """
        let data = StoredArchive.data([
            ("xl/workbook.xml", "<workbook xmlns:r='\(types)'><sheet name='Sheet1' r:id='r1'/></workbook>"),
            (
                "xl/_rels/workbook.xml.rels",
                "<R>\(relationship("r1", "worksheet", "sheet.xml"))\(relationship("r2", "styles", "styles.xml"))</R>"
            ),
            (
                "xl/styles.xml",
                "<styleSheet><numFmts><numFmt numFmtId='200' formatCode='[hh]:mm:ss'/></numFmts><cellXfs>"
                    + "<xf numFmtId='200'/><xf numFmtId='46'/><xf numFmtId='20'/></cellXfs></styleSheet>"
            ),
            (
                "xl/sheet.xml",
                "<worksheet xmlns:r='\(types)'><sheetData><row r='1'>\(cells)</row></sheetData>"
                    + "<hyperlinks><hyperlink ref='A1' r:id='h1'/><hyperlink ref='A2' location='B1'/></hyperlinks>"
                    + "</worksheet>"
            ),
            (
                "xl/_rels/sheet.xml.rels",
                "<R>\(relationship("h1", "hyperlink", "https://example.org/", "External"))"
                    + "\(relationship("c1", "comments", "notes.xml"))"
                    + "\(relationship("c2", "threadedComment", "threads.xml"))</R>"
            ),
            (
                "xl/notes.xml",
                "<comments><commentList><comment ref='A1'><text><r><t>Old</t></r></text></comment>"
                    + "<comment ref='B1'><text><r><t>Check </t></r><r><t>this</t></r></text></comment>"
                    + "</commentList></comments>"
            ),
            (
                "xl/threads.xml",
                "<ThreadedComments><threadedComment ref='A1'><text>Why?</text></threadedComment></ThreadedComments>"
            ),
        ])
        let document = try #require(
            try await DocumentFixture.documents(DocumentInput(data: data, path: "/notes/Moorings.xlsx")).first
        )
        #expect(document.title == "Moorings")
        #expect(
            document.text.hasPrefix("## Sheet1\n\n| 30:00:00 | -12:00:00 | =SUM(A1:A2) |  |  | 06:00 |\n"))
        #expect(document.text.hasSuffix("\n\n- A1: Why?\n- B1: Check this"))
        #expect(document.links == [DocumentLink(kind: .address, target: "https://example.org/")])
        #expect(document.unreadParts.isEmpty)
    }

    @Test func `A book names its authors, and its description is plain text`() async throws {
        func metadata(_ package: String) async throws -> [String: MetadataValue] {
            let data = StoredArchive.data([
                ("META-INF/container.xml", "<container><rootfile full-path='a.opf'/></container>"),
                (
                    "a.opf",
                    "<package><metadata>\(package)</metadata><manifest><item id='c' href='c.xhtml' "
                        + "media-type='application/xhtml+xml'/></manifest><spine><itemref idref='c'/></spine></package>"
                ),
                ("c.xhtml", "<html><body><p>Text</p></body></html>"),
            ])
            let input = DocumentInput(data: data, path: "/notes/a.epub")
            return try #require(try await OfficeReader().read(input, as: OfficeReader.book).documents.first)
                .metadata
        }
        let book = try await metadata(
            "<creator>Sam</creator><creator>Una</creator>"
                + "<description>&lt;p&gt;A &lt;b&gt;tale&lt;/b&gt; of Q&amp;amp;A.&lt;/p&gt;</description>")
        #expect(book["author"] == .array([.string("Sam"), .string("Una")]))
        #expect(book["description"] == .string("A tale of Q&A."))
    }

    @Test func `Slides are pages with titles, tables and notes`() async throws {
        let document = try await DocumentFixture.document("slides.pptx")
        let slides = document.text.split(separator: "\u{C}")
        #expect(slides.count == 4)
        #expect(slides[0].hasPrefix("## Water in the garden\n\n- A barrel under the gutter"))
        #expect(slides[0].contains("Notes: Say this about: Water in the garden"))
        #expect(slides[3].contains(barrels))
        #expect(document.location?.page == 1)
    }

    @Test func `Sheets become tables, and dates are readable`() async throws {
        let document = try await DocumentFixture.document("table.xlsx")
        #expect(document.text.hasPrefix("## Barrels\n\n" + barrels))
        #expect(document.text.contains("| 2025-06-01 | TRUE |\n| 2025-06-02 18:15 | FALSE |"))
    }

    @Test func `OpenDocument texts and spreadsheets are read`() async throws {
        let text = try await DocumentFixture.document("report.odt").text
        #expect(text.hasPrefix("## Water in the garden\n\nA barrel"))
        #expect(text.contains("- Barrel\n- Hose"))
        #expect(text.contains("The barrel is full[^1]") && text.hasSuffix("[^1]: Measured in June."))
        #expect(text.contains(barrels))
        // The sheet states a million repeated empty rows of 16,000 cells.
        #expect(try await DocumentFixture.document("table.ods").text == "## Barrels\n\n" + barrels)
    }

    @Test func `Charts, diagrams and comments in separate parts are read`() async throws {
        let types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
        func relationships(_ targets: [(type: String, target: String)]) -> String {
            let list = targets.enumerated().map { index, part in
                "<Relationship Id='r\(index)' Type='\(types)\(part.type)' Target='\(part.target)'/>"
            }
            return "<Relationships>\(list.joined())</Relationships>"
        }
        func names(_ names: String...) -> String {
            "<c:strRef><c:strCache>\(names.map { "<c:pt><c:v>\($0)</c:v></c:pt>" }.joined())</c:strCache></c:strRef>"
        }
        let chart =
            "<c:chartSpace xmlns:c='c' xmlns:a='a'><c:title><a:p><a:r><a:t>Rain </a:t></a:r><a:r><a:t>in May</a:t></a:r>"
            + "</a:p></c:title><c:ser><c:tx>\(names("North"))</c:tx><c:cat>\(names("Week 1", "Week 2"))</c:cat></c:ser>"
            + "<c:ser><c:tx>\(names("South"))</c:tx><c:cat>\(names("Week 1", "Week 2"))</c:cat><c:val><c:numRef>"
            + "<c:numCache><c:pt><c:v>42</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chartSpace>"
        let diagram =
            "<d:dataModel xmlns:d='d' xmlns:a='a'><a:p><a:r><a:t>Fill</a:t></a:r></a:p><a:p/></d:dataModel>"
        let expected = "- Rain in May"
        let word = StoredArchive.data([
            (
                "word/document.xml",
                "<w:document xmlns:w='w'><w:body><w:p><w:r><w:t>A</w:t></w:r></w:p></w:body></w:document>"
            ),
            ("word/_rels/document.xml.rels", relationships([("chart", "c.xml"), ("diagramData", "d.xml")])),
            ("word/c.xml", chart), ("word/d.xml", diagram),
        ])
        let input = DocumentInput(data: word, path: "/notes/a.docx")
        let text = try #require(try await OfficeReader().read(input, as: OfficeReader.word).documents.first)
            .text
        #expect(text == "A\n\n- Fill\n\n" + expected)
        let slides = StoredArchive.data([
            (
                "ppt/presentation.xml",
                "<p:presentation xmlns:p='p' xmlns:r='r'><p:sldId r:id='r0'/></p:presentation>"
            ),
            ("ppt/_rels/presentation.xml.rels", relationships([("slide", "s.xml")])),
            ("ppt/s.xml", "<p:sld xmlns:p='p'/>"),
            (
                "ppt/_rels/s.xml.rels",
                relationships([("chart", "c.xml"), ("comments", "k.xml")])
            ),
            ("ppt/c.xml", chart),
            (
                "ppt/k.xml",
                "<p:cmLst xmlns:p='p'><p:cm authorId='0'><p:text>Larger font?</p:text></p:cm></p:cmLst>"
            ),
        ])
        let show = DocumentInput(data: slides, path: "/notes/a.pptx")
        let document = try #require(
            try await OfficeReader().read(show, as: OfficeReader.presentation).documents.first)
        #expect(document.text == expected + "\n\n%% Larger font? %%")
    }

    @Test func `The marks of notes in a book are not parts of words`() async throws {
        let data = StoredArchive.data([
            ("META-INF/container.xml", "<container><rootfile full-path='a.opf'/></container>"),
            (
                "a.opf",
                "<package><manifest><item id='c' href='c.xhtml' media-type='application/xhtml+xml'/></manifest>"
                    + "<spine><itemref idref='c'/></spine></package>"
            ),
            (
                "c.xhtml",
                "<html><body><p>One barrel<sup><a href='#n1'>12</a></sup> and <a href='n.xhtml#n2'><sup>3</sup></a>"
                    + " x<sup>2</sup>, see page <a href='#p'>40</a>, pump.<a href='#n3'>*</a>"
                    + " and room<a href='#r'>rule</a>.</p></body></html>"
            ),
        ])
        let input = DocumentInput(data: data, path: "/notes/a.epub")
        let text = try #require(try await OfficeReader().read(input, as: OfficeReader.book).documents.first)
            .text
        #expect(text == "One barrel[12] and [3] x^2, see page 40, pump. and roomrule.")
    }

    @Test func `The spine determines the order of chapters`() async throws {
        let document = try await DocumentFixture.document("book.epub")
        let headings = document.text.split(separator: "\n").filter { $0.hasPrefix("# ") }
        #expect(headings == ["# Soil and mulch", "# Planning a well-known bed", "# Water in the garden"])
        #expect(document.title == "The garden book")
        #expect(document.tags == ["Gardening"])
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_714_521_600))
    }

    @Test func `The table of contents names chapters without headings`() async throws {
        let text = try await DocumentFixture.document("without-headings.epub").text
        #expect(text.hasPrefix("# Soil and mulch\n\nMulch of dry grass"))
    }

    @Test(arguments: ["nested.docx", "nested.epub"])
    func `Archives within the archive and paths outside it are not followed`(name: String) async throws {
        let outer = name == "nested.docx" ? "report.docx" : "book.epub"
        #expect(try await DocumentFixture.document(name).text == DocumentFixture.document(outer).text)
    }

    @Test func `A chapter that is not well-formed is read and reported`() async throws {
        let document = try await DocumentFixture.document("not-well-formed.epub")
        let sections = document.text.components(separatedBy: "\n\n")
        let complete = try await DocumentFixture.document("book.epub").text
        #expect(sections == complete.components(separatedBy: "\n\n"))
        #expect(document.unreadParts.count == 1)
        #expect(document.unreadParts.first?.contains("not well-formed") == true)
    }

    @Test(arguments: ["encrypted.docx", "encrypted.epub"])
    func `Encrypted documents are reported`(name: String) async throws {
        await #expect(throws: DocumentError.encrypted) { try await DocumentFixture.documents(name) }
    }

    @Test func `An archive that expands to a very large part is rejected`() async throws {
        var input = try DocumentFixture.input("bomb.docx")
        input.limits.maximumTextBytes = 32 << 20
        await #expect { try await DocumentFixture.documents(input) } throws: {
            if case DocumentError.limitExceeded = $0 { true } else { false }
        }
    }

    @Test func `Entities are not expanded`() async throws {
        await #expect { try await DocumentFixture.documents("external.docx") } throws: {
            if case DocumentError.unsupported = $0 { true } else { false }
        }
        let book = try await DocumentFixture.document("entities.epub")
        #expect(book.unreadParts.first?.contains("entities") == true)
        #expect(!book.text.contains("aaaaaaaaaa"))
    }

    @Test(arguments: ["truncated.docx", "truncated.epub", "empty.docx", "empty.epub"])
    func `Damaged documents are reported`(name: String) async throws {
        await #expect { try await DocumentFixture.documents(name) } throws: {
            if case DocumentError.damaged = $0 { true } else { false }
        }
    }

    @Test func `Contents determine the type of an archive with another name`() throws {
        let data = try DocumentFixture.input("book.epub").data
        #expect(DocumentFixture.readers.match(DocumentInput(data: data, path: "a.zip"))?.type.name == "epub")
        let slides = try DocumentFixture.input("slides.pptx").data
        #expect(
            DocumentFixture.readers.match(DocumentInput(data: slides, path: "a.docx"))?.type.name == "pptx")
    }
}
