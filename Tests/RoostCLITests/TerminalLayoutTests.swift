import Foundation
import TestSupport
import Testing

@testable import RoostCLI

@Suite struct TableLayoutTests {
    private static let columns = [
        TableColumn(name: "id"), TableColumn(name: "title", isFlexible: true),
        TableColumn(name: "path", isFlexible: true, keepsEnd: true),
    ]
    private static let rows = [
        ["12345678", "A title of many words that fills the line", "notes/deep/folder/file.md"],
        ["abcdef01", "日本語のとても長い題名がここにあります", "ノート/鳥/燕.md"],
        ["00000000", "e\u{301}te\u{301} 🐦", "x.md"],
    ]

    @Test(arguments: [40, 80, 200]) func `Lines fit the width and columns start at the same offset`(
        width: Int
    ) {
        let layout = TableLayout(Self.columns, rows: Self.rows, width: width)
        let lines = Self.rows.map { layout.line($0, isStyled: false) }
        for line in lines { #expect(TextWidth.columns(of: line) <= width, "\(line)") }
        // The text before the path occupies the same number of columns in every line.
        let starts = lines.map { line in
            let end = line.split(separator: "  ", omittingEmptySubsequences: true).last ?? ""
            return TextWidth.columns(of: line) - TextWidth.columns(of: end.drop { $0 == " " })
        }
        #expect(Set(starts).count == 1, "\(starts) \(lines)")
        #expect(lines[0].hasSuffix("file.md"))
        #expect(layout.header.hasPrefix("id        title"))
    }

    @Test(arguments: [40, 80, 200]) func `The heading of a hit fits the width and has the id`(width: Int) {
        let text = HitText(columns: width, isStyled: false)
        let line = text.heading(
            score: 0.5, title: "A title of many words that fills the line", location: "notes/deep/file.md:12",
            id: "12345678")
        #expect(TextWidth.columns(of: line) <= width && line.hasSuffix("12345678"), "\(line)")
    }

    @Test(
        arguments: [
            ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("น้ำ", 2), ("กุ้ง", 2), ("कि", 2), ("❤️", 2),
        ] as [(String, Int)])
    func `Marks that occupy a column are counted`(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
    }

    @Test func `Without a width nothing is cut`() {
        let layout = TableLayout(Self.columns, rows: Self.rows, width: nil)
        for row in Self.rows {
            for cell in row { #expect(layout.line(row, isStyled: false).contains(cell)) }
        }
    }

    @Test func `Without a width a long cell does not widen the other lines`() {
        let title = String(repeating: "long ", count: 60) + "title"
        let columns = [TableColumn(name: "title", isFlexible: true), TableColumn(name: "tags")]
        let layout = TableLayout(columns, rows: [[title, "a"], ["short", "b"]], width: nil)
        #expect(layout.line([title, "a"]) == title + "  a")
        #expect(layout.line(["short", "b"]).count < 120)
    }

    @Test func `The names of columns are shortened before texts become unreadable`() {
        let rows = [
            ["12345678", "2026-01-31T09:30", "120", "8", "before-cleanup"],
            ["12345678", "2026-01-31T09:30", "7", "0", ""],
        ]
        for width in [45, 60, 80] {
            let layout = TableLayout(BackupDocument.columns, rows: rows, width: width)
            for row in rows { #expect(layout.line(row, isStyled: false).count <= width) }
            #expect(layout.header.count <= width, "\(layout.header)")
        }
        let wide = TableLayout(BackupDocument.columns, rows: rows, width: 80)
        #expect(wide.header.contains("entries") && wide.line(rows[0], isStyled: false).hasSuffix("cleanup"))
        let id = TableLayout.indentedLine(["0.5", "title"], [TableColumn(name: ""), TableColumn(name: "")])
        #expect(id == "  0.5  title")
    }

    @Test func `Numbers are aligned at their last digits`() {
        let columns = [TableColumn(name: "n", isNumber: true), TableColumn(name: "name")]
        let layout = TableLayout(columns, rows: [["7", "a"], ["1234", "b"]], width: nil)
        #expect(layout.line(["7", "a"]) == "   7  a")
        #expect(layout.line(["1234", "b"]) == "1234  b")
    }
}

/// Tests of texts that a terminal shows.
@Suite struct TerminalTextTests {
    @Test func `line ends of Windows are line ends`() {
        #expect(TerminalText.safe("one\r\n\r\ntwo\r\n", keepingLines: true) == "one\n\ntwo\n")
        #expect(TerminalText.rendered("one\r\ntwo", keepingLines: true) == "one\ntwo")
    }

    @Test func `other carriage returns are replaced`() {
        #expect(TerminalText.safe("one\rtwo\r\r\n", keepingLines: true) == "one\u{FFFD}two\u{FFFD}\n")
        #expect(TerminalText.safe("one\r\ntwo") == "one\u{FFFD}\u{FFFD}two")
        #expect(TerminalText.safe("a\tb\u{1B}[2J", keepingLines: true) == "a\tb\u{FFFD}[2J")
    }
}

/// Tests of the display of progress.
@Suite struct ProgressTests {
    private struct Fault: Error {}

    @Test func `Work with a display returns its value, and passes on its error`() async throws {
        let progress = Progress(isQuiet: true)
        let value = try await progress.during("working") {
            progress.update(3, fraction: 0.5)
            return 7
        }
        #expect(value == 7 && progress.done == 3)
        await #expect(throws: Fault.self) { try await progress.during("failing") { throw Fault() } }
    }

    @Test func `Work that is canceled ends its display`() async {
        let task = Task {
            try await Progress(isQuiet: true).during("waiting") { try await Task.sleep(for: .seconds(60)) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
