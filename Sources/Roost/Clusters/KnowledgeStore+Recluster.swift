import Crypto
import Foundation
public import RoostClustering
public import RoostModel
public import RoostVectors

/// What a reclustering did.
public struct ReclusterReport: Sendable {
    public var run: ClusteringRun
    public var clusters: [Cluster]
    public var outlierCount: Int
    /// How many clusters continue one of the last run's.
    public var continuedCount: Int
    /// What became of the clusters of before.
    public var lineage: ClusterLineage
    /// Whether the store was left as it is.
    public var isDryRun: Bool
}

extension KnowledgeStore {
    /// Groups all entries, and puts the result in the place of the last one. Clusters that share most with
    /// one of the last run keep its id.
    ///
    /// Without a number the groups are communities of the graph of who is near whom, as many as stand out
    /// (``LeidenClusterer``). Where the last run was of the same kind, with the same parameters and seed, and
    /// at most a fifth has come or gone since, it goes on from there: what hangs together stays together.
    /// A number of clusters is made by spherical k-means (``SphericalKMeans``), always afresh.
    ///
    /// - Parameters:
    ///   - clusters: how many; `nil` chooses.
    ///   - granularity: coarser or finer than what is chosen.
    ///   - maximumOutliers: at most so large a share of the entries, 0 to 1, is in no cluster where the
    ///     number is chosen.
    ///   - levels: with more than one, groups of groups above them (``Partition/adding(levels:)``).
    ///   - conditions: only entries of which all hold are grouped; the others are in no cluster, and what
    /// comes
    ///     later waits for the next run.
    ///   - afresh: whether the last run's groups do not count, only the names of those that come out again.
    ///   - isDryRun: whether nothing is written.
    /// - Throws: ``RoostError`` with `.emptyStore` or `.badInput`; `ClusteringError`; ``StorageError``;
    ///   `CancellationError`, and nothing has changed then.
    public func recluster(
        clusters: Int? = nil, granularity: LeidenClusterer.Granularity = .medium,
        maximumOutliers: Double = 0.05, levels: Int = 1, seed: UInt64 = 0,
        among conditions: [EntryCondition] = [], afresh: Bool = false, isDryRun: Bool = false
    ) async throws -> ReclusterReport {
        guard levels >= 1 else {
            throw RoostError(.badInput, "a hierarchy has at least one level, not \(levels)")
        }
        guard (0...1).contains(maximumOutliers) else {
            throw RoostError(.badInput, "a share of outliers is from 0 to 1, not \(maximumOutliers)")
        }
        var request = Request(seed: seed, levels: levels, conditions: conditions, isDryRun: isDryRun)
        if let clusters {
            request.parameters = ["requestedClusters": .integer(Int64(clusters))]
            return try await recluster(request) { ids, _ in
                SphericalKMeans.sized(clusters: clusters, entries: ids.count, seed: seed)
            }
        }
        request.parameters = [
            "granularity": .string(granularity.rawValue), "maximumOutliers": .number(maximumOutliers),
        ]
        return try await recluster(request) { [request] ids, snapshot in
            var clusterer = LeidenClusterer(
                granularity: granularity, maximumOutliers: maximumOutliers, seed: seed)
            if !afresh { clusterer.start = try await Self.start(ids, snapshot, request) }
            return clusterer
        }
    }

    /// Groups all entries with a clusterer of the caller's.
    public func recluster(
        with clusterer: any Clusterer, seed: UInt64, parameters: [String: MetadataValue] = [:],
        levels: Int = 1, among conditions: [EntryCondition] = [], isDryRun: Bool = false
    ) async throws -> ReclusterReport {
        let request = Request(
            seed: seed, parameters: parameters, levels: levels, conditions: conditions, isDryRun: isDryRun)
        return try await recluster(request) { _, _ in clusterer }
    }

    /// What a run is to do.
    private struct Request: Sendable {
        var seed: UInt64
        var parameters: [String: MetadataValue] = [:]
        var levels = 1
        var conditions: [EntryCondition] = []
        var isDryRun = false

