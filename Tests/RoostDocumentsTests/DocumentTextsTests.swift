import Foundation
import RoostDocuments
import Testing

/// Writes the texts of the documents among the fixtures for `Benchmarks/Peers/documents.py`, which compares
/// them with those of other libraries. `ROOST_DOCUMENT_TEXTS` names the folder for the texts.
@Suite struct DocumentTextsTests {
    private static let output = ProcessInfo.processInfo.environment["ROOST_DOCUMENT_TEXTS"]

    @Test(.enabled(if: output != nil))
    func `Texts of documents are written for the comparison with other libraries`() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.output))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: DocumentFixture.folder.path) {
            // Damaged and encrypted documents have no text.
            guard DocumentFixture.readers.match(try DocumentFixture.input(name)) != nil else { continue }
            guard let documents = try? await DocumentFixture.documents(name) else { continue }
            let text = documents.map { ($0.title ?? "") + "\n" + $0.text }.joined(separator: "\n")
            try Data(text.utf8).write(to: folder.appendingPathComponent(name + ".txt"))
            count += 1
        }
        #expect(count > 30)
    }
}
