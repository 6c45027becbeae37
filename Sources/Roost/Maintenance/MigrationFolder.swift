import Foundation
import RoostFiles
import RoostModel

/// The folder `reembed` in a store's folder, in which a migration to another model collects new vectors.
///
/// It contains a separate store in the new space, with a copy of each text.
struct MigrationFolder {
    private let directory: URL
    let url: URL

    private static let lockName = "busy"
    /// The prefix of the name of a migration folder that is being removed.
    private static let removedPrefix = ".reembed-"

    init(of directory: URL) {
        self.directory = directory
        url = directory.appendingPathComponent("reembed")
    }

    func lock() throws -> FileLock {
        do {
            try FileSystem.standard.createFolder(url)
            return try FileLock.acquire(url.appendingPathComponent(Self.lockName), timeout: 0)
        } catch let error as LockTimeout {
            throw StorageError(
                .locked, "the store is being migrated to another model by \(error.holder)",
                underlying: error, isRetryable: true, remedy: .retryLater)
        } catch {
            throw StorageError.mapping(error)
        }
    }

    /// Opens the separate store for the embedder, with the vectors that an earlier call collected.
    ///
    /// A store that has another embedding space or is damaged is replaced with an empty one. Other errors,
    /// such as a full disk, do not discard collected vectors.
    func openStore(_ space: EmbeddingSpace, _ embedder: any Embedder) async throws -> KnowledgeStore {
        do {
            let manifest = try StoreManifest.read(in: url)
            if manifest.space.isCompatible(with: space) {
                let storage = try await StoreConfiguration(directory: url, manifest: manifest).open()
                return KnowledgeStore(storage: storage, embedder: embedder)
            }
        } catch let error as RoostError where [.noStore, .damagedManifest].contains(error.code) {
        } catch let error as StorageError where error.code == .damaged {
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        for name in names where name != Self.lockName {
            try FileManager.default.removeItem(at: url.appendingPathComponent(name))
        }
        return try await KnowledgeStore.createAnywhere(at: url, embedder: embedder)
    }

    /// The folder is renamed first, so no process opens a partly removed store.
    func remove() throws {
        try StorageError.mappingFileErrors {
            let files = FileSystem.standard
            let target = directory.appendingPathComponent("\(Self.removedPrefix)\(UUID().uuidString)")
            try files.rename(url.path, to: target.path)
            // Also remove folders that remain from processes that ended during a removal.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
            for name in names where name.hasPrefix(Self.removedPrefix) {
                try files.removeFolder(directory.appendingPathComponent(name))
            }
        }
    }
}

/// Collects the texts of a store and their vectors in another embedding space. They are kept in a separate
/// store, under the same ids.
struct VectorCollection {
    /// The separate store, whose vectors belong to the new embedding space.
    let store: KnowledgeStore

    private static let pageSize = 64
    private static let batchSize = 256
    /// The amount of text, in bytes, that is embedded between two commits. This takes a few seconds with a
    /// small model, and an interruption loses no more work than that.
    private static let batchBytes = 128 << 10

    /// Embeds the texts that have no vectors yet. Other processes may change the store during the call.
    func collect(
        from storage: any StorageProvider, _ report: inout ModelMigration.Report,
        _ progress: @Sendable (ModelMigration.Progress) -> Void = { _ in }
    ) async throws {
        var row: UInt32?
        var epoch: UUID?
        var done = 0
        var pending: [Entry] = []
        repeat {
            try Task.checkCancellation()
            // Each page is read from a new snapshot, because a snapshot that is held for hours would keep the
            // storage from reclaiming space.
            let snapshot = try await storage.snapshot()
            if epoch != snapshot.stamp.epoch {
                // Row numbers are valid only within an epoch.
                (epoch, row, done, pending) = (snapshot.stamp.epoch, nil, 0, [])
            }
            let page = try await snapshot.entries(after: row, limit: Self.pageSize, matching: .all)
            pending += try await entriesWithoutVectors(page.entries)
            row = page.next
            done += page.entries.count
            let bytes = pending.reduce(0) { $0 + $1.content.utf8.count }
            if pending.count >= Self.batchSize || bytes >= Self.batchBytes || row == nil {
                try await embed(pending, &report)
                pending = []
                progress(.init(done: done, total: snapshot.stamp.entryCount))
            }
        } while row != nil
    }

    /// Returns the given entries with vectors of the new space. Vectors that have not been collected are
    /// computed.
    func migrated(
        _ entries: [Entry], _ report: inout ModelMigration.Report
    ) async throws -> [Entry] {
        try await embed(try await entriesWithoutVectors(entries), &report)
        let collected = try await collectedEntries(for: entries)
        return try entries.map { entry in
            guard let source = collected[entry.id] else {
                throw StorageError(
                    .damaged, "the collected vectors of entry \(entry.id.text) are missing; start again")
            }
            return changing(entry) { ($0.embeddings, $0.passages) = (source.embeddings, source.passages) }
        }
    }

    private func entriesWithoutVectors(_ entries: [Entry]) async throws -> [Entry] {
        let collected = try await collectedEntries(for: entries)
        return entries.filter { collected[$0.id] == nil }
    }

    /// Returns the collected entries that have vectors for the current texts of `entries`, by id.
    private func collectedEntries(for entries: [Entry]) async throws -> [Entry.ID: Entry] {
        let found = try await store.storage.snapshot().entries(entries.map(\.id))
        let contents = entries.byID.mapValues(\.content)
        return found.filter { entry in
            !entry.embeddings.isEmpty
                && contents[entry.id]?.utf8.elementsEqual(entry.content.utf8) == true
        }.byID
    }

    private func embed(_ entries: [Entry], _ report: inout ModelMigration.Report) async throws {
        guard !entries.isEmpty else { return }
        let copies = entries.map {
            // The structure, the source and the metadata determine how a text is divided.
            Entry(
                id: $0.id, content: $0.content, structure: $0.structure, source: $0.source, key: $0.key,
                metadata: $0.metadata, createdAt: $0.createdAt, updatedAt: $0.updatedAt)
        }
        var embedding = IngestReport()
        let upserts = try await store.entryEmbedder.embed(
            copies, reusing: try await store.storage.snapshot(), &embedding)
        _ = try await store.storage.commit(WriteBatch(upserts: upserts))
        report.embedded += upserts.count
        report.tokens += embedding.tokens
        report.omittedTokens += embedding.omittedTokens
    }
}
