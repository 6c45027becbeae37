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

    @Test func `an import reads a pipe to its end, and states why a file cannot be read`() async throws {
        let folder = try TemporaryFolder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let id = "8a3f1e52-0000-4000-8000-000000000001"
        let writer = Thread {
            // Opening the pipe waits for the reader. The archive exceeds the buffer of the pipe.
            let text = "{\"id\":\"\(id)\",\"content\":\"\(String(repeating: "swift ", count: 20_000))\"}"
            try? FileHandle(forWritingAtPath: pipe.path)?.write(contentsOf: Data(text.utf8))
        }
        writer.start()
        #expect(try await store.importEntries(from: pipe).new == 1)
        let missing = folder.url.appendingPathComponent("none.json")
        for (file, cause) in [(missing, "No such file or directory"), (folder.url, "Is a directory")] {
            let error = await #expect(throws: RoostError.self) { try await store.importEntries(from: file) }
            #expect(error?.code == .noInput && error?.message.contains(cause) == true)
        }
    }

    /// Reads a pipe when it is asked about a document, which takes as long as reading a slow file.
    private struct SlowReader: DocumentReader {
        let pipe: URL
        let types: [DocumentType] = []

        func recognizedType(of input: DocumentInput) -> DocumentType? {
            // `Data(contentsOf:)` refuses pipes.
            _ = try? FileHandle(forReadingFrom: pipe).readToEnd()
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
