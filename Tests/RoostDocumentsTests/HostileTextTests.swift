import Foundation
import RoostModel
import Testing

@testable import RoostDocuments

/// Tests of texts that need quadratic or cubic time, which is minutes or hours, if a search begins again at
/// each position. The tests only check that reading ends with the expected text.
@Suite struct HostileTextTests {
    private static let spaces = String(repeating: " ", count: 60_000)

    private static func repeated(_ unit: String) -> String {
        String(repeating: unit, count: 60_000 / unit.count)
    }

    @Test func `A date with many spaces is too long`() {
        #expect(Date(written: "2025-01-01T10:00" + Self.spaces + "x") == nil)
        #expect(Date(written: Self.spaces + "2025-01-01T00:00 Z" + Self.spaces) == nil)
    }

    @Test func `Very many keywords are limited`() {
        let names = (0..<100_000).map { "k\($0)" }
        let keywords = KeywordList.keywords(in: names.joined(separator: ", "))
        #expect(keywords == Array(names.prefix(KeywordList.maximumCount)))
        #expect(KeywordList.keywords(in: "Rain, rain; #Roof\n, RAIN,roof") == ["Rain", "Roof"])
    }

    @Test func `Very many tags in front matter are read`() async throws {
        let names = (0..<60_000).map { "k\($0)" }
        let list = (names + names).joined(separator: ", ")
        let text = "---\ntags: \(list)\n---\nWords\n"
        let input = DocumentInput(data: Data(text.utf8), path: "a.md")
        let document = try #require(
            try await MarkdownReader().read(input, as: MarkdownReader.type).documents.first)
        #expect(document.tags == names)
    }

    @Test(arguments: ["a.srt", "a.vtt"])
    func `Large files of captions are refused, and reading them can be canceled`(
        name: String
    ) async throws {
        var input = DocumentInput(data: Data(repeating: 0x20, count: 101), path: name)
        input.limits.maximumTextBytes = 100
        await #expect(
            throws: DocumentError.limitExceeded("it has 101 bytes, and the maximum for its type is 100")
        ) { try await DocumentFixture.documents(input) }
        let text = "00:00:01,000 --> 00:00:03,000\nOne.\n\n"
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await DocumentFixture.document(text, name: name)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `Captions at one time become one paragraph, and long lines keep their text`() async throws {
        let lines = (0..<100_000).map { "w\($0)" }
        let long = String(repeating: "{\\", count: 50_000)
        let text = "WEBVTT\n\n00:01.000 --> 00:02.000\n" + (lines + [long]).joined(separator: "\n") + "\n"
        let document = try await DocumentFixture.document(text, name: "a.vtt")
        #expect(document.text == "[00:00:01] " + (lines + [long]).joined(separator: " "))
    }

    @Test(arguments: ["|-\n(|-\n", "> |-\n> a\n", "    - |-\n|-\n", ":-\na|b\n"])
    func `A paragraph with many lines of hyphens and bars is read in a short time`(unit: String) {
        let start = ReaderDetailTests.threadSeconds()
        _ = TextStructure(of: "Ab\n" + String(repeating: unit, count: 20_000), format: .markdown)
        #expect(ReaderDetailTests.threadSeconds() - start < 5)
    }

    @Test func `Tables of many items, and rows of hyphens in tables, are found`() {
        let item = "- item\n\n  | a | b |\n  |---|---|\n  | c | d |\n"
        let items = TextStructure(of: String(repeating: item, count: 40), format: .markdown)
        #expect(items.blocks.count == 40)
        let table = "| a | b |\n|---|---|\n" + String(repeating: "| c | d |\n|---|---|\n", count: 40)
        let rows = TextStructure(of: table + "\n| e | f |\n|---|---|\n", format: .markdown)
        #expect(rows.blocks.count == 2)
    }

    @Test(arguments: ["-\n", "\u{E9}-\n", "a\n", "\u{AD}\n", "\u{96E8}\n"])
    func `Very many lines of a PDF document that form one word are joined in a short time`(line: String) {
        let start = ReaderDetailTests.threadSeconds()
        let pages = PDFPages([String(repeating: line, count: 20_000)]).cleaned()
        #expect(pages.count == 1)
        #expect(ReaderDetailTests.threadSeconds() - start < 5)
    }

    @Test(arguments: [
        "var x = 1" + repeated("\n") + "+ 2", "var x = 1" + repeated("\n").dropLast(30_000) + spaces + "+ 2",
        repeated("@a\n") + "func x() {\n}\n", spaces + repeated(";"),
    ])
    func `Code with many blank lines, spaces or attributes is read in a short time`(code: String) {
        let start = ReaderDetailTests.threadSeconds()
        let structure = TextStructure(of: code, format: .code)
        #expect(structure.sections.last?.range.upperBound == code.utf8.count)
        #expect(ReaderDetailTests.threadSeconds() - start < 2)
    }
}
