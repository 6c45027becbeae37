import Foundation
import RoostDocuments
import TestSupport
import Testing

/// Reads documents of many pages, whose texts must be complete and in order.
struct LargeDocumentTests {
    private static let words = [
        "swift", "barrel", "compost", "lens", "oboe", "dough", "trail", "ledger", "query", "comet", "frost",
    ]

    /// The sentences of the documents. Neighbours differ in words, because a line that differs from that of
    /// other pages in its number only is a header or a footer.
    private static let sentences = (0..<4000).map { number in
        let word = words[number % 11]
        return "Sentence \(number) is about the \(word), the \(words[number / 11 % 11]) and nothing else."
    }

    private static func word() -> Data {
        let paragraphs = sentences.map { "<w:p><w:r><w:t>\($0)</w:t></w:r></w:p>" }.joined()
        return StoredArchive.data([
            ("word/document.xml", "<w:document xmlns:w='w'><w:body>\(paragraphs)</w:body></w:document>")
        ])
    }

    private static func book() -> Data {
        let chapters = 0..<40
        let type = "media-type='application/xhtml+xml'"
        let items = chapters.map { "<item id='c\($0)' href='c\($0).xhtml' \(type)/>" }
        let spine = chapters.map { "<itemref idref='c\($0)'/>" }
        let manifest = "<manifest>\(items.joined())</manifest><spine>\(spine.joined())</spine>"
        let parts = chapters.map { chapter in
            let text = sentences[chapter * 100..<chapter * 100 + 100].map { "<p>\($0)</p>" }.joined()
            return (name: "c\(chapter).xhtml", text: "<html><body>\(text)</body></html>")
        }
        return StoredArchive.data(
            [
                ("META-INF/container.xml", "<container><rootfile full-path='a.opf'/></container>"),
                ("a.opf", "<package>\(manifest)</package>"),
            ] + parts)
    }

    private static func message() -> Data {
        Data("From: a@b.example\r\nSubject: Long\r\n\r\n\(sentences.joined(separator: "\r\n"))\r\n".utf8)
    }

    /// Returns a PDF file of 80 pages with 50 lines each.
    private static func pages() -> Data {
        let pages = 0..<80
        let kids = pages.map { "\(4 + 2 * $0) 0 R" }.joined(separator: " ")
        var objects = [
            "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count \(pages.count)/Kids[\(kids)]>>",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
        for page in pages {
            let lines = sentences[page * 50..<page * 50 + 50].map { "(\($0)) Tj T*" }.joined(separator: "\n")
            let stream = "BT /F1 10 Tf 14 TL 50 780 Td \(lines) ET"
            objects += [
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents \(5 + 2 * page) 0 R"
                    + "/Resources<</Font<</F1 3 0 R>>>>>>",
                "<</Length \(stream.utf8.count)>>stream\n\(stream)\nendstream",
            ]
        }
        var (file, offsets) = ("%PDF-1.4\n", [Int]())
        for (index, object) in objects.enumerated() {
            offsets.append(file.utf8.count)
            file += "\(index + 1) 0 obj\(object)endobj\n"
        }
        let start = file.utf8.count
        let count = objects.count + 1
        file += "xref\n0 \(count)\n0000000000 65535 f \n"
        for offset in offsets {
            let digits = String(offset)
            file += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        return Data((file + "trailer<</Size \(count)/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF").utf8)
    }

    @Test(arguments: ["docx", "epub", "eml", "pdf"])
    func `the text of a large document is complete and in order`(type: String) async throws {
        let data =
            switch type {
            case "docx": Self.word()
            case "epub": Self.book()
            case "eml": Self.message()
            default: Self.pages()
            }
        let documents = try await DocumentFixture.documents(
            DocumentInput(data: data, path: "/notes/large." + type))
        let document = try #require(documents.first)
        #expect(documents.count == 1 && document.unreadParts.isEmpty)
        let text = document.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let found = text.matches(of: /Sentence [^.]*\./).map { String($0.output) }
        #expect(found == Self.sentences)
    }
}
