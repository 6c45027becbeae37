import Foundation
import RoostModel
import Synchronization
import Testing

@testable import RoostChunks

/// Tests of the writes of packs that are in progress when an operation fails.
struct PackWriteTests {
    /// A retrieval in which the first write of a pack fails after the second one has begun. The second one
    /// ends when it is canceled.
    private final class StallingRetrieval: ChunkRetrievalDecorator {
        struct Stopped: Error {}

        let wrapped: any ChunkStorageRetrieval
        private let state = Mutex((packs: 0, running: 0, runningAtRelease: [Int]()))
        private let (begun, beginning) = AsyncStream<Void>.makeStream()

        init(_ base: InMemoryRetrieval) { wrapped = base }

        var runningAtRelease: [Int] { state.withLock { $0.runningAtRelease } }
        var packs: Int { state.withLock { $0.packs } }

        func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
            guard path.hasPrefix(RepositoryObject.packs) else {
                return try await wrapped.writeChunk(data, at: path, metadata: metadata)
            }
            let number = state.withLock { state in
                state.packs += 1
                if state.packs > 1 { state.running += 1 }
                return state.packs
            }
            guard number > 1 else {
                var iterator = begun.makeAsyncIterator()
                await iterator.next()
                throw Stopped()
            }
            beginning.yield()
            // This stream has no elements. It ends when the task is canceled.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            // A write ends some time after its cancellation.
            for _ in 0..<100 { await Task.yield() }
            state.withLock { $0.running -= 1 }
            throw CancellationError()
        }

        func deleteChunk(at path: String) async throws {
            if path.hasPrefix(RepositoryObject.locks) {
                state.withLock { $0.runningAtRelease.append($0.running) }
            }
            try await wrapped.deleteChunk(at: path)
        }
    }

    private func largeDocument() async throws -> (any ChunkStorage, Source) {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<(PackWriter.packSize / 8 + 100)).map { _ in generator.next() }
        let data = words.withUnsafeBytes { Data($0) }
        let documents = ComposedChunkStorage(
            organization: GitStyleOrganization(), retrieval: InMemoryRetrieval())
        let name = ChunkIdentifier(hashing: data)
        try await documents.writeChunk(data, identifier: name, metadata: nil)
        return (documents, Source(id: "file:///large", fingerprint: "sha256:\(name.id);id=x"))
    }

    @Test func `a failed backup waits for its writes before it releases the lock`() async throws {
        let base = InMemoryRetrieval()
        _ = try await BackupRepository.create(in: base)
        let (documents, source) = try await largeDocument()
        let storage = try await BackupMaterial.store(10)
        _ = try await storage.commit(WriteBatch(sources: [source]))
        let state = try await storage.snapshot()
        let stalling = StallingRetrieval(base)
        let repository = try await BackupRepository.open(stalling)
        await #expect(throws: StallingRetrieval.Stopped.self) {
            try await repository.create(of: state, documents: documents)
        }
        #expect(stalling.packs == 2)
        #expect(stalling.runningAtRelease == [0])
        #expect(try await base.paths(in: RepositoryObject.locks).isEmpty)
        #expect(try await base.paths(in: RepositoryObject.snapshots).isEmpty)
    }

    @Test func `a canceled operation cancels its writes and waits for them`() async throws {
        let stalling = StallingRetrieval(InMemoryRetrieval())
        let naming = SegmentNaming(key: nil)
        let store = SegmentStore(stalling, naming: naming)
        func add(_ byte: UInt8, to writer: PackWriter) async throws {
            let data = Data(repeating: byte, count: PackWriter.packSize)
            let location = SegmentLocation(
                kind: .original, offset: 0, storedSize: data.count, size: data.count)
            try await writer.add(naming.id(of: data, .original), location, data)
        }
        let (waiting, isWaiting) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await PackWriter.with(stalling, store) { writer in
                try await add(1, to: writer)
                try await add(2, to: writer)
                isWaiting.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                try Task.checkCancellation()
            }
        }
        var iterator = waiting.makeAsyncIterator()
        await iterator.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await stalling.deleteChunk(at: RepositoryObject.lock("x"))
        #expect(stalling.runningAtRelease == [0])
    }
}
