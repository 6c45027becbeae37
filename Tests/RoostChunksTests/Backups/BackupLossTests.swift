import Foundation
import RoostModel
import Synchronization
import Testing

@testable import RoostChunks

/// Tests of restoring damaged snapshots, and of the order of snapshots.
struct BackupLossTests {
    private final class Losses: Sendable {
        private let collected = Mutex<[BackupLoss]>([])
        var all: [BackupLoss] { collected.withLock { $0 } }
        func add(_ loss: BackupLoss) { collected.withLock { $0.append(loss) } }
    }

    private func losses(
        of snapshot: BackupSnapshot, in repository: BackupRepository, into target: InMemoryStorageProvider
    ) async throws -> [BackupLoss] {
        let losses = Losses()
        try await repository.restore(snapshot, into: target, onLoss: { losses.add($0) })
        return losses.all
    }

    /// Returns a copy of a repository in which the first segment of a kind is damaged.
    private func damaged(
        _ kind: SegmentKind, _ base: InMemoryRetrieval, _ repository: BackupRepository
    ) async throws -> BackupRepository {
        let copy = try await base.copy()
        let store = try await repository.segments()
        let id = try #require(store.ids.first { store.location(of: $0)?.kind == kind })
        let location = try #require(store.location(of: id))
        let path = RepositoryObject.pack(try #require(store.pack(of: id)).description)
        var data = try #require(try await base.readChunk(at: path))
        data[location.offset + location.storedSize / 2] ^= 1
        try await copy.writeChunk(data, at: path, metadata: nil)
        return try await BackupRepository.open(copy)
    }

    @Test(arguments: [
        SegmentKind.ids, .entries, .vectors, .assignments, .clusters, .sources, .run, .list,
    ])
    func `everything that is intact is restored, and the rest is listed`(kind: SegmentKind) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(2000)
        let state = try await storage.snapshot()
        let snapshot = try await repository.create(of: state).snapshot
        let broken = try await damaged(kind, base, repository)
        await #expect { try await broken.restore(snapshot, into: InMemoryStorageProvider()) } throws: {
            ($0 as? BackupError)?.code == .damaged
        }
        let target = InMemoryStorageProvider()
        let losses = try await losses(of: snapshot, in: broken, into: target)
        #expect(!losses.isEmpty)
        let restored = try await target.snapshot()
        let entries = try await restored.entries(after: nil, limit: 5000, matching: .all).entries
        let original = try await state.entries(after: nil, limit: 5000, matching: .all).entries
        var missing = 0
        for loss in losses {
            let names = Set(loss.names)
            switch loss.part {
            case .entries:
                missing += loss.count
                #expect(!entries.contains { names.contains($0.id.text) })
            case .vectors:
                #expect(kind == .vectors)
                for entry in entries where names.contains(entry.id.text) {
                    #expect(entry.embeddings.isEmpty)
                }
            default: break
            }
        }
        #expect(entries.count + missing == original.count)
        // The store has a single list of all runs; every other segment belongs to one run.
        #expect(kind == .list || missing <= 256)
        if kind != .vectors {
            let ids = Set(entries.map(\.id))
            #expect(entries == original.filter { ids.contains($0.id) })
        }
        // No reference leads to something that is missing.
        #expect(try await restored.inspectContents(space: nil).allSatisfy { $0.severity == .note })
    }

    @Test func `snapshots are ordered by their numbers before time`() {
        let store = UUID()
        let (first, second) = (UUID(), UUID())
        func snapshot(_ id: String, _ epoch: UUID, _ revision: UInt64, _ sequence: Int, year: Int)
            -> BackupSnapshot
        {
            let stamp = Stamp(
                store: store, epoch: epoch, revision: Revision(rawValue: revision), entryCount: 0,
                clusterCount: 0)
            var snapshot = BackupSnapshot(
                id: id, created: Date(timeIntervalSince1970: Double(year - 1970) * 31_557_600), tags: [],
                stamp: stamp, attributes: [:], sourceCount: 0, lists: [], sources: [], clusters: [])
            snapshot.sequence = sequence
            return snapshot
        }
        // The clock was in 2040 when the first two were created. The third began a new epoch, in which a
        // repair lost the latest revisions.
        let all = [
            snapshot("a", first, 5, 1, year: 2040), snapshot("b", first, 6, 2, year: 2039),
            snapshot("c", second, 3, 3, year: 2024), snapshot("d", second, 4, 4, year: 2025),
        ]
        for _ in 0..<10 { #expect(all.shuffled().oldestFirst().map(\.id) == ["a", "b", "c", "d"]) }
        #expect(BackupRetention(last: 2).kept(of: all) == ["c", "d"])
    }

    @Test func `a new snapshot is the latest one even if the clock ran ahead`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(30)
        let ahead = try await repository.create(of: try await storage.snapshot()).snapshot
        // Writes the same snapshot with a date in the future.
        var data = try #require(try await base.readChunk(at: RepositoryObject.snapshot(ahead.id)))
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        object["created"] = Int(4e12)
        data = try JSONSerialization.data(withJSONObject: object)
        try await base.deleteChunk(at: RepositoryObject.snapshot(ahead.id))
        try await base.writeChunk(
            data, at: RepositoryObject.snapshot(repository.naming.name(of: data)), metadata: nil)
        _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(31)]))
        let new = try await repository.create(of: try await storage.snapshot()).snapshot
        #expect(try await repository.snapshot("latest").id == new.id)
        _ = try await repository.prune(keeping: BackupRetention(last: 1))
        #expect(try await repository.snapshots().map(\.id) == [new.id])
    }
}
