import Foundation
public import RoostClustering
public import RoostModel
import RoostVectors
import Synchronization

struct Reclusterer: Sendable {
    enum Method: Sendable {
        /// A given number of clusters, found by spherical k-means.
        case count(Int, seed: UInt64)
        /// A number of clusters that is determined by the data, found by the Leiden algorithm.
        case communities(
            LeidenClusterer.Granularity, maximumOutliers: Double, seed: UInt64, continuesPreviousRun: Bool)
        case custom(any Clusterer, parameters: [String: MetadataValue])
    }

    let storage: any StorageProvider
    let method: Method
    /// The entries to cluster. All others keep their clusters.
    let filter: EntryFilter
    /// The maximum number of entries that are all compared with each other. Of more, a sample is clustered.
    let maximumVectors: Int
    let isDryRun: Bool
    let boilerplate: (embedder: any Embedder, catalog: BoilerplateCatalog)
    var stopWords: Set<String> = []
    var progress = ReclusterProgress.Filter { _ in }

    @concurrent
    func run() async throws -> ReclusterReport {
        var found = try await find()
        progress(.labels)
        var assembly = ClusterAssembly(
            found.partition, of: found.vectors, ids: found.ids, stopWords: stopWords)
        found.vectors = Matrix(rows: 0, columns: 0)  // The assignments need memory next.
        try await placeOthers(found, in: &assembly)
        try await assembly.countTexts(of: found.snapshot, without: found.boilerplate.boilerplate)
        let labelNotice = try await assembly.embedPhrases(with: boilerplate.embedder)
        progress(.saving)
        var report = try await ClusteringCommit(storage: storage, isDryRun: isDryRun).run(
            assembly, found.run, readFrom: found.snapshot)
        progress(.saving, 1)
        report.boilerplateLines = found.boilerplate.boilerplate.lines.sorted()
        if !isDryRun { await boilerplate.catalog.save(found.boilerplate) }
        report.notices += found.notices + [labelNotice].compactMap(\.self)
        return report
    }

    struct Found: Sendable {
        var snapshot: any StorageSnapshot
        var sample: VectorSample
        /// The entries of the sample. Those that the run clusters come first.
        var ids: [Entry.ID]
        var vectors: Matrix
        var chosenCount: Int
        /// Whether the run continues from the clusters of the last run.
        var continuesPreviousRun: Bool
        /// The groups that are parts of a group, kept because a person labeled them.
        var labeledParts: Set<Int>
        var boilerplate: BoilerplateVectors
        var partition: Partition
        var run: ClusteringRun
        var notices: [String]
    }

    @concurrent
    func find() async throws -> Found {
        try validate()
        progress(.reading)
        let snapshot = try await storage.snapshot()
        var notices: [String] = []
        let lines = try await boilerplateVectors(snapshot, &notices)
        progress(.reading, 0.5)
        let previous = try await snapshot.clusters()
        let sample = try await VectorSample(of: snapshot, matching: filter, limit: maximumVectors, previous)
        let count = sample.expectedCount(of: snapshot.stamp.entryCount)
        let all = try await EntryVectors(snapshot, without: lines, capacity: count, where: sample.contains)
        guard !all.ids.isEmpty else {
            throw RoostError(
                .emptyStore, "cannot cluster: the store has no entries", remedy: .addEntries)
        }
        let chosen = try chosenRows(all, sample)
        let clusterer = try await clusterer(for: chosen.map { all.ids[$0] }, previous, sample, in: snapshot)
        var entries = all.selecting(chosen)
        var partition = try await partition(entries.vectors, by: clusterer)
        let parameters = parameters(of: partition, sample, chosen.count)
        if !filter.matchesAll {
            let found = try await OtherClusters(previous, of: all, except: Set(chosen), sample, snapshot)
            entries = all.selecting(chosen + found.rows)
            partition = found.adding(to: partition, of: entries.vectors)
        }
        let weights = entries.ids.indices.map { sample.weight(isChosen: $0 < chosen.count) }
        let labeled = try await keepLabels(&partition, of: entries, weights, previous, snapshot)
        notices += labeled.notices
        var run = ClusteringRun(
            algorithm: clusterer.algorithm, parameters: parameters, seed: clusterer.seed,
            stamp: snapshot.stamp)
        run.dataDigest = entries.digest
        return Found(
            snapshot: snapshot, sample: sample, ids: entries.ids, vectors: entries.vectors,
            chosenCount: chosen.count,
            continuesPreviousRun: (clusterer as? LeidenClusterer)?.start != nil
                && partition.facts[LeidenClusterer.FactKey.gap] == nil,
            labeledParts: labeled.parts, boilerplate: lines, partition: partition, run: run, notices: notices)
    }