        /// What the run is recorded with: one among others is another run.
        var recorded: [String: MetadataValue] {
            guard !conditions.isEmpty else { return parameters }
            return parameters.merging([ClusteringRun.among: ClusteringRun.recorded(conditions)]) { $1 }
        }
    }

    private typealias ClustererOfState =
        @Sendable (_ ids: [Entry.ID], _ snapshot: any StorageSnapshot) async throws -> any Clusterer

    /// How much of what the last run saw must be left for it to go on from.
    private static let leastLeft = 0.8

    /// The groups of the last run, where it is one to go on from.
    private static func start(
        _ ids: [Entry.ID], _ snapshot: any StorageSnapshot, _ request: Request
    ) async throws -> LeidenClusterer.Start? {
        guard let run = try await snapshot.clusteringRun(), run.algorithm == LeidenClusterer().algorithm,
            run.seed == request.seed, let resolution = run.parameters["resolution"]?.double,
            request.recorded.allSatisfy({ run.parameters[$0.key] == $0.value }),
            run.isAmongSome == !request.conditions.isEmpty
        else { return nil }
        let assignments = try await snapshot.assignments(of: nil)
        guard Double(assignments.count) >= leastLeft * Double(run.groupedCount) else { return nil }
        var (groups, names) = ([Entry.ID: Int](), [Cluster.ID: Int]())
        for assignment in assignments {
            guard let cluster = assignment.cluster else { continue }
            let name = names[cluster] ?? names.count
            names[cluster] = name
            groups[assignment.entry] = name
        }
        return LeidenClusterer.Start(
            groups: ids.map { groups[$0] }, resolution: resolution,
            lookedAt: run.parameters["lookedAt"]?.double.flatMap { Int(exactly: $0) } ?? run.groupedCount)
    }

    @concurrent
    private func recluster(
        _ request: Request, _ clusterer: ClustererOfState
    ) async throws -> ReclusterReport {
        var snapshot = try await storage.snapshot()
        let (ids, vectors) = try await Self.entryVectors(snapshot, among: request.conditions)
        guard !ids.isEmpty || request.conditions.isEmpty || snapshot.stamp.entryCount == 0 else {
            throw RoostError(.notFound, "no entry meets the conditions; nothing was changed")
        }
        guard !ids.isEmpty else {
            throw RoostError(
                .emptyStore, "the store has no entries to cluster; add some with `roost ingest PATH`")
        }
        let clusterer = try await clusterer(ids, snapshot)
        var partition = try await clusterer.cluster(vectors)
        // Names that people gave must not go for a parameter that finds nothing.
        guard partition.count > 0 else {
            throw RoostError(
                .badInput,
                "no cluster was found among \(ids.count) entries; ask for smaller ones. Nothing was changed")
        }
        if request.levels > 1 {
            guard partition.count <= Partition.largestHierarchy else {
                throw RoostError(
                    .badInput,
                    "a hierarchy is made over at most \(Partition.largestHierarchy) clusters, and these are "
                        + "\(partition.count); ask for fewer, or for one level")
            }
            partition = partition.adding(levels: request.levels)
        }
        var parameters = request.recorded
        for (name, value) in partition.facts { parameters[name] = .number(value) }
        if !request.conditions.isEmpty { parameters[ClusteringRun.grouped] = .integer(Int64(ids.count)) }
        var run = ClusteringRun(
            algorithm: clusterer.algorithm, parameters: parameters, seed: request.seed, stamp: snapshot.stamp)
        run.dataDigest = Self.digest(ids, vectors)
        var assembly = ClusterAssembly(partition, of: vectors, ids: ids)
        try await assembly.countTexts(of: snapshot)
        for attempt in 1... {
            let previous = try await snapshot.clusters()
            let seen = try await snapshot.clustersRevision()
            let clustering = assembly.finish(run: run, previous: previous)
            try Task.checkCancellation()
            if !request.isDryRun {
                do {
                    _ = try await storage.commit(
                        WriteBatch(clustering: clustering, expecting: .init(clusters: seen)))
                } catch let error as StorageError where error.code == .conflict && attempt < 20 {
                    // Somebody has named a cluster meanwhile, or run another clustering: what they did is
                    // taken up, the groups are those of what was read.
                    snapshot = try await storage.snapshot()
                    continue
                }
            }
            return Self.report(clustering, previous, isDryRun: request.isDryRun)
        }
        preconditionFailure("the last attempt returns or throws")
    }

