import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostChunks

/// Numbers in the objects of a manipulated repository cause errors, and never a crash.
struct ConfigurationFuzzTests {
    @Test func `mutated configurations of a repository are read or refused`() async throws {
        let retrieval = InMemoryRetrieval()
        _ = try await BackupRepository.create(in: retrieval)
        let plain = try #require(try await retrieval.readChunk(at: RepositoryObject.configuration))
        let encrypted = InMemoryRetrieval()
        _ = try await BackupRepository.create(in: encrypted, passphrase: "a long passphrase")
        let sealed = try #require(try await encrypted.readChunk(at: RepositoryObject.configuration))
        var generator = Seeded(state: 43)
        var refused = 0
        let count = JSONMutator.count(default: 500)
        for round in 0..<count {
            // Deriving a key from a passphrase is deliberately slow, so only a few rounds do it.
            let isEncrypted = round % 100 == 0
            let data = JSONMutator.mutated(isEncrypted ? sealed : plain, using: &generator)
            try await retrieval.writeChunk(data, at: RepositoryObject.configuration, metadata: nil)
            do {
                _ = try await BackupRepository.open(
                    retrieval, passphrase: isEncrypted ? "a long passphrase" : nil)
            } catch is BackupError {
                refused += 1
            } catch is ChunkStorageError {
                refused += 1
            }
        }
        #expect(refused > 0 && refused < count)
    }

    @Test func `mutated snapshots are read or refused`() async throws {
        let retrieval = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: retrieval)
        let storage = try await BackupMaterial.store(40)
        let made = try await repository.create(of: try await storage.snapshot())
        let path = RepositoryObject.snapshot(made.snapshot.id)
        let original = try #require(try await retrieval.readChunk(at: path))
        try await repository.forget([made.snapshot.id])
        var generator = Seeded(state: 47)
        var (refused, accepted) = (0, 0)
        for round in 0..<JSONMutator.count(default: 400) {
            let data = JSONMutator.mutated(original, using: &generator)
            let name = repository.naming.name(of: data)
            try await retrieval.writeChunk(data, at: RepositoryObject.snapshot(name), metadata: nil)
            do {
                let snapshots = try await repository.snapshots()
                _ = BackupRetention(last: 1, daily: 3, weekly: 2, monthly: 2).kept(of: snapshots)
                accepted += 1
                if round % 20 == 0, let snapshot = snapshots.first {
                    _ = try await repository.restore(snapshot, into: InMemoryStorageProvider())
                }
            } catch is BackupError {
                refused += 1
            } catch is StorageError {
                refused += 1
            }
            try await repository.forget([name])
        }
        #expect(refused > 0 && accepted > 0)
    }
}