    /// Returns the parameters to record with a run.
    private func parameters(
        of partition: Partition, _ sample: VectorSample, _ count: Int
    ) -> [String: MetadataValue] {
        var parameters = recordedParameters
        for (name, value) in partition.facts { parameters[name] = .number(value) }
        for (name, count) in partition.facts where name.hasPrefix(LeidenClusterer.FactKey.fullRunCount) {
            parameters[name] = .number((count / sample.share).rounded())
        }
        if !filter.matchesAll { parameters[Self.partKey] = .integer(Int64(count)) }
        if !sample.isComplete {
            parameters["maximumVectors"] = .integer(Int64(maximumVectors))
            parameters["sampledEntries"] = .integer(Int64(count))
        }
        return parameters
    }

    /// Assigns the entries outside the sample. The members of a cluster stay together if the run does not cluster
    /// them, if it continues the last run and those in the sample are in one group, or if a person labeled the
    /// cluster and it is part of a group, which no other entries join. All others join the nearest groups.
    private func placeOthers(_ found: Found, in assembly: inout ClusterAssembly) async throws {
        let (sample, labels, snapshot) = (found.sample, found.partition.labels, found.snapshot)
        guard !sample.isComplete else { return }
        let placement = GroupPlacement(
            assembly, groupsOf: 0..<found.chosenCount, except: found.labeledParts)
        // The groups of each previous cluster, separately for entries that the run clusters.
        var groups: [Bool: [Cluster.ID: Set<Int>]] = [:]
        var old = try await snapshot.assignments(of: found.ids).byEntry
        for (row, id) in found.ids.enumerated() {
            guard let group = labels[row].group, let cluster = old[id]?.cluster else { continue }
            groups[row < found.chosenCount, default: [:]][cluster, default: []].insert(group)
        }
        func groupToStayIn(_ cluster: Cluster.ID, isChosen: Bool) -> Int? {
            guard let all = groups[isChosen]?[cluster] else { return nil }
            return all.filter(found.labeledParts.contains).min()
                ?? (found.continuesPreviousRun && all.count == 1 || !isChosen ? all.min() : nil)
        }
        assembly.placed.reserveCapacity(snapshot.stamp.entryCount)
        func isPlaced(_ id: Entry.ID, row: UInt32) -> Bool { !sample.contains(id, row: row) }
        try await found.boilerplate.forEachBlock(of: snapshot, where: isPlaced) { ids, rows, vectors in
            try Task.checkCancellation()
            old = groups.isEmpty ? [:] : try await snapshot.assignments(of: ids).byEntry
            var placed: [Int] = []
            for (index, id) in ids.enumerated() {
                let isChosen = sample.chosen?.contains(rows[index]) ?? true
                let group = old[id]?.cluster.flatMap { groupToStayIn($0, isChosen: isChosen) }
                if isChosen, group == nil { placed.append(index) }
                guard let known = old[id], !isChosen || group != nil else { continue }
                assembly.placed.append(
                    PlacedEntry(
                        id, group.map { .group($0) } ?? .outlier(known.outlierReason ?? .distant),
                        similarity: known.similarity, confidence: known.confidence))
            }
            assembly.placed += placement.assign(placed.map { ids[$0] }, vectors.selecting(placed))
        }
    }

    private func boilerplateVectors(
        _ snapshot: any StorageSnapshot, _ notices: inout [String]
    ) async throws -> BoilerplateVectors {
        do {
            return try await BoilerplateVectors(
                of: snapshot, by: boilerplate.embedder, known: boilerplate.catalog.load())
        } catch let error as EmbedderError {
            notices.append(
                "lines that more than \(Int(100 * BoilerplateLines.maximumShare))% of the entries contain were "
                    + "not excluded, because the embedding model is unavailable: \(error)")
            return BoilerplateVectors()
        }
    }

    /// The parameter that records the number of entries that a run clustered, if those were not all.
    private static let partKey = "part"

    private func chosenRows(_ all: EntryVectors, _ sample: VectorSample) throws -> [Int] {
        guard let chosen = sample.chosen else { return Array(all.ids.indices) }
        let rows = all.ids.indices.filter { chosen.contains(all.rows[$0]) }
        guard !rows.isEmpty else {
            throw RoostError(
                .notFound, "cannot cluster: no entry matches the filter; nothing was changed")
        }
        return rows
    }

