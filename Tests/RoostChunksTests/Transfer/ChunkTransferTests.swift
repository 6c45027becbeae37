import Foundation
import TestSupport
import Testing

@testable import RoostChunks

/// Tests of export, import and shared folders.
@Suite(.temporaryFolders)
struct ChunkTransferTests {
    @Test func `exported chunks can be imported`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let first = ComposableFileSystemChunkStorage(baseURL: folder.appendingPathComponent("a"))
        let second = ComposableFileSystemChunkStorage(
            baseURL: folder.appendingPathComponent("b"), organization: FlatOrganization())
        var chunks: [ChunkIdentifier: Data] = [:]
        for (number, size) in [0, 1, 511, 512, 513, 100_000].enumerated() {
            let identifier = ChunkIdentifier(
                id: number == 2 ? String(repeating: "long name ", count: 40) : "c\(number)")
            chunks[identifier] = Data(repeating: UInt8(number), count: size)
            try await first.writeChunk(
                chunks[identifier]!, identifier: identifier,
                metadata: number.isMultiple(of: 2) ? ChunkMetadata(size: size, custom: ["é": "\n"]) : nil)
        }
        let file = folder.appendingPathComponent("chunks.jsonl")
        let names = chunks.keys.sorted { $0.id < $1.id }
        try await #require(first.export).exportChunks(names, to: file)
        #expect(try await #require(second.import).importChunks(from: file) == names)
        for (name, data) in chunks {
            #expect(try await second.readChunk(name) == data)
            #expect(try await second.metadata(of: name) == first.metadata(of: name))
        }
        await #expect(throws: ChunkStorageError.self) {
            try await #require(first.export).exportChunks([ChunkIdentifier(id: "none")], to: file)
        }
        // A failed export does not change the existing file.
        #expect(try await #require(second.import).importChunks(from: file) == names)
        try await importDamaged(file, second)
    }

    @Test func `an archive that cannot be read is reported with its path and the cause`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let storage = ComposableFileSystemChunkStorage(baseURL: folder)
        let file = folder.appendingPathComponent("missing.jsonl")
        let error = await #expect(throws: ChunkStorageError.self) {
            _ = try await #require(storage.import).importChunks(from: file)
        }
        let cause = String(cString: strerror(ENOENT))
        #expect(error?.description.hasSuffix("cannot read archive \(file.path): \(cause)") == true)
    }

    /// Imports damaged copies of an archive. If the importer throws, it must throw its own error type.
    private func importDamaged(_ file: URL, _ storage: ComposableFileSystemChunkStorage) async throws {
        let sound = try Data(contentsOf: file)
        let copy = file.appendingPathExtension("bad")
        let importer = try #require(storage.import)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var bytes = sound
            if Bool.random() { bytes = bytes.prefix(Int.random(in: 0..<sound.count, using: &generator)) }
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(bytes.count, 4096), using: &generator)] = .random(in: 0...255)
            }
            try bytes.write(to: copy)
            do {
                _ = try await importer.importChunks(from: copy)
            } catch is ChunkStorageError {}
        }
        try sound.dropLast(sound.count / 2).write(to: copy)
        await #expect(throws: ChunkStorageError.self) { try await importer.importChunks(from: copy) }
    }

    @Test func `shared chunks can be read but not changed`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let shared = ComposableFileSystemChunkStorage(baseURL: folder.appendingPathComponent("shared"))
        let name = ChunkIdentifier(id: "shared")
        try await shared.writeChunk(Data("x".utf8), identifier: name, metadata: nil)
        let storage = ComposedChunkStorage(
            organization: FlatOrganization(), retrieval: InMemoryRetrieval(),
            sharing: SharedChunkFolder(baseURL: folder.appendingPathComponent("shared")))
        #expect(try await storage.readChunk(name) == Data("x".utf8))
        #expect(try await storage.chunkExists(name))
        try await storage.deleteChunk(name)
        #expect(try await shared.readChunk(name) == Data("x".utf8))
        try await storage.writeChunk(Data("y".utf8), identifier: name, metadata: nil)
        #expect(try await storage.readChunk(name) == Data("y".utf8))
        #expect(try await shared.readChunk(name) == Data("x".utf8))
    }
}
