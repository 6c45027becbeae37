import Foundation
import RoostModel
import Synchronization
import Testing

@testable import RoostChunks

/// Other processes change a repository while it is opened or read, or its storage lists new objects late.
struct RepositoryRaceTests {
    /// A storage that calls a closure before the first access of a kind.
    private final class WatchedRetrieval: ChunkRetrievalDecorator {
        /// The first read of an object, or the first list of a folder.
        enum Access: Equatable {
            case read(String)
            case list(String)
        }

        let wrapped: any ChunkStorageRetrieval
        private let access: Access
        private let action: Mutex<(@Sendable () async throws -> Void)?>
        /// The beginning of the paths that lists do not contain.
        private let unlisted: String?

        init(
            _ base: InMemoryRetrieval, before access: Access, unlisted: String? = nil,
            _ action: @escaping @Sendable () async throws -> Void = {}
        ) {
            wrapped = base
            self.access = access
            self.unlisted = unlisted
            self.action = Mutex(action)
        }

        private func note(_ found: Access) async throws {
            guard found == access else { return }
            let action = action.withLock { action in
                defer { action = nil }
                return action
            }
            try await action?()
        }

        func readChunk(at path: String) async throws -> Data? {
            try await note(.read(path))
            return try await wrapped.readChunk(at: path)
        }
        func chunks(in folder: String) async throws -> [ListedChunk] {
            try await note(.list(folder))
            return try await wrapped.chunks(in: folder).filter { chunk in
                unlisted.map { !chunk.path.hasPrefix($0) } ?? true
            }
        }
    }

    @Test func `a backup that ends meanwhile is complete`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let (own, other) = (try await BackupMaterial.store(100), try await BackupMaterial.store(200))
        let state = try await other.snapshot()
        let watched = WatchedRetrieval(base, before: .list(RepositoryObject.indexes)) {
            _ = try await repository.create(of: state)
        }
        _ = try await BackupRepository.open(watched).create(of: try await own.snapshot())
        #expect(try await repository.snapshots().count == 2)
        #expect(try await repository.verify(readingData: true).isSound)
    }

    @Test func `packs that the storage does not list yet are restored`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let state = try await BackupMaterial.store(200).snapshot()
        let snapshot = try await repository.create(of: state, documents: BackupMaterial.documents).snapshot
        let late = WatchedRetrieval(base, before: .list("none"), unlisted: RepositoryObject.packs + "/")
        let opened = try await BackupRepository.open(late)
        #expect(try await BackupMaterial.check(snapshot, opened, state) == nil)
        // A prune does not remove what it cannot see.
        let before = try await base.paths(in: "").sorted()
        await #expect(throws: BackupError.self) { try await opened.prune() }
        #expect(try await base.paths(in: "").sorted() == before)
    }

    @Test func `a repository that is created while it is opened is not corrupt`() async throws {
        let base = InMemoryRetrieval()
        // The configuration appears after it was found to be missing.
        let watched = WatchedRetrieval(base, before: .list(RepositoryObject.snapshots)) {
            _ = try await BackupRepository.create(in: base)
        }
        let error = await #expect(throws: BackupError.self) { try await BackupRepository.open(watched) }
        #expect(error?.code == .notFound)
        _ = try await BackupRepository.open(watched)
    }

    @Test func `a storage that cannot be listed is not taken for an empty one`() async throws {
        let base = InMemoryRetrieval()
        let failing = WatchedRetrieval(base, before: .list(RepositoryObject.snapshots)) {
            throw ChunkStorageError.storageUnavailable(reason: "no connection")
        }
        await #expect(throws: ChunkStorageError.storageUnavailable(reason: "no connection")) {
            try await BackupRepository.open(failing)
        }
    }

    @Test(arguments: [nil, "[core]\n"])
    func `a folder of another program is no damaged repository`(config: String?) async throws {
        let base = InMemoryRetrieval()
        for number in 0..<10 {
            let path = RepositoryObject.snapshots + "/photo-\(number)"
            try await base.writeChunk(Data("x".utf8), at: path, metadata: nil)
        }
        if let config {
            let path = RepositoryObject.configuration
            try await base.writeChunk(Data(config.utf8), at: path, metadata: nil)
        }
        let error = await #expect(throws: BackupError.self) { try await BackupRepository.open(base) }
        #expect(error?.code == (config == nil ? .notFound : .damaged))
    }
}