    private static func report(
        _ clustering: WriteBatch.Clustering, _ previous: [Cluster], isDryRun: Bool
    ) -> ReclusterReport {
        guard let run = clustering.run else { preconditionFailure("a clustering of a run") }
        let before = Set(previous.map(\.id))
        return ReclusterReport(
            run: run, clusters: clustering.clusters,
            outlierCount: clustering.assignments.count { $0.cluster == nil },
            continuedCount: clustering.clusters.count { before.contains($0.id) },
            lineage: ClusterLineage(of: clustering.clusters, vanished: run.vanished), isDryRun: isDryRun)
    }

    /// See ``ClusteringRun/dataDigest``.
    private static func digest(_ ids: [Entry.ID], _ vectors: Matrix) -> String {
        var hash = SHA256()
        for row in ids.indices {
            withUnsafeBytes(of: ids[row].uuid) { hash.update(bufferPointer: $0) }
            vectors.withRow(row) { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        }
        return hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The embeddings of all entries, in the order of their ids, whatever the order they came in.
    static func entryVectors(
        _ snapshot: any StorageSnapshot, among conditions: [EntryCondition] = []
    ) async throws -> ([Entry.ID], Matrix) {
        var meant: Set<Entry.ID>?
        if !conditions.isEmpty {
            var filter = EntryFilter.all
            filter.conditions = conditions
            meant = []
            var row: UInt32?
            repeat {
                try Task.checkCancellation()
                let page = try await snapshot.entries(after: row, limit: 1000, matching: filter)
                meant?.formUnion(page.entries.map(\.id))
                row = page.next
            } while row != nil
        }
        var ids: [UUID] = []
        var elements: [Float] = []
        var dimension = 0
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.vectors(of: .entries, after: row, limit: 4096)
            if let meant {
                for (place, id) in page.ids.enumerated() where meant.contains(id) {
                    ids.append(id)
                    elements += page.vectors.row(place)
                }
                if page.vectors.rows > 0 { dimension = page.vectors.columns }
                row = page.next
                continue
            }
            ids += page.ids
            if dimension == 0, page.vectors.rows > 0 {
                dimension = page.vectors.columns
                elements.reserveCapacity(snapshot.stamp.entryCount * dimension)
            }
            elements += page.vectors.elements
            row = page.next
        } while row != nil
        let names = ids.map(\.uuidString)
        let order = ids.indices.sorted { names[$0] < names[$1] }
        permute(&elements, order, dimension)
        return (order.map { ids[$0] }, Matrix(rows: ids.count, columns: dimension, elements: elements))
    }

    /// Row `order[i]` becomes row i, where the rows lie: beside a large matrix there may be no room for
    /// another.
    private static func permute(_ elements: inout [Float], _ order: [Int], _ columns: Int) {
        guard columns > 0 else { return }
        var isDone = [Bool](repeating: false, count: order.count)
        elements.withUnsafeMutableBufferPointer { elements in
            guard let base = elements.baseAddress else { return }
            for first in order.indices where !isDone[first] && order[first] != first {
                let saved = Array(UnsafeBufferPointer(start: base + first * columns, count: columns))
                var row = first
                while order[row] != first {
                    (base + row * columns).update(from: base + order[row] * columns, count: columns)
                    isDone[row] = true
                    row = order[row]
                }
                for column in 0..<columns { base[row * columns + column] = saved[column] }
                isDone[row] = true
            }
        }
    }
}

extension ClusterAssembly {
    /// Counts the words of all entries.
    mutating func countTexts(of snapshot: any StorageSnapshot) async throws {
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.entries(after: row, limit: 1000, matching: .all)
            for entry in page.entries { count(entry.content, of: entry.id) }
            row = page.next
        } while row != nil
    }
}

extension MetadataValue {
    /// A number, however it was written.
    fileprivate var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
