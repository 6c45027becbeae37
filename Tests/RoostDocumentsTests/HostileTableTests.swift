import Foundation
import TestSupport
import Testing

@testable import RoostDocuments

/// Tests of small documents whose tables would become much longer than the document.
@Suite struct HostileTableTests {
    /// The maximum number of bytes of a text in the tests.
    private static let maximum = 1 << 20
    private static let relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    private static func input(_ parts: [(name: String, text: String)], _ path: String) -> DocumentInput {
        var input = DocumentInput(data: StoredArchive.data(parts), path: path)
        input.limits.maximumTextBytes = maximum
        return input
    }

    /// Returns a workbook with the same rows in each sheet, a list of shared strings, and a number format.
    private static func workbook(
        sheets: Int, rows: String, string: String = "", format: String = "0"
    ) -> DocumentInput {
        func target(_ id: String, _ type: String, _ part: String) -> String {
            "<Relationship Id=\"\(id)\" Type=\"\(relationships)/\(type)\" Target=\"\(part)\"/>"
        }
        let names = (1...sheets).map { "<sheet name=\"S\($0)\" r:id=\"r1\"/>" }.joined()
        let links =
            target("r1", "worksheet", "sheet.xml") + target("r2", "sharedStrings", "strings.xml")
            + target("r3", "styles", "styles.xml")
        return input(
            [
                ("xl/workbook.xml", "<workbook xmlns:r=\"\(relationships)\">\(names)</workbook>"),
                ("xl/_rels/workbook.xml.rels", "<Relationships>\(links)</Relationships>"),
                ("xl/strings.xml", "<sst><si><t>\(string)</t></si></sst>"),
                (
                    "xl/styles.xml",
                    "<styleSheet><numFmts><numFmt numFmtId=\"200\" formatCode=\"\(format)\"/></numFmts>"
                        + "<cellXfs><xf numFmtId=\"200\"/></cellXfs></styleSheet>"
                ),
                ("xl/sheet.xml", "<worksheet>\(rows)</worksheet>"),
            ], "a.xlsx")
    }

    @Test func `Cells that refer to one long text exceed the maximum of the text`() async throws {
        let row = "<row>" + String(repeating: "<c t=\"s\"><v>0</v></c>", count: 64) + "</row>"
        var input = Self.workbook(
            sheets: 2, rows: String(repeating: row, count: 100), string: String(repeating: "|a", count: 5000))
        // The maximum is four times the size of the parts, but at least a megabyte.
        for maximum in [Self.maximum, DocumentLimits().maximumTextBytes] {
            input.limits.maximumTextBytes = maximum
            await #expect(throws: DocumentError.self) { try await DocumentFixture.documents(input) }
        }
    }

    @Test(arguments: [
        ("yyyy", "1900-01-01"), ("0.0", "2"), ("00000", "00002"), ("0%", "200%"), ("#,##0.0%", "200.0%"),
        ("[Red]0\\d&quot;years&quot;", "2"), ("[h", "1900-01-01"),
        ("&quot;d", "1900-01-01"), (String(repeating: "[", count: 200_000), "2"),
    ])
    func `Number formats determine the text of a number`(format: String, text: String) async throws {
        let input = Self.workbook(sheets: 1, rows: "<row><c s=\"0\"><v>2</v></c></row>", format: format)
        let document = try #require(try await DocumentFixture.documents(input).first)
        #expect(document.text == "## S1\n\n| \(text) |\n| --- |")
    }

    @Test func `Repeated cells and rows within repeated cells exceed the maximum`() async throws {
        var table = "<text:p>|</text:p>"
        for _ in 0..<4 {
            table =
                "<table:table><table:table-row table:number-rows-repeated=\"1000\">"
                + "<table:table-cell table:number-columns-repeated=\"100\">\(table)</table:table-cell>"
                + "</table:table-row></table:table>"
        }
        let names = ["office", "text", "table"].map { "xmlns:\($0)=\"\($0)\"" }.joined(separator: " ")
        let content =
            "<office:document-content \(names)><office:body><office:text><text:p>Words</text:p>"
            + String(repeating: table, count: 20) + "</office:text></office:body></office:document-content>"
        let input = Self.input([("content.xml", content)], "a.odt")
        await #expect(throws: DocumentError.self) { try await DocumentFixture.documents(input) }
    }

    @Test(arguments: [
        // One wide row, and very many short ones, which are padded; and many of these tables.
        String(repeating: "<tc><tcPr><gridSpan val=\"64\"/></tcPr></tc>", count: 100) + "</tr>"
            + String(repeating: "<tr><tc/></tr>", count: 2000) + "<tr>",
        "<tc><p><r><t>a</t></r></p></tc>",
    ])
    func `A wide table of a Word document is refused`(row: String) async throws {
        let table = "<tbl><tr>\(row)</tr></tbl>"
        let cell = "<tc><sdt><sdtContent>\(String(repeating: table, count: 10))</sdtContent></sdt></tc>"
        let isWide = row.contains("gridSpan")
        let word = "<tr><tc><p><r><t>a</t></r></p></tc></tr>"
        let wide = "<tbl>\(word)<tr>\(row)</tr></tbl>"
        let body = "<document><body>\(isWide ? wide : "<tbl><tr>\(cell)</tr></tbl>")</body></document>"
        let input = Self.input([("word/document.xml", body)], "a.docx")
        if isWide {
            await #expect(throws: DocumentError.limitExceeded("its text exceeds \(Self.maximum) bytes")) {
                try await DocumentFixture.documents(input)
            }
        } else {
            let document = try #require(try await DocumentFixture.documents(input).first)
            #expect(document.text.contains("\\| a \\|"))
        }
    }

    @Test func `A comment of a Word document is written once`() async throws {
        let comments = (0..<40).map { number in
            let reference = "<r><commentReference id=\"\(number - 1)\"/></r>"
            return "<comment id=\"\(number)\"><p><r><t>Check \(number).</t></r>\(reference)\(reference)</p>"
                + "<p>\(reference)</p></comment>"
        }
        let links =
            "<Relationship Id=\"r1\" Type=\"\(Self.relationships)/comments\" Target=\"comments.xml\"/>"
        let body = "<document><body><p><r><t>Words</t><commentReference id=\"39\"/></r></p></body></document>"
        let input = Self.input(
            [
                ("word/document.xml", body),
                ("word/comments.xml", "<comments>\(comments.joined())</comments>"),
                ("word/_rels/document.xml.rels", "<Relationships>\(links)</Relationships>"),
            ], "a.docx")
        let document = try #require(try await DocumentFixture.documents(input).first)
        #expect(document.text.hasPrefix("Words\n\n%% Check 39."))
        #expect(document.text.components(separatedBy: "Check 0.").count == 2)
    }

    @Test func `A table whose cells span very many columns is refused`() async throws {
        let table =
            "<table><tr>" + String(repeating: "<td colspan=\"64\">a</td>", count: 1000) + "</tr>"
            + String(repeating: "<tr><td>a</td></tr>", count: 1000) + "</table>"
        let header = "From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/html\n\n"
        let message = header + "<p>Words</p>\(table)\n"
        var input = DocumentInput(data: Data(message.utf8), path: "a.eml")
        input.limits.maximumTextBytes = Self.maximum
        do {
            let document = try #require(try await DocumentFixture.documents(input).first)
            #expect(document.text.utf8.count <= Self.maximum)
        } catch is DocumentError {
            // The message may also be refused.
        }
    }
}
