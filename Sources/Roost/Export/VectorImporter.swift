import Foundation
import RoostModel
import RoostVectors

/// Writes the texts of a ``VectorArchive`` to a store.
struct VectorImporter {
    let store: KnowledgeStore

    /// Imports an archive.
    ///
    /// - Throws: See ``KnowledgeStore/importVectors(_:ignoringVectors:progress:)``.
    func run(
        _ archive: VectorArchive, ignoringVectors: Bool, _ progress: (@Sendable (Int, Int) -> Void)?
    ) async throws -> VectorImportReport {
        var report = VectorImportReport()
        report.withoutText = archive.recordsWithoutText
        let total = archive.count
        // All collections are checked first, so that a faulty archive is not partly imported.
        var prepared: [(entries: EntryArchive, vectors: Int?)] = []
        for collection in archive.collections {
            let usesVectors = ignoringVectors ? false : try await vectorsMatch(collection.records)
            let entries = entries(of: collection, withVectors: usesVectors)
            prepared.append(
                (
                    try EntryArchive(entries: entries, name: collection.source),
                    usesVectors ? entries.count { !$0.embeddings.isEmpty } : nil
                ))
        }
        var done = 0
        for (entries, vectors) in prepared {
            let start = done
            let part = try await EntryImporter.run(
                entries, into: store, usesVectors: vectors != nil, keepsStoredValues: true
            ) { count, _ in progress?(start + count, total) }
            done += entries.count
            report.entries.add(part)
            report.vectors += vectors ?? 0
        }
        return report
    }

    /// Returns whether the vectors belong to the store's embedding space.
    private func vectorsMatch(_ records: [VectorRecord]) async throws -> Bool {
        let dimension = store.embedder.space.dimension
        let complete = records.filter { !$0.vector.isEmpty }
        guard !complete.isEmpty, complete.allSatisfy({ $0.vector.count == dimension }) else { return false }
        // Programs shorten long texts in different ways, so the shortest texts are compared.
        let sample = complete.sorted { ($0.text.utf8.count, $0.key) < ($1.text.utf8.count, $1.key) }
            .prefix(VectorComparison.sampleSize)
        let own = try await store.embedder.checkedEmbeddings(sample.map(\.text), as: .document)
        return VectorComparison.agree(sample.map(\.vector), own.vectors.rowArrays)
    }

    private func entries(of collection: VectorArchive.Collection, withVectors: Bool) -> [Entry] {
        let now = Date()
        return collection.records.map { record in
            var vector = withVectors && !record.vector.isEmpty ? normalized(record.vector) : []
            // The text is embedded if its vector has no direction.
            if VectorDefect(of: vector) != nil || vector.allSatisfy({ $0 == 0 }) { vector = [] }
            let range = 0..<record.text.utf8.count
            let tokens = vector.isEmpty ? 0 : store.embedder.tokenRanges(in: record.text).count
            let passage = Passage(ordinal: 0, utf8Range: range, tokenCount: tokens, vector: vector)
            let fields = RowFields(record.metadata)
            let dates = Self.dates(of: record, fields, now)
            return Entry(
                id: EntryID.derived(source: collection.source, key: record.key), content: record.text,
                embeddings: vector, passages: vector.isEmpty ? [] : [passage], source: collection.source,
                key: record.key, metadata: DocumentKey.withoutMessageMark(fields.metadata),
                tags: fields.tags, createdAt: dates.created, updatedAt: dates.updated)
        }
    }

    /// Returns the dates of an entry. A date that a store would reject counts as unknown.
    private static func dates(
        of record: VectorRecord, _ fields: RowFields, _ now: Date
    ) -> (created: Date, updated: Date) {
        func first(_ dates: Date?...) -> Date? { dates.lazy.compactMap(\.self).first(where: \.isWritable) }
        let updated = first(fields.updatedAt, record.updatedAt, fields.createdAt) ?? now
        return (first(fields.createdAt) ?? updated, updated)
    }
}

extension ImportReport {
    /// Adds the numbers of another report.
    fileprivate mutating func add(_ other: ImportReport) {
        new += other.new
        updated += other.updated
        unchanged += other.unchanged
        embedded += other.embedded
    }
}

extension Matrix {
    fileprivate var rowArrays: [[Float]] { (0..<rows).map { row($0) } }
}
