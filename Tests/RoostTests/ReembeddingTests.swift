import Foundation
import RoostChunks
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// An embedder whose vectors depend on the text's length and the embedder's name, and which fails on request.
private final class NamedEmbedder: Embedder {
    let space: EmbeddingSpace
    let maximumTokens: Int? = nil
    private let remaining: Mutex<Int>

    init(_ name: String, dimension: Int, failingAfter limit: Int = .max) {
        space = EmbeddingSpace(model: name, revision: name, dimension: dimension, pooling: "none")
        remaining = Mutex(limit)
    }

    struct Failed: Error {}

    func vector(_ text: String) -> [Float] {
        var vector = [Float](repeating: 0.1, count: space.dimension)
        vector[(text.utf8.count + space.model.utf8.count) % space.dimension] = 1
        return normalized(vector)
    }

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        try Task.checkCancellation()
        try remaining.withLock { remaining in
            guard remaining >= texts.count else { throw Failed() }
            remaining -= texts.count
        }
        return Embeddings(
            vectors: Matrix(texts.map(vector), columns: space.dimension),
            tokenCounts: texts.map(\.utf8.count), omittedTokens: texts.map { _ in 0 })
    }

    func tokenRanges(in text: String) -> [Range<Int>] {
        text.utf8.indices.isEmpty ? [] : [0..<text.utf8.count]
    }
}

@Suite(.temporaryFolders) struct ReembeddingTests {
    let directory = TemporaryFolder.unusedURL()