    /// Keeps the clusters that a person labeled recognizable, as long as at least half of the entries that they
    /// had then exist.
    ///
    /// - Parameter weights: The number of entries for which each row of a sample stands.
    /// - Returns: A message for each cluster whose texts are now mostly in other clusters, and the groups that
    ///   were parts of others.
    private func keepLabels(
        _ partition: inout Partition, of entries: EntryVectors, _ weights: [Double], _ previous: [Cluster],
        _ snapshot: any StorageSnapshot
    ) async throws -> (notices: [String], parts: Set<Int>) {
        guard previous.contains(where: \.isLabelPinned) else { return ([], []) }
        let members = previous.membersByCluster()
        let rows = Dictionary(uniqueKeysWithValues: entries.ids.enumerated().map { ($1, $0) })
        var labeled: [(label: String, size: Int, rows: [Int])] = []
        for cluster in previous where cluster.isLabelPinned {
            let labeledMembers = cluster.labelPin?.sample ?? []
            let existing = try await snapshot.revisions(of: labeledMembers).count
            guard 2 * existing >= labeledMembers.count else { continue }
            guard let all = members[cluster.id] else { continue }
            let remaining = all.compactMap { rows[$0] }
            if !remaining.isEmpty { labeled.append((cluster.label, all.count, remaining)) }
        }
        // A cluster inside another one is kept after it.
        labeled.sort { $1.size < $0.size }
        var counts = [Double](repeating: 0, count: entries.ids.count)
        for row in previous.lazy.flatMap(\.members).compactMap({ rows[$0] }) { counts[row] = weights[row] }
        // A sample has more of their members than of others.
        for cluster in labeled {
            for row in cluster.rows { counts[row] = Double(cluster.size) / Double(cluster.rows.count) }
        }
        let kept = partition.keeping(labeled.map(\.rows), weights: counts, of: entries.vectors)
        partition = kept.partition
        let notices = zip(labeled, kept.parts).compactMap { cluster, part -> String? in
            guard 2 * part < Double(cluster.size) else { return nil }
            return
                "the texts of '\(cluster.label)', which you labeled, are in several clusters now; the label "
                + "stays with \(Int(part.rounded())) of \(cluster.size)"
        }
        return (notices, kept.newGroups)
    }

    private func validate() throws {
        if case .communities(_, let maximumOutliers, _, _) = method, !(0...1).contains(maximumOutliers) {
            throw RoostError(
                .badInput,
                "cannot cluster: the maximum share of outliers must be from 0 to 1, not \(maximumOutliers)")
        }
    }

    // MARK: The clusterer

    /// The parameters that identify the kind of run. A run continues another only if these parameters are
    /// equal.
    private var recordedParameters: [String: MetadataValue] {
        switch method {
        case .count(let count, _): ["requestedClusters": .integer(Int64(count))]
        case .communities(let granularity, let maximumOutliers, _, _):
            ["granularity": .string(granularity.rawValue), "maximumOutliers": .number(maximumOutliers)]
        case .custom(_, let parameters): parameters
        }
    }

    private func clusterer(
        for ids: [Entry.ID], _ previous: [Cluster], _ sample: VectorSample,
        in snapshot: any StorageSnapshot
    ) async throws -> any Clusterer {
        switch method {
        case .count(let count, let seed):
            return SphericalKMeans.sized(clusters: count, entries: ids.count, seed: seed)
        case .communities(let granularity, let maximumOutliers, let seed, let continuesPreviousRun):
            var clusterer = LeidenClusterer(
                granularity: granularity, maximumOutliers: maximumOutliers, seed: seed)
            clusterer.onProgress = { [progress] in progress($0, $1) }
            clusterer.dividesGroups = true
            if continuesPreviousRun, filter.matchesAll {
                clusterer.start = try await start(clusterer, for: ids, previous, sample, in: snapshot)
            }
            return clusterer
        case .custom(let clusterer, _): return clusterer
        }
    }

