import Foundation
import RoostModel

/// Collects the texts of a store and their vectors in another embedding space. They are kept in a separate
/// store, under the same ids.
struct VectorCollection {
    /// The separate store, whose vectors belong to the new embedding space.
    let store: KnowledgeStore

    /// The number of entries that are read at once.
    private static let pageSize = 64
    /// The maximum number of entries that are embedded between two commits.
    private static let batchSize = 256
    /// The amount of text, in bytes, that is embedded between two commits. This takes a few seconds with a
    /// small model, and an interruption loses no more work than that.
    private static let batchBytes = 128 << 10

    /// Embeds the texts that have no vectors yet.
    ///
    /// Other processes may change the store during the call. ``MigratedEntries`` adds these changes later.
    func collect(
        from storage: any StorageProvider, _ report: inout ModelMigration.Report,
        _ progress: @Sendable (ModelMigration.Progress) -> Void
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
                progress(.init(space: report.to, done: done, total: snapshot.stamp.entryCount))
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
            var entry = entry
            entry.embeddings = source.embeddings
            entry.passages = source.passages
            return entry
        }
    }

    private func entriesWithoutVectors(_ entries: [Entry]) async throws -> [Entry] {
        let collected = try await collectedEntries(for: entries)
        return entries.filter { collected[$0.id] == nil }
    }

    /// Returns the collected entries that have vectors for the current texts of `entries`, by id.
    private func collectedEntries(for entries: [Entry]) async throws -> [Entry.ID: Entry] {
        let found = try await store.storage.snapshot().entries(entries.map(\.id))
        let contents = Dictionary(entries.map { ($0.id, $0.content) }) { first, _ in first }
        let current = found.filter { entry in
            !entry.embeddings.isEmpty
                && contents[entry.id]?.utf8.elementsEqual(entry.content.utf8) == true
        }
        return Dictionary(current.map { ($0.id, $0) }) { first, _ in first }
    }

    private func embed(_ entries: [Entry], _ report: inout ModelMigration.Report) async throws {
        guard !entries.isEmpty else { return }
        let copies = entries.map {
            // The structure, the source and the metadata determine how a text is divided.
            Entry(
                id: $0.id, content: $0.content, structure: $0.structure, source: $0.source, key: $0.key,
                metadata: $0.metadata,
                createdAt: $0.createdAt, updatedAt: $0.updatedAt)
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
