import Foundation
import RoostModel
import RoostVectors

/// The two halves of a move to another space: gathering vectors of all texts, and putting them in the place
/// of the old ones.
struct SpaceMove {
    /// The store that is moved.
    var storage: any StorageProvider
    /// Texts with their new vectors, by the ids of the entries.
    let gathered: KnowledgeStore
    let progress: @Sendable (StoreReembedding.Progress) -> Void

    private static let pageSize = 64
    /// How many bytes of text are embedded between two commits.
    private static let batchBytes = 1 << 17

    /// Embeds what has not been embedded yet. The store may be written to meanwhile: what changes behind the
    /// reader's back is seen to at the end.
    func gather(_ report: inout StoreReembedding.Report) async throws {
        var row: UInt32?
        var epoch: UUID?
        var done = 0
        var waiting: [Entry] = []
        repeat {
            try Task.checkCancellation()
            // A snapshot that is held long keeps the storage from tidying up.
            let snapshot = try await storage.snapshot()
            // Rows are of one history.
            if epoch != snapshot.stamp.epoch {
                (epoch, row, done, waiting) = (snapshot.stamp.epoch, nil, 0, [])
            }
            let page = try await snapshot.entries(after: row, limit: Self.pageSize, matching: .all)
            waiting += try await lacking(page.entries)
            row = page.next
            done += page.entries.count
            let bytes = waiting.reduce(0) { $0 + $1.content.utf8.count }
            if waiting.count >= 256 || bytes >= Self.batchBytes || row == nil {
                try await embed(waiting, &report)
                waiting = []
                progress(
                    .init(
                        space: gathered.embedder.space, done: done, total: snapshot.stamp.entryCount))
            }
        } while row != nil
    }

    /// The entries whose texts have no new vectors.
    private func lacking(_ entries: [Entry]) async throws -> [Entry] {
        let known = try await vectors(of: entries)
        return entries.filter { known[$0.id] == nil }
    }

    /// Of entries whose text has new vectors, an entry with them.
    private func vectors(of entries: [Entry]) async throws -> [Entry.ID: Entry] {
        let found = try await gathered.storage.snapshot().entries(entries.map(\.id))
        let contents = Dictionary(entries.map { ($0.id, $0.content) }) { first, _ in first }
        let current = found.filter { twin in
            !twin.embeddings.isEmpty
                && contents[twin.id]?.utf8.elementsEqual(twin.content.utf8) == true
        }
        return Dictionary(current.map { ($0.id, $0) }) { first, _ in first }
    }

    private func embed(_ entries: [Entry], _ report: inout StoreReembedding.Report) async throws {
        guard !entries.isEmpty else { return }
        let bare = entries.map {
            Entry(id: $0.id, content: $0.content, createdAt: $0.createdAt, updatedAt: $0.updatedAt)
        }
        let digests = Set(bare.map { ContentDigest(of: $0.content) })
        let known = try await gathered.storage.snapshot().embeddedEntries(withContent: digests)
        var done = IngestReport()
        let upserts = try await gathered.embedded(bare, known: known, &done)
        _ = try await gathered.storage.commit(WriteBatch(upserts: upserts))
        report.embedded += upserts.count
        report.tokens += done.tokens
        report.omittedTokens += done.omittedTokens
    }

    /// All entries of the store with their new vectors, as of a revision.
    struct Whole {
        fileprivate var entries: [Entry.ID: Entry] = [:]
        fileprivate var cursor: ChangeCursor?
    }

    /// Brings the whole up to what the store has now: what was written since it was last brought up, or
    /// everything.
    ///
    /// - Returns: how many entries that were.
    @discardableResult
    func bringUp(
        _ whole: inout Whole, to snapshot: any StorageSnapshot, _ report: inout StoreReembedding.Report
    ) async throws -> Int {
        var changed: [Entry.ID]?
        if let cursor = whole.cursor {
            changed = try await storage.changedEntries(after: cursor).map { Array($0.ids) }
        }
        if let changed {
            for id in changed { whole.entries[id] = nil }
            try await take(try await snapshot.entries(changed), into: &whole, &report)
        } else {
            whole = Whole()
            var row: UInt32?
            repeat {
                try Task.checkCancellation()
                let page = try await snapshot.entries(after: row, limit: 256, matching: .all)
                try await take(page.entries, into: &whole, &report)
                row = page.next
            } while row != nil
        }
        whole.cursor = snapshot.stamp.cursor
        return changed?.count ?? whole.entries.count
    }

