import Foundation
import RoostDocuments
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of files that change while they are read.
@Suite(.temporaryFolders) struct FileContentsTests {
    private static let line = "a line of text\n"
    /// A text that is longer than the part of a file that is read first.
    private static let text = String(repeating: line, count: 2000)

    /// Reads a file that changes after its beginning has been read.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of a text.
    ///   - maximumBinarySize: The maximum size of a binary file; `nil` if the file must be a text.
    private func read(
        maximumSize: Int = 1 << 20, maximumBinarySize: Int? = nil, changing change: (URL) throws -> Void
    ) throws -> String {
        let file = try TemporaryFolder().url.appendingPathComponent("a.txt")
        try Data(Self.text.utf8).write(to: file)
        let data = try FileContents.read(file, maximumSize: maximumSize) { start in
            #expect(start.count < Self.text.utf8.count)
            #expect(throws: Never.self) { try change(file) }
            return maximumBinarySize
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func append(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `a file that grows is read to its end`() throws {
        #expect(try read { try append("the end", to: $0) } == Self.text + "the end")
    }

    @Test(arguments: [(1 << 20, nil), (1 << 30, 1 << 20)] as [(Int, Int?)])
    func `a file that grows beyond the limit is refused`(limit: Int, binaryLimit: Int?) {
        let more = String(repeating: Self.line, count: 200_000)
        let error = #expect(throws: RoostError.self) {
            try read(maximumSize: limit, maximumBinarySize: binaryLimit) { try append(more, to: $0) }
        }
        #expect(error?.code == .badInput && error?.message.contains("larger than 1 MB") == true)
    }

    @Test func `a file that is emptied or replaced gives text that it contained`() throws {
        let start = try read { #expect(truncate($0.path, 0) == 0) }
        #expect(!start.isEmpty && Self.text.hasPrefix(start))
        let former = try read { try Data("new".utf8).write(to: $0, options: .atomic) }
        #expect(former == Self.text)
    }
}

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