    private func store(
        _ provider: StoreManifest.Provider, _ embedder: NamedEmbedder
    ) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.create(at: directory, provider: provider, embedder: embedder)
        let drafts = (0..<300).map {
            EntryDraft(content: String(repeating: "swift ", count: $0 % 7 + 1) + "\($0)")
        }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        _ = try await store.recluster(clusters: 2)
        return store
    }

    private func open(_ embedder: NamedEmbedder) async throws -> KnowledgeStore {
        try await KnowledgeStore.open(at: directory) { _ in embedder }
    }

    /// Checks that centroids and thresholds match the vectors of the members.
    private func checkFigures(of clusters: [Cluster], _ entries: [Entry]) throws {
        for cluster in clusters {
            #expect(cluster.centroid.count == 6 && abs(length(of: cluster.centroid) - 1) < 1e-5)
            #expect(cluster.silhouette == nil && cluster.separation == nil)
            let cosines = cluster.members.compactMap { id in
                entries.first { $0.id == id }.map { innerProduct($0.embeddings, cluster.centroid) }
            }
            let threshold = try #require(cluster.assignmentThreshold)
            #expect(
                cosines.contains(threshold)
                    && cosines.count { $0 >= threshold } * 20 >= cosines.count * 19)
        }
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `a migration to another model changes only the vectors`(
        provider: StoreManifest.Provider
    ) async throws {
        let (old, new) = (NamedEmbedder("old", dimension: 8), NamedEmbedder("new model", dimension: 6))
        let before = try await store(provider, old)
        let entries = try await before.storage.fetchEntries()
        let clusters = try await before.storage.fetchClusters()
        let stamp = try await before.storage.snapshot().stamp
        let report = try await migration(of: directory, to: new).run()
        #expect(
            (report.entries, report.embedded, report.isMoved, report.hasClusters) == (300, 300, true, true))

        let after = try await open(new)
        let moved = try await after.storage.fetchEntries()
        #expect(moved.map(\.id) == entries.map(\.id) && moved.map(\.content) == entries.map(\.content))
        #expect(
            moved.map(\.source) == entries.map(\.source) && moved.map(\.updatedAt) == entries.map(\.updatedAt)
        )
        for entry in moved { #expect(entry.embeddings == new.vector(entry.content)) }
        let movedClusters = try await after.storage.fetchClusters()
        #expect(movedClusters.map(\.id) == clusters.map(\.id))
        #expect(movedClusters.map(\.members) == clusters.map(\.members))
        try checkFigures(of: movedClusters, moved)
        let newStamp = try await after.storage.snapshot().stamp
        #expect(newStamp.epoch != stamp.epoch && newStamp.store == stamp.store)
        #expect(!FileManager.default.fileExists(atPath: directory.appendingPathComponent("reembed").path))
        #expect(try StoreManifest.read(in: directory).space.isCompatible(with: new.space))
        #expect(try StoreManifest.read(in: directory).format == 1)

        await #expect { try await open(old) } throws: { ($0 as? RoostError)?.code == .spaceMismatch }
        #expect(try await after.search("swift ").hits.isEmpty == false)
        #expect(try await StoreInspector(directory).inspect().filter { $0.severity == .damage } == [])

        // The backup contains the store before the migration.
        let repository = try await BackupRepository.open(
            FileSystemRetrieval(baseURL: StoreBackup(directory, backups(of: directory)).ownRepository))
        let backup = StoreBackup(TemporaryFolder.unusedURL())
        try await backup.restore(try await repository.snapshot(report.backup ?? ""), from: repository)
        let copy = try await KnowledgeStore.open(at: backup.directory) { _ in old }
        #expect(try await copy.storage.fetchEntries() == entries)
        try await copy.close()
        let again = try await migration(of: directory, to: new).run()
        #expect(!again.isMoved && again.embedded == 0)
        try await after.close()
        try await before.close()
    }

    @Test func `a handle from before a migration does not mix vectors of equal dimension`() async throws {
        let (old, new) = (NamedEmbedder("old", dimension: 8), NamedEmbedder("newer", dimension: 8))
        let before = try await store(.sqlite, old)
        _ = try await before.search("swift")
        let entry = try #require(try await before.storage.fetchEntries().first)
        var reembedding = migration(of: directory, to: new)
        reembedding.makesBackup = false
        #expect(try await reembedding.run().backup == nil)
        for call in [
            { _ = try await before.search("swift") }, { try await before.add("more") },
            { try await before.update(entry.id, EntryChanges(content: "other")) },
            { _ = try await before.recluster(clusters: 2) },
            { _ = try await before.update([entry.id], EntryChanges(addedTags: ["t"])) },
        ] as [() async throws -> Void] {
            await #expect { try await call() } throws: { ($0 as? RoostError)?.code == .spaceMismatch }
        }
        let after = try await open(new)
        for entry in try await after.storage.fetchEntries() {
            #expect(entry.embeddings == new.vector(entry.content))
        }
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `an interrupted migration resumes and includes changes made in the meantime`(
        provider: StoreManifest.Provider
    ) async throws {
        let old = NamedEmbedder("old", dimension: 8)
        let before = try await store(provider, old)
        let failing = NamedEmbedder("new", dimension: 5, failingAfter: 260)
        await #expect(throws: NamedEmbedder.Failed.self) {
            try await migration(of: directory, to: failing).run()
        }
        #expect(ModelMigration.unfinished(in: directory)?.isCompatible(with: failing.space) == true)
        #expect(try await before.search("swift ").hits.isEmpty == false)
        // Of the embedded texts, one changes and one is removed; one text is added.
        let entries = try await before.storage.fetchEntries()
        try await before.update(entries[3].id, EntryChanges(content: "something else entirely"))
        try await before.storage.deleteEntry(entries[4].id)
        try await before.add("one more")
        let new = NamedEmbedder("new", dimension: 5)
        let report = try await migration(of: directory, to: new).run()
        #expect((report.entries, report.embedded) == (300, 300 - 256 + 1 + 1))
        let after = try await open(new)
        let moved = try await after.storage.fetchEntries()
        #expect(moved.contains { $0.content == "one more" } && !moved.contains { $0.id == entries[4].id })
        for entry in moved { #expect(entry.embeddings == new.vector(entry.content)) }
    }

    @Test func `an interrupted migration is not used for another model and can be discarded`() async throws {
        let old = NamedEmbedder("old", dimension: 8)
        _ = try await store(.sqlite, old)
        for name in ["first", "second"] {
            let failing = NamedEmbedder(name, dimension: 5, failingAfter: 256)
            await #expect(throws: NamedEmbedder.Failed.self) {
                try await migration(of: directory, to: failing).run()
            }
            #expect(ModelMigration.unfinished(in: directory)?.model == name)
        }
        #expect(try await !migration(of: directory, to: old).run().isMoved)
        #expect(ModelMigration.unfinished(in: directory) == nil)
    }

    @Test func `entries that are added during a migration are not lost`() async throws {
        let (old, new) = (NamedEmbedder("old", dimension: 8), NamedEmbedder("new", dimension: 8))
        let before = try await store(.sqlite, old)
        async let added: Int = {
            var count = 0
            while true {
                do {
                    try await before.add("added during the migration, number \(count)")
                    count += 1
                    try await Task.sleep(for: .milliseconds(40))
                } catch let error as RoostError where error.code == .spaceMismatch {
                    return count
                }
            }
        }()
        _ = try await migration(of: directory, to: new).run()
        let count = try await added
        let after = try await open(new)
        let moved = try await after.storage.fetchEntries()
        #expect(moved.count == 300 + count)
        for entry in moved { #expect(entry.embeddings == new.vector(entry.content)) }
    }

    /// Tests the states that a process may leave if it ends while it replaces the vectors.
    @Test(arguments: [false, true])
    func `a store stays consistent if a process ends between the writes of manifest and storage`(
        isCommitted: Bool
    )
        async throws
    {
        let (old, new) = (NamedEmbedder("old", dimension: 8), NamedEmbedder("new", dimension: 8))
        let before = try await store(.json, old)
        let epoch = UUID()
        try StoreManifest.change(in: directory) { $0.move = .init(space: new.space, epoch: epoch) }
        if isCommitted {
            var batch = WriteBatch(upserts: try await before.storage.fetchEntries(), newEpoch: epoch)
            for index in batch.upserts.indices {
                batch.upserts[index].embeddings = new.vector(batch.upserts[index].content)
                batch.upserts[index].passages = []
            }
            batch.expecting.epoch = try await before.storage.snapshot().stamp.epoch
            _ = try await before.storage.commit(batch)
        }
        try await before.close()
        let (right, wrong) = isCommitted ? (new, old) : (old, new)
        await #expect { try await open(wrong) } throws: { ($0 as? RoostError)?.code == .spaceMismatch }
        let after = try await open(right)
        #expect(try await after.search("swift ").hits.isEmpty == false)
        // In both cases, opening the store removes the record of the unfinished migration.
        #expect(try StoreManifest.read(in: directory).move == nil)
        #expect(try StoreManifest.read(in: directory).format == 1)
        if !isCommitted {
            #expect(try await migration(of: directory, to: new).run().isMoved)
            #expect(try StoreManifest.read(in: directory).move == nil)
        }
    }

    @Test func `a second simultaneous migration is refused, and a canceled one resumes`() async throws {
        _ = try await store(.sqlite, NamedEmbedder("old", dimension: 8))
        let new = NamedEmbedder("new", dimension: 5)
        let outcomes = await withTaskGroup(of: Result<Bool, any Error>.self) { group in
            for _ in 0..<3 {
                group.addTask { [directory] in
                    do {
                        return .success(try await migration(of: directory, to: new).run().isMoved)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { (try? $0.get()) == true } == 1)
        for case .failure(let error) in outcomes {
            #expect((error as? StorageError)?.code == .locked, "\(error)")
        }

        let newest = NamedEmbedder("newest", dimension: 7)
        let task = Task {
            try await migration(of: directory, to: newest).run { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ModelMigration.unfinished(in: directory) != nil)
        #expect(try await migration(of: directory, to: newest).run().embedded == 44)
    }

    @Test func `a JSON store that is repaired after a migration has only new vectors`() async throws {
        let (old, new) = (NamedEmbedder("old", dimension: 8), NamedEmbedder("new", dimension: 8))
        try await store(.json, old).close()
        #expect(try await migration(of: directory, to: new).run().isMoved)
        let generations = directory.appendingPathComponent("Storage/generations")
        let names = try FileManager.default.contentsOfDirectory(atPath: generations.path)
        #expect(names.count == 1)
        let sidecar = generations.appendingPathComponent("\(names[0])/sidecar")
        let file = try FileHandle(forWritingTo: sidecar)
        try file.seek(toOffset: 100)
        try file.write(contentsOf: Data([1, 2, 3, 4, 5, 6, 7, 8]))
        try file.close()
        var inspector = StoreInspector(directory) { [new] }
        inspector.backups = backups(of: directory)
        _ = try await inspector.repair()
        let after = try await open(new)
        for entry in try await after.storage.fetchEntries() where !entry.embeddings.isEmpty {
            #expect(entry.embeddings == new.vector(entry.content))
        }
    }
}

private func backups(of directory: URL) -> BackupSettings {
    BackupSettings(folder: directory.appendingPathExtension("backups"))
}

private func migration(of directory: URL, to embedder: any Embedder) -> ModelMigration {
    var migration = ModelMigration(of: directory, to: embedder)
    migration.backups = backups(of: directory)
    return migration
}