    private func take(
        _ entries: [Entry], into whole: inout Whole, _ report: inout StoreReembedding.Report
    ) async throws {
        try await embed(try await lacking(entries), &report)
        let new = try await vectors(of: entries)
        for var entry in entries {
            guard let twin = new[entry.id] else {
                throw StorageError(.damaged, "the gathered vectors of entry \(entry.id.text) are gone")
            }
            entry.embeddings = twin.embeddings
            entry.passages = twin.passages
            whole.entries[entry.id] = entry
        }
    }

    /// What puts the new vectors in the place of the old ones, and begins a history.
    func batch(
        of whole: Whole, replacing snapshot: any StorageSnapshot, beginning epoch: UUID
    ) async throws -> WriteBatch {
        var batch = WriteBatch(upserts: Array(whole.entries.values), newEpoch: epoch)
        batch.expecting.epoch = snapshot.stamp.epoch
        batch.expecting.revision = snapshot.stamp.revision
        batch.clustering = try await clustering(of: snapshot, whole.entries)
        return batch
    }

    /// The clusters as they are, with the centroids and cosines of the new vectors.
    private func clustering(
        of snapshot: any StorageSnapshot, _ entries: [Entry.ID: Entry]
    ) async throws -> WriteBatch.Clustering? {
        var clusters = try await snapshot.clusters()
        var assignments = try await snapshot.assignments(of: nil)
        guard !clusters.isEmpty || !assignments.isEmpty else { return nil }
        let vectors = entries.mapValues(\.embeddings)
        let children = Dictionary(grouping: clusters.filter { $0.parent != nil }) { $0.parent }
        let members = Dictionary(clusters.map { ($0.id, $0.members) }) { first, _ in first }
        func allMembers(of id: Cluster.ID, depth: Int = 0) -> [Entry.ID] {
            let own = (members[id] ?? []).filter { vectors[$0] != nil }
            guard own.isEmpty, depth < 64 else { return own }
            return (children[id] ?? []).flatMap { allMembers(of: $0.id, depth: depth + 1) }
        }
        for index in clusters.indices where !clusters[index].centroid.isEmpty {
            let all = allMembers(of: clusters[index].id)
            let centroid = unitMean(of: all.compactMap { vectors[$0] }) ?? []
            // These were of the old vectors; the next run measures them anew.
            (clusters[index].separation, clusters[index].silhouette) = (nil, nil)
            clusters[index].reach = nil
            clusters[index].centroid = centroid
            clusters[index].updatedAt = Date()
            guard !centroid.isEmpty else { continue }
            let near = all.map { ($0, innerProduct(vectors[$0] ?? [], centroid)) }
                .sorted { ($1.1, $0.0.uuidString) < ($0.1, $1.0.uuidString) }
            clusters[index].cohesion = near.reduce(0) { $0 + $1.1 } / Float(max(1, near.count))
            // As when the clusters were made: nineteen of twenty are as near.
            if near.count > 2 { clusters[index].reach = near[near.count - 1 - near.count / 20].1 }
            clusters[index].representatives = near.prefix(clusters[index].representatives.count).map(\.0)
        }
        let centroids = Dictionary(clusters.map { ($0.id, $0.centroid) }) { first, _ in first }
        for index in assignments.indices {
            guard let vector = vectors[assignments[index].entry] else { continue }
            if let cluster = assignments[index].cluster {
                guard let centroid = centroids[cluster], !centroid.isEmpty else { continue }
                assignments[index].similarity = innerProduct(vector, centroid)
            } else {
                let nearest = centroids.values.lazy.filter { !$0.isEmpty }.map { innerProduct(vector, $0) }
                assignments[index].similarity = nearest.max() ?? assignments[index].similarity
            }
        }
        return .init(run: try await snapshot.clusteringRun(), clusters: clusters, assignments: assignments)
    }
}
