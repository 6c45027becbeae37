import Foundation
import RoostClustering
import RoostModel
import RoostVectors

/// Assigns the entries of one shard to the groups of a plan's sample.
struct ShardAssigner: Sendable {
    let storage: any StorageProvider
    let records: PlanRecords
    let embedder: EntryEmbedder

    /// The number of vectors that are compared with the sample at once. The search is faster if many vectors
    /// share a cell; with 384 dimensions, these vectors take 50 MB.
    private static let blockSize = 32_768

    /// Assigns the entries and writes the result.
    ///
    /// - Returns: The number of entries of the shard that are not in the sample.
    /// - Throws: See ``KnowledgeStore/assignShard(_:of:)``.
    @concurrent
    func run(_ index: Int, of count: Int) async throws -> Int {
        guard (1...ClusteringPlan.maximumShards).contains(count), (0..<count).contains(index) else {
            throw RoostError(
                .badInput,
                "cannot assign shard \(index) of \(count): there can be 1 to "
                    + "\(ClusteringPlan.maximumShards) shards, and the first one is 0")
        }
        guard let plan = try await records.plan() else { throw ClusteringPlanStatus.missingPlan }
        let snapshot = try await storage.snapshot()
        try plan.check(snapshot.stamp)
        try await records.checkShardCount(count, ofShard: index, plan)
        var writer = records.writer(ofShard: index, of: count, plan)
        if !plan.isComplete {
            let sample = try await records.sample(of: plan)
            let vote = try SampleVote(
                sample.partition, of: sample.vectors, by: plan.clusterer, fence: plan.fence)
            let sampled = Set(sample.ids)
            try await forEachBlock(plan.rows(ofShard: index, of: count), snapshot, plan) { ids, vectors in
                let rows = ids.indices.filter { !sampled.contains(ids[$0]) }
                for (row, vote) in zip(rows, try vote.votes(of: vectors.selecting(rows))) {
                    try await writer.append(ShardEntry(id: ids[row], vote: vote))
                }
            }
        }
        // Another plan may have replaced this one in the meantime, or a worker that began before this one was
        // finished may have used another number of shards.
        guard try await records.plan()?.run.id == plan.run.id else { throw ClusteringPlanStatus.missingPlan }
        try await records.checkShardCount(count, ofShard: index, plan)
        return try await writer.finish().entries.rows
    }

    /// Calls `body` with the vectors of a range of rows, block by block.
    private func forEachBlock(
        _ range: Range<UInt32>, _ snapshot: any StorageSnapshot, _ plan: ClusteringPlan,
        _ body: ([Entry.ID], Matrix) async throws -> Void
    ) async throws {
        var (ids, elements) = ([Entry.ID](), [Float]())
        func flush() async throws {
            guard !ids.isEmpty else { return }
            try await body(ids, Matrix(rows: ids.count, columns: plan.dimension, elements: elements))
            ids.removeAll(keepingCapacity: true)
            elements.removeAll(keepingCapacity: true)
        }
        var last = range.lowerBound == 0 ? nil : range.lowerBound - 1
        while !range.isEmpty {
            try Task.checkCancellation()
            let page = try await snapshot.vectors(of: .entries, after: last, limit: PageSize.vectors)
            let count = page.rows.prefix { $0 < range.upperBound }.count
            guard count == 0 || page.vectors.columns == plan.dimension else {
                throw StorageError(
                    .damaged,
                    "the store has vectors of \(page.vectors.columns) instead of \(plan.dimension) "
                        + "dimensions", remedy: .inspectStore)
            }
            var pageElements = Array(page.vectors.elements.prefix(count * plan.dimension))
            try await replaceVectors(in: &pageElements, of: Array(page.ids.prefix(count)), snapshot, plan)
            ids += page.ids.prefix(count)
            elements += pageElements
            if ids.count >= Self.blockSize { try await flush() }
            guard count == page.rows.count, let next = page.next else { break }
            last = next
        }
        try await flush()
    }

    /// Replaces the vectors of texts that contain the boilerplate lines of the plan.
    private func replaceVectors(
        in elements: inout [Float], of ids: [Entry.ID], _ snapshot: any StorageSnapshot,
        _ plan: ClusteringPlan
    ) async throws {
        guard !plan.boilerplate.isEmpty, !ids.isEmpty else { return }
        let replacements = try await BoilerplateVectors(
            EntryTexts(snapshot, ids: ids), without: BoilerplateLines(Set(plan.boilerplate)),
            embedder: embedder, catalog: BoilerplateCatalog(of: nil))
        if let notice = replacements.notice {
            throw RoostError(.configuration, "cannot assign the shard: \(notice)")
        }
        replacements.replace(in: &elements, of: ids, plan.dimension)
    }
}
