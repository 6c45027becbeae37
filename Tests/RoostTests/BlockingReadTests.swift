import Foundation
import Roost
import RoostDocuments
import RoostModel
import TestSupport
import Testing

/// Tests that reads of files do not block the threads of Swift's cooperative pool.
@Suite(.temporaryFolders) struct BlockingReadTests {
    @Test func `an import from a pipe blocks no thread of the cooperative pool`() async throws {
        let folder = try TemporaryFolder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let file = folder.url.appendingPathComponent("entries.json")
        let wasFree = try await BlockedReads.run(of: file) {
            _ = try? await store.importEntries(from: file)
        }
        #expect(wasFree)
    }

    /// Reads a pipe when it is asked about a document, which takes as long as reading a slow file.
    private struct SlowReader: DocumentReader {
        let pipe: URL
        let types: [DocumentType] = []

        func recognizedType(of input: DocumentInput) -> DocumentType? {
            _ = try? Data(contentsOf: pipe)
            return nil
        }

        func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] { [] }
    }

    @Test func `the read of a document blocks no thread of the cooperative pool`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("note.md")
        try Data("the swifts are back".utf8).write(to: file)
        let pipe = folder.url.appendingPathComponent("pipe")
        var reader = RecordReader()
        reader.readers = DocumentReaders([SlowReader(pipe: pipe)])
        let wasFree = try await BlockedReads.run(of: pipe) { [reader] in
            _ = try? await reader.read(file)
        }
        #expect(wasFree)
        #expect(try await RecordReader().read(file).entries.map(\.content) == ["the swifts are back"])
    }
}
