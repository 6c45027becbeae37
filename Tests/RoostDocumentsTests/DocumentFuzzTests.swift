import Foundation
import RoostDocuments
import TestSupport
import Testing

/// Tests with damaged documents. `ROOST_FUZZ_FILES` sets the number of files for each kind (default: 60).
@Suite(.serialized) struct DocumentFuzzTests {
    private static let count =
        ProcessInfo.processInfo.environment["ROOST_FUZZ_FILES"].flatMap { Int($0) } ?? 60
    /// The maximum time for one file. Reading takes milliseconds, but other tests use the processor too.
    private static let maximumTime = Duration.seconds(600)

    /// Returns data with some bytes changed, removed, repeated or inserted.
    private func mutated(_ data: Data, _ random: inout Seeded) -> Data {
        var bytes = [UInt8](data)
        for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...64, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[start] ^= 1 << UInt8.random(in: 0...7, using: &random)
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 4:
                bytes.replaceSubrange(start..<end, with: Array("<{[\"'#|*>:".utf8).shuffled(using: &random))
            default: bytes.removeSubrange(start...)
            }
        }
        return Data(bytes)
    }

    /// Reads mutations of a file. Damage must end in a document or in an error, within the time.
    private func fuzz(_ name: String, _ data: Data, count: Int) async throws {
        var random = Seeded(state: UInt64(data.count))
        let type = try #require(DocumentFixture.readers.match(DocumentInput(data: data, path: name)))
        for index in 0..<count {
            let input = DocumentInput(data: mutated(data, &random), path: name)
            let start = ContinuousClock.now
            do {
                let match = DocumentFixture.readers.match(input) ?? type
                for document in try await match.reader.read(input, as: match.type) {
                    let structure = TextStructure(of: document.text, format: document.format)
                    #expect(structure.sections.allSatisfy { $0.range.upperBound <= document.text.utf8.count })
                }
            } catch is DocumentError {
                // The expected result for most damaged files.
            }
            #expect(ContinuousClock.now - start < Self.maximumTime, "\(name), mutation \(index)")
        }
    }

    @Test(arguments: [
        "report.docx", "footnotes.docx", "slides.pptx", "table.xlsx", "report.odt", "table.ods", "book.epub",
        "alternative.eml", "html.eml", "shift-jis.eml", "archive.mbox",
    ])
    func `Damaged office documents and messages do no harm`(name: String) async throws {
        try await fuzz(name, try DocumentFixture.input(name).data, count: Self.count)
    }

    @Test(arguments: ["report.pdf", "right-to-left.pdf"])
    func `Damaged PDF documents do no harm`(name: String) async throws {
        // Each file starts two programs.
        try await fuzz(name, try DocumentFixture.input(name).data, count: max(1, Self.count / 6))
    }

    @Test func `Damaged source code does no harm`() async throws {
        let folder = DocumentFixture.folder.deletingLastPathComponent().appendingPathComponent("code")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            try await fuzz(name, data, count: max(1, Self.count / 3))
        }
    }

    @Test(arguments: [
        ("a.org", "#+TITLE: x\n* A :t:\n[[a][b]]\n#+BEGIN_SRC c\nx\n#+END_SRC\n"),
        ("a.rst", "A\n=\n\n.. code:: c\n\n   x\n\n`a <b>`_\n"), ("a.adoc", "= A\n----\nx\n----\nlink:a[b]\n"),
        ("a.tex", "\\section{A}\\emph{\\textbf{x}} % c\n\\begin{verbatim}\nx\n\\end{verbatim}\n"),
        ("a.json", "[{\"a\": [1, \"\\u00e9\", {\"b\": null}]}]"),
        ("a.xml", "<a><b c='d'>e</b><!-- f -->&amp;</a>"),
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<b>x</b>\n"),
        (
            "a.ipynb",
            "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"x\"], \"outputs\": [{\"text\": \"y\"}]}]}"
        ),
    ])
    func `Damaged texts do no harm`(name: String, text: String) async throws {
        try await fuzz(name, Data(text.utf8), count: Self.count * 5)
    }
}
