import Foundation
import RoostDocuments
import TestSupport
import Testing

/// Feeds changed Markdown files to the readers and checks the structure of the results.
@Suite struct MarkdownFuzzTests {
    /// The files of the sample vault.
    private static let files: [Data] = {
        let folder = Fixtures.folder.appendingPathComponent("vault")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.sorted().compactMap { FileManager.default.contents(atPath: folder.path + "/" + $0) }
    }()

    /// Markup that is inserted at random offsets.
    private static let fragments: [String] = [
        "---\n", "+++\n", "```\n", "~~~", "%%", "<!--", "-->", "[[", "]]", "![[", "[", "](", ")", "![", "`",
        "$$", "$",
        "#", "# ", "\n\n", "\r", "\r\n", "> ", "- ", "    ", "\t", "|", "|-|\n", "<", ">", "<div>", "</", "&",
        "*", "_",
        "\\", "\u{0}", "\u{FEFF}", "é", "😀", "e\u{301}", "\u{2028}", "http://a.b/c", "[^1]:", "[a]: b\n",
        "^id\n",
        "key: &a [*a]\n", "? ", ": ", "{{", "}}", "<%", "%>", "===\n", "1. ", "\"", "'",
    ]

    private static func mutated(_ data: Data, using generator: inout Seeded) -> Data {
        var bytes = Array(data)
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let offset = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, offset + Int.random(in: 0...40, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes.removeSubrange(offset..<end)
            case 1: if offset < bytes.count { bytes[offset] = UInt8.random(in: 0...255, using: &generator) }
            case 2: bytes.insert(contentsOf: bytes[offset..<end], at: 0)
            case 3: bytes.removeLast(bytes.count - offset)
            case 4:
                let unit = Array(bytes[offset..<min(end, offset + 4)])
                for _ in 0..<Int.random(in: 1...200, using: &generator) {
                    bytes.insert(contentsOf: unit, at: offset)
                }
            default:
                bytes.insert(contentsOf: (fragments.randomElement(using: &generator) ?? "").utf8, at: offset)
            }
        }
        return Data(bytes)
    }

    /// `ROOST_FUZZ_MUTATIONS` sets the number of changed files.
    @Test func `Changed files have a consistent structure`() async throws {
        var generator = Seeded(state: 24)
        let reader = MarkdownReader()
        try #require(!Self.files.isEmpty)
        for round in 0..<JSONMutator.count(default: 1_000) {
            let original = try #require(Self.files.randomElement(using: &generator))
            let changed = Self.mutated(original, using: &generator)
            // Most changes of binary data would only test the check of UTF-8.
            let text = String(decoding: changed, as: UTF8.self)
            let data = Bool.random(using: &generator) ? Data(text.utf8) : changed
            let input = DocumentInput(data: data, path: "/vault/note")
            do {
                for document in try await reader.read(input, as: MarkdownReader.type) {
                    if let defect = FuzzRules.defect(of: document.text, format: document.format) {
                        Issue.record("round \(round): \(defect): \(document.text.debugDescription)")
                    }
                    #expect(document.tags.allSatisfy { !$0.isEmpty }, "round \(round)")
                }
            } catch is DocumentError {
                // The text is not valid UTF-8.
            }
        }
    }
}
