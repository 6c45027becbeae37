import Foundation
import RoostModel
import Testing

@testable import Roost

/// Tests of quotation marks in tables with tabs, which many programs write without quoting.
@Suite struct TabbedTableTests {
    private func fields(_ text: String) throws -> [[String]] {
        let rows = try DelimitedText(separator: "\t").rows(of: text, name: "table").map(\.fields)
        // The result does not depend on the pieces in which a file is read.
        for size in [1, 3] {
            let bytes = Data(text.utf8)
            var reader = DelimitedRows(separator: "\t", name: "table") { offset, _ in
                bytes.dropFirst(offset).prefix(size)
            }
            var found: [[String]] = []
            while let row = try reader.next() { found.append(row.fields) }
            #expect(found == rows, "\(size)")
        }
        return rows
    }

    @Test(arguments: [
        ("a\tb\n\"x\" y\t1\n2\t3\n", [["a", "b"], ["\"x\" y", "1"], ["2", "3"]]),
        ("a\tb\n\"x\t1\n2\t3\n", [["a", "b"], ["\"x", "1"], ["2", "3"]]),
        ("a\tb\n1\t\"x\n2\t5\"\n3\t4\n", [["a", "b"], ["1", "\"x"], ["2", "5\""], ["3", "4"]]),
        ("a\tb\n1\t\"x\n2\t\"y\" z\n", [["a", "b"], ["1", "\"x"], ["2", "\"y\" z"]]),
        ("a\tb\n1\t\"x\r\n2\t5\"", [["a", "b"], ["1", "\"x"], ["2", "5\""]]),
        ("\"a\tb\n1\t2\n", [["\"a", "b"], ["1", "2"]]),
    ])
    func `quotation marks are text`(text: String, expected: [[String]]) throws {
        #expect(try fields(text) == expected)
    }

    @Test func `a quoted field of other tables is closed, and its line is named`() throws {
        let error = #expect(throws: RoostError.self) {
            try DelimitedText(separator: ",").rows(of: "a,b\n1,2\n3,\"x\n4,5\n", name: "table.csv")
        }
        #expect(error?.message.contains("the quoted field that begins on line 3 is not closed") == true)
        let rows = try RowReader(textColumn: nil, idColumn: nil, name: "table.csv")
            .table("id,text\n1,a\n2,\"b\n3,c\n4,d\"\n5,e\n", separator: ",")
        #expect(rows.entries.map(\.content) == ["a", "b\n3,c\n4,d", "e"])
        let joined = try RowReader(textColumn: nil, idColumn: nil, name: "table.csv")
            .table("id,text\n1,a\n\"2,b\n3,c\"\n5,e\n", separator: ",")
        #expect(joined.entries.map(\.content) == ["a", "e"])
        #expect(joined.skipped.first?.source == "table.csv, row 3 (lines 3 to 4)")
        #expect(joined.skipped.first?.reason.contains("a quotation mark in these lines") == true)
    }
}