    /// Returns the groups and topics of the previous run; `nil` if this run cannot continue it.
    private func start(
        _ clusterer: LeidenClusterer, for ids: [Entry.ID], _ previous: [Cluster], _ sample: VectorSample,
        in snapshot: any StorageSnapshot
    ) async throws -> LeidenClusterer.Start? {
        guard let run = try await snapshot.clusteringRun(), run.algorithm == clusterer.algorithm,
            run.seed == clusterer.seed, recordedParameters.allSatisfy({ run.parameters[$0.key] == $0.value }),
            run.parameters[Self.partKey] == nil
        else { return nil }
        let rows = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        let numbers = Dictionary(uniqueKeysWithValues: previous.enumerated().map { ($1.id, $0) })
        var groups = [Int?](repeating: nil, count: ids.count)
        var topics = groups
        for (number, cluster) in previous.enumerated() {
            let group = cluster.isTopic ? cluster.parent.flatMap { numbers[$0] } ?? number : number
            for case let row? in cluster.members.lazy.map({ rows[$0] }) {
                (groups[row], topics[row]) = (group, cluster.isTopic ? number : nil)
            }
        }
        var start = LeidenClusterer.Start(
            groups: groups, scales: .all(in: run.parameters.compactMapValues(\.double)))
        for index in start.scales.indices { start.scales[index].fullRunCount *= sample.share }
        start.topics = topics
        return start
    }

    private func partition(_ vectors: Matrix, by clusterer: any Clusterer) async throws -> Partition {
        if !(clusterer is LeidenClusterer) { progress(.groups) }
        var partition: Partition
        do {
            partition = try await clusterer.cluster(vectors)
        } catch let error as ClusteringError where error.code == .noVectors {
            throw ClusteringError(
                .noVectors,
                "cannot cluster: the texts have no words that the model "
                    + "\(boilerplate.embedder.space.model) knows; if they have words, use a model "
                    + "for their language; nothing was changed")
        }
        // A clusterer that the caller provides may have returned anything.
        try partition.check(for: vectors)
        if case .count = method { partition = try partition.dividing(vectors) }
        // Do not replace the existing clusters, and the labels that people gave them, if the parameters yield
        // no clusters.
        guard partition.count > 0 else {
            throw RoostError(
                .badInput,
                "no cluster was found among \(Count.text(vectors.rows, "entry", "entries")); allow "
                    + "smaller clusters. Nothing was changed")
        }
        return partition
    }
}

/// The result of a clustering run.
public struct ReclusterReport: Sendable {
    /// The record of the run.
    public var run: ClusteringRun
    /// The new clusters, largest first.
    public var clusters: [Cluster]
    /// The number of clustered entries that are in no cluster.
    public var outlierCount: Int
    /// The number of leaf clusters that continue a cluster of the previous run.
    public var continuedCount: Int
    /// The previous clusters whose ids no new cluster has: those that a person labeled first, then the
    /// largest. Unlike in ``clusters``, one that contained other clusters has the members of those.
    public var ended: [Cluster] = []
    /// The relation of the new clusters to the previous ones.
    public var lineage: ClusterLineage
    /// Whether the run was a dry run, which leaves the store unchanged.
    public var isDryRun: Bool
    /// The lines that were excluded from the texts, in ascending order, because more than 5% of the entries
    /// contain them.
    public var boilerplateLines: [String] = []
    /// Messages for the user about circumstances that affect the result.
    public var notices: [String] = []
}

/// The progress of a clustering run.
public struct ReclusterProgress: Sendable, Hashable {
    /// The present step.
    public var step: ClusteringStep
    /// The finished share of the whole run, 0 to 1. It is an estimate from the usual durations of the steps.
    public var share: Double

    init(_ step: ClusteringStep, _ share: Double = 0) {
        let range = Self.range(of: step)
        self.step = step
        self.share = range.lowerBound + share * (range.upperBound - range.lowerBound)
    }

    /// Returns the part of a run that a step usually takes. The steps take turns in dominating: reading in
    /// small stores, neighbors in large ones.
    private static func range(of step: ClusteringStep) -> ClosedRange<Double> {
        switch step {
        case .reading: 0...0.15
        case .neighbors: 0.15...0.35
        case .groups: 0.35...0.6
        case .stability: 0.6...0.85
        case .labels: 0.85...0.97
        case .saving: 0.97...1
        }
    }

    /// Passes on the progress of one run that grows, because clusterers may repeat steps.
    final class Filter: Sendable {
        private let last = Mutex(-1.0)
        private let report: @Sendable (ReclusterProgress) -> Void

        init(_ report: @escaping @Sendable (ReclusterProgress) -> Void) { self.report = report }

        func callAsFunction(_ step: ClusteringStep, _ share: Double = 0) {
            let progress = ReclusterProgress(step, share)
            let hasGrown = last.withLock { last in
                guard progress.share > last else { return false }
                last = progress.share
                return true
            }
            if hasGrown { report(progress) }
        }
    }
}
