import Foundation
import RoostFiles
import RoostModel

/// Copies the contents of a store into another one, which can have a different storage backend.
///
/// Ids, dates, texts, vectors, metadata, source records, clusters, assignments, original files and the list
/// of synchronized folders are preserved. Revisions are not: the target has its own history. Other clients
/// may read the target, but must not change it during the copy.
public struct StoreCopy: Sendable {
    /// The store to copy.
    public let source: KnowledgeStore
    /// The store that receives the copy. It is empty, or contains a part of the same copy.
    public let target: KnowledgeStore

    private static let sourcesPerCommit = 1000

    /// Creates a copy.
    public init(from source: KnowledgeStore, to target: KnowledgeStore) {
        (self.source, self.target) = (source, target)
    }

    /// The numbers of copied objects.
    public struct Report: Sendable, Hashable, Encodable {
        /// The number of entries in both stores.
        public var entries = 0
        /// The number of source records.
        public var sources = 0
        /// The number of clusters.
        public var clusters = 0
        /// The number of original files.
        public var documents = 0
    }

    /// Copies one snapshot of the source.
    ///
    /// Entries are committed page by page. After an interruption, the next call continues: what the target
    /// already contains is not written again.
    ///
    /// - Parameter progress: Receives the number of entries in the target, and the number of all entries.
    /// - Throws: ``RoostError`` with `.spaceMismatch`, or with `.configuration` if the target contains
    ///   entries that the source does not have, or newer versions of entries; `StorageError`;
    ///   `CancellationError`.
    @concurrent @discardableResult
    public func run(progress: @Sendable (Int, Int) -> Void = { _, _ in }) async throws -> Report {
        guard source.embedder.space.isCompatible(with: target.embedder.space) else {
            throw RoostError(
                .spaceMismatch,
                "cannot copy the store: its vectors belong to \(source.embedder.space), and those of the "
                    + "target to \(target.embedder.space)")
        }
        // The locks keep a compaction in either store from removing documents whose source records are not
        // committed yet.
        let hasDocuments = source.originals?.exists == true
        let locks: [FileLock?] =
            hasDocuments
            ? [
                try await source.originals?.lockForReading(),
                try await target.originals?.lockAgainstRemoval(),
            ]
            : []
        defer { for lock in locks { lock?.release() } }
        let snapshot = try await source.storage.snapshot()
        try await checkTarget(snapshot)
        var report = Report()
        // The documents come first, so that every source record in the target has its document.
        report.documents = try await copyDocuments()
        if let from = source.directory, let to = target.directory {
            try StorageError.mappingFileErrors { try SyncedFolders.copy(from: from, to: to) }
        }
        try await snapshot.entryPages().forEachAhead { page in
            try await copy(page.entries)
            report.entries += page.entries.count
            progress(report.entries, snapshot.stamp.entryCount)
        }
        report.sources = try await copySources(snapshot)
        report.clusters = try await copyClusters(snapshot)
        return report
    }

    private func checkTarget(_ snapshot: any StorageSnapshot) async throws {
        let present = try await target.storage.snapshot()
        for try await page in present.entryPages() {
            let originals = try await snapshot.entries(page.entries.map(\.id)).byID
            // A copy never replaces what somebody has edited in the target.
            let isPart = page.entries.allSatisfy { entry in
                originals[entry.id].map { entry.updatedAt <= $0.updatedAt } ?? false
            }
            guard isPart else {
                throw RoostError(
                    .configuration,
                    "cannot copy the store: the target contains other entries, or newer versions of entries; "
                        + "name an empty store")
            }
        }
    }

    // MARK: Copying

    private func copy(_ entries: [Entry]) async throws {
        guard !entries.isEmpty else { return }
        let snapshot = try await target.storage.snapshot()
        let known = try await snapshot.entries(entries.map(\.id)).byID
        let missing = entries.filter { known[$0.id] != $0 }
        guard !missing.isEmpty else { return }
        var batch = WriteBatch(upserts: missing)
        let revisions = try await snapshot.revisions(of: missing.map(\.id))
        for entry in missing { batch.expecting.entries[entry.id] = revisions[entry.id] ?? .zero }
        _ = try await target.storage.commit(batch)
    }

    private func copySources(_ snapshot: any StorageSnapshot) async throws -> Int {
        let sources = try await snapshot.sources()
        for part in sources.groups(of: Self.sourcesPerCommit) {
            _ = try await target.storage.commit(WriteBatch(sources: part))
        }
        return sources.count
    }

    private func copyClusters(_ snapshot: any StorageSnapshot) async throws -> Int {
        let clusters = try await snapshot.clusterRecords()
        let run = try await snapshot.clusteringRun()
        let present = try await target.storage.snapshot().stamp.clusterCount
        guard !clusters.isEmpty || run != nil || present > 0 else { return 0 }
        let clustering = WriteBatch.Clustering(
            run: run, clusters: clusters, assignments: try await snapshot.assignments(of: nil))
        _ = try await target.storage.commit(WriteBatch(clustering: clustering))
        return clusters.count
    }

    private func copyDocuments() async throws -> Int {
        guard let from = source.originals, let into = target.originals, from.exists else { return 0 }
        let count = try await from.copyAll(to: into)
        if count > 0 { try await into.recordPresence() }
        return count
    }
}
