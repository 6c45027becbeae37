import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

/// Tests of details of documents that programs and people write.
@Suite struct ReaderDetailTests {
    private func page(_ html: String) async throws -> Document {
        let input = DocumentInput(data: Data(html.utf8), path: "a.html")
        return try #require(try await HTMLReader().read(input, as: HTMLReader.type).documents.first)
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
            + "<w:basedOn w:val='L'/></w:style></w:styles>"
        let styles = try WordStyles(
            styles: try XMLPull(xml: Data(xml.utf8), isCancelled: { false }), numbering: nil)
        #expect(styles.list(ofStyle: "Subtitle") == nil)
        #expect(styles.list(ofStyle: "L2") == WordStyles.ListReference(list: "7", level: 0))
    }

    // MARK: Hostile texts

    /// Returns the processor time of this thread, which does not depend on other programs.
    static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

@Suite struct DocumentReadersTests {
    /// A reader that recognizes contents that begin with `%MAGIC`.
    private struct SignatureReader: DocumentReader {
        static let type = DocumentType(name: "magic", title: "Magic", extensions: ["magic"])
        let types = [Self.type]

        func recognizedType(of input: DocumentInput) -> DocumentType? {
            input.data.starts(with: "%MAGIC".utf8) ? Self.type : nil
        }

        func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents { [] }
    }

    private let readers = DocumentReaders([PlainTextReader(), SignatureReader()])

    @Test func `The contents determine the type before the name does`() {
        let disguised = DocumentInput(data: Data("%MAGIC 1".utf8), path: "/notes/a.txt")
        #expect(readers.match(disguised)?.type.name == "magic")
        let plain = DocumentInput(data: Data("hello".utf8), path: "/notes/A.TXT")
        #expect(readers.match(plain)?.type.name == "text")
    }

    @Test func `A media type determines the type of a document without an extension`() {
        let input = DocumentInput(data: Data("hello".utf8), path: "page", mediaType: "text/plain")
        #expect(readers.match(input)?.type.name == "text")
        #expect(readers.match(DocumentInput(data: Data("hello".utf8), path: ".txt")) == nil)
    }
}

@Suite struct SpreadsheetTextTests {
    @Test(arguments: [
        ("a_x000D_b", "a b"), ("a_x0007_b", "a b"),
        ("_x005F_x000D_", "_x000D_"), ("_xD83D_", "_xD83D_"),
        ("_x00e4_", "ä"), ("_x00G0_ _x000D", "_x00G0_ _x000D"), ("max_x_size_x", "max_x_size_x"),
    ])
    func `Escapes of characters in cells are decoded`(text: String, expected: String) {
        #expect(SpreadsheetText.decoded(text) == expected)
    }
}
