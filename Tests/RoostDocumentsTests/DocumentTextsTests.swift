import Foundation
import RoostDocuments
import Testing

/// Compares the texts of the documents among the fixtures with those of pypdfium2, python-docx, EbookLib and
/// Python's email package.
///
/// `Benchmarks/Peers/documents.py --write` writes the words of these libraries to
/// `Fixtures/Documents/words.json`, at most the first 2,000 of each document. It lists the files that are not
/// compared, because they are damaged, encrypted or hostile, and the cases in which the other library is wrong.
@Suite struct DocumentTextsTests {
    private static let output = ProcessInfo.processInfo.environment["ROOST_DOCUMENT_TEXTS"]

    private static func text(_ name: String) async throws -> String {
        try await DocumentFixture.documents(name)
            .map { ($0.title ?? "") + "\n" + $0.text }.joined(separator: "\n")
    }

    private static func isIdeographOrKana(_ character: Character) -> Bool {
        let value = character.unicodeScalars.first?.value ?? 0
        return (0x3040...0x30FF).contains(value) || (0x4E00...0x9FFF).contains(value)
    }

    /// Returns the words of a text in the same form as `documents.py`: lowercase, without hyphens between
    /// letters, and each ideograph and each letter of kana as one word.
    private static func words(_ text: String) -> [String] {
        let characters = Array(text.lowercased())
        var words: [String] = []
        var word = ""
        for (index, character) in characters.enumerated() {
            let isSingle = isIdeographOrKana(character)
            if !isSingle && (character.isLetter || character.isNumber) {
                word.append(character)
                continue
            }
            if character == "-" && index > 0 && index + 1 < characters.count
                && characters[index - 1].isLetter && characters[index + 1].isLetter
            {
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
            if isSingle { words.append(String(character)) }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// Returns the share of the expected words that are in the longest common subsequence of both texts.
    private static func recall(of expected: [String], in words: [String]) -> Double {
        // The expected words are only the beginning of a long document.
        let beginning = Array(words.prefix(expected.count + expected.count / 10 + 100))
        let missing = beginning.difference(from: expected).removals.count
        return 1 - Double(missing) / Double(max(expected.count, 1))
    }

    @Test func `Texts contain the words that other libraries read, in the same order`() async throws {
        let file = DocumentFixture.folder.deletingLastPathComponent().appendingPathComponent("words.json")
        let expected = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
        #expect(expected.count == 38)
        for (name, text) in expected.sorted(by: { $0.key < $1.key }) {
            let words = try await Self.words(Self.text(name))
            let recall = Self.recall(of: Self.words(text), in: words)
            #expect(recall >= 0.97, "\(name)")
        }
    }

    /// Writes the texts for `documents.py`. `ROOST_DOCUMENT_TEXTS` names the folder for them.
    @Test(.enabled(if: output != nil))
    func `Texts of documents are written for the comparison with other libraries`() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.output))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: DocumentFixture.folder.path) {
            // Damaged and encrypted documents have no text.
            guard DocumentFixture.readers.match(try DocumentFixture.input(name)) != nil else { continue }
            guard let text = try? await Self.text(name) else { continue }
            try Data(text.utf8).write(to: folder.appendingPathComponent(name + ".txt"))
            count += 1
        }
        #expect(count > 30)
    }
}
