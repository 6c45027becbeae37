import Foundation
import RoostModel

struct EntryImporter {
    private let store: KnowledgeStore
    /// Whether the vectors of the archive belong to the store's embedding space.
    private let usesVectors: Bool
    /// Whether an entry that the store contains keeps its tags, and its dates unless the new metadata states
    /// others.
    private let keepsStoredValues: Bool
    /// Whether the entries have neither passages nor locations, because they are rows of a table.
    private let isTable: Bool
    private var placement: BatchPlacement
    private var report = ImportReport()

    private static let batchSize = 256

    static func run(
        _ archive: EntryArchive, into store: KnowledgeStore, progress: (@Sendable (Int, Int) -> Void)?
    ) async throws -> ImportReport {
        var importer = EntryImporter(
            store: store,
            usesVectors: archive.space.map { store.embedder.space.isCompatible(with: $0) } ?? false,
            keepsStoredValues: false, isTable: archive.isTable, placement: BatchPlacement(of: store))
        var entries = try archive.entries()
        return try await importer.run(archive.count, progress) { done in
            try archive.next(batchSize, of: &entries, after: done)
        }
    }

    static func run(
        _ archive: TextArchive, into store: KnowledgeStore, progress: (@Sendable (Int, Int) -> Void)?
    ) async throws -> ImportReport {
        let entries = archive.entries(now: Date())
        // All collections are checked first, so that a faulty archive is not partly imported.
        var check = ArchiveCheck(name: archive.name)
        for entry in entries { try check.add(entry) }
        var importer = EntryImporter(
            store: store, usesVectors: false, keepsStoredValues: true, isTable: false,
            placement: BatchPlacement(of: store))
        return try await importer.run(entries.count, progress) { Array(entries[$0...].prefix(batchSize)) }
    }

    private mutating func run(
        _ count: Int, _ progress: (@Sendable (Int, Int) -> Void)?, next: (_ done: Int) throws -> [Entry]
    ) async throws -> ImportReport {
        var done = 0
        while done < count {
            let entries = try next(done)
            try await commit(entries)
            done += entries.count
            progress?(done, count)
        }
        return report
    }

    private mutating func commit(_ entries: [Entry]) async throws {
        try Task.checkCancellation()
        report = try await ConflictRetry.standard.run {
            var next = report
            let batch = try await batch(for: entries, &next)
            placement.committed(batch, at: try await store.storage.commit(batch))
            return next
        }
    }

    /// Gives an entry of another program the tags of the stored one, and its dates unless the metadata states
    /// them. A date that a store would reject counts as unknown.
    private static func keepValues(of old: Entry, in entry: inout Entry) {
        let stated = RowFields(entry.metadata)
        entry.tags = TagName.adding(entry.tags, to: TagName.distinct(old.tags))
        if stated.createdAt?.isWritable != true { entry.createdAt = old.createdAt }
        if stated.updatedAt?.isWritable != true, old.content.utf8.elementsEqual(entry.content.utf8) {
            entry.updatedAt = max(old.updatedAt, entry.createdAt)
        }
    }

    private mutating func batch(
        for entries: [Entry], _ report: inout ImportReport
    ) async throws -> WriteBatch {
        let snapshot = try await store.storage.snapshot()
        let ids = entries.map(\.id)
        let stored = try await snapshot.entries(ids).byID
        var expected = try await snapshot.revisions(of: ids)
        for id in ids where expected[id] == nil { expected[id] = .zero }
        var upserts: [Entry] = []
        var missingVectors: [Entry] = []
        for var entry in entries {
            entry.tags = TagName.distinct(entry.tags)
            let old = stored[entry.id]
            if let old, entry.structure == nil, old.content.utf8.elementsEqual(entry.content.utf8) {
                entry.structure = old.structure
            }
            entry.readStructure()
            if keepsStoredValues, let old { Self.keepValues(of: old, in: &entry) }
            if hasVectors(entry) {
                upserts.append(entry)
            } else if let old, old.content.utf8.elementsEqual(entry.content.utf8),
                old.structure == entry.structure
            {
                (entry.embeddings, entry.passages) = (old.embeddings, old.passages)
                if isTable { entry.location = old.location }
                upserts.append(entry)
            } else {
                (entry.embeddings, entry.passages) = ([], [])
                missingVectors.append(entry)
            }
            if old == nil {
                report.new += 1
            } else if old == entry {
                report.unchanged += 1
            } else {
                report.updated += 1
            }
        }
        if !missingVectors.isEmpty {
            var ingest = IngestReport()
            upserts += try await store.entryEmbedder.embed(missingVectors, reusing: nil, &ingest)
            report.embedded += missingVectors.count
        }
        // Keep the order of the archive, so that an export of the imported entries equals the archive.
        let order = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
        upserts.sort { order[$0.id] ?? 0 < order[$1.id] ?? 0 }
        var batch = WriteBatch(upserts: upserts, expecting: .init(entries: expected))
        let moved = upserts.filter { stored[$0.id]?.embeddings != $0.embeddings }
        try await placement.assign(Set(moved.map(\.id)), in: &batch, snapshot)
        return batch
    }

    private func hasVectors(_ entry: Entry) -> Bool {
        usesVectors && !entry.embeddings.isEmpty
            && !entry.hasInvalidVector(dimension: store.embedder.space.dimension)
    }
}

/// The result of an import.
public struct ImportReport: Sendable, Hashable, Encodable {
    /// The number of entries that the store did not contain.
    public var new = 0
    /// The number of entries that replaced a different entry with the same id.
    public var updated = 0
    /// The number of entries that the store already contained.
    public var unchanged = 0
    /// The number of entries that were embedded, because the archive has no vectors in the store's embedding
    /// space.
    public var embedded = 0
}
