import Foundation
import RoostTestKit
import TestSupport
import Testing

@testable import Roost

/// Tests of clustering by several workers.
@Suite(.temporaryFolders) struct ShardedClusterTests {
    /// The number of generated groups.
    private static let groups = 8
    private static let dimension = 24

    /// Returns entries in well separated groups, with the number of the group as metadata.
    ///
    /// - Parameter seed: Determines the vectors and the ids.
    private func entries(_ count: Int, seed: UInt64 = 1) -> [Entry] {
        var generator = SeededGenerator(seed: 7)
        let centers = (0..<Self.groups).map { _ in vector(&generator) }
        generator = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            let group = number % Self.groups
            let noise = vector(&generator)
            let values = zip(centers[group], noise).map { $0 + 0.45 * $1 }
            return entry(values, "word\(group) about topic\(group) \(number)", group, seed)
        }
    }

    private func entry(_ values: [Float], _ text: String, _ group: Int, _ seed: UInt64) -> Entry {
        let length = values.reduce(Float(0)) { $0 + $1 * $1 }.squareRoot()
        var entry = Entry(
            id: EntryID.derived(source: "generated \(seed)", key: text), content: text,
            metadata: ["group": .integer(Int64(group))])
        entry.embeddings = values.map { $0 / length }
        return entry
    }

    /// Returns a random unit vector.
    private func vector(_ generator: inout SeededGenerator) -> [Float] {
        let values = (0..<Self.dimension).map { _ in Float(generator.nextIndex(below: 20_001)) - 10_000 }
        let length = values.reduce(Float(0)) { $0 + $1 * $1 }.squareRoot()
        return values.map { $0 / length }
    }

    private func store(_ entries: [Entry]) async throws -> KnowledgeStore {
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(WriteBatch(upserts: entries))
        return KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
    }

    /// The members of the clusters, without the ids and the order of the clusters.
    private func partition(_ store: KnowledgeStore) async throws -> Set<Set<Entry.ID>> {
        Set(try await store.storage.fetchClusters().map { Set($0.members) }.filter { !$0.isEmpty })
    }

    private func runShards(_ store: KnowledgeStore, _ order: [Int], of count: Int) async throws {
        for index in order { try await store.assignShard(index, of: count) }
    }

    @Test func `a sample without entries is reported`() async throws {
        let sample = EntrySample(of: 1, from: 20)
        let missing = entries(400).filter { !sample.contains($0.id) }.prefix(20)
        let store = try await store(Array(missing))
        let error = await #expect(throws: RoostError.self) { try await store.planClusters(sample: 1) }
        #expect(error?.code == .badInput && error?.message.contains("larger sample") == true)
    }

    /// Numbers in the record of a plan that would overflow if they were used.
    @Test(arguments: [
        ("maximumOutliers", 1e300), ("maximumOutliers", -1), ("dimension", 0), ("sample", 9e18),
    ])
    func `a plan with an impossible number is reported`(key: String, number: Double) async throws {
        let store = try await store(entries(60))
        _ = try await store.planClusters(sample: 20)
        let records = try #require(store.storage.workRecords)
        let data = try #require(try await records.read("clustering"))
        var plan = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        if var summary = plan[key] as? [String: Any] {
            summary["rows"] = Int(number)
            plan[key] = summary
        } else {
            plan[key] = number
        }
        try await records.write(try JSONSerialization.data(withJSONObject: plan), as: "clustering")
        for call in [
            { _ = try await store.clusteringPlan() }, { _ = try await store.assignShard(0, of: 2) },
            { _ = try await store.finishClusters() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: StorageError.self) { try await call() }
            #expect(error?.code == .damaged && error?.remedy == .discardClusteringPlan)
        }
        try await store.discardClusteringPlan()
        #expect(try await store.clusteringPlan() == nil)
    }

    @Test func `a sample of all entries gives the clusters of one client`() async throws {
        let entries = entries(400)
        let (single, several) = (try await store(entries), try await store(entries))
        _ = try await single.recluster()
        let status = try await several.planClusters(sample: 400)
        #expect(status.coversAllEntries && status.isComplete && status.sampleCount == 400)
        _ = try await several.finishClusters()
        func comparable(_ store: KnowledgeStore) async throws -> [[String]] {
            try await store.storage.fetchClusters().map { cluster in
                [
                    cluster.label, "\(cluster.keywords)", "\(cluster.members)", "\(cluster.representatives)",
                    "\(cluster.centroid)", "\(String(describing: cluster.cohesion))",
                    "\(String(describing: cluster.silhouette))", "\(String(describing: cluster.stability))",
                    "\(String(describing: cluster.assignmentThreshold))",
                ]
            }
        }
        #expect(try await comparable(several) == comparable(single))
        let runs = [single, several].map(\.storage)
        let parameters = try await [
            runs[0].snapshot().clusteringRun()?.parameters, runs[1].snapshot().clusteringRun()?.parameters,
        ]
        #expect(parameters[0] == parameters[1])
    }

    @Test func `generated groups are found with a sample, and no records remain`() async throws {
        let entries = entries(1600)
        let store = try await store(entries)
        let status = try await store.planClusters(sample: 600)
        #expect(!status.coversAllEntries && !status.isComplete && status.entryCount == 1600)
        #expect((450...750).contains(status.sampleCount))
        var assigned = 0
        for index in 0..<3 { assigned += try await store.assignShard(index, of: 3) }
        #expect(assigned + status.sampleCount == 1600)
        let report = try await store.finishClusters()
        #expect(report.run.parameters["sample"] == .integer(Int64(status.sampleCount)))
        let expected = Set(
            Dictionary(grouping: entries) { $0.metadata["group"] }.values.map { Set($0.map(\.id)) })
        #expect(try await partition(store) == expected)
        // Members outside of the sample have figures too, and new entries can join.
        let assignments = try await store.storage.snapshot().assignments(of: nil)
        #expect(assignments.count == 1600)
        #expect(assignments.allSatisfy { $0.similarity > 0.5 && $0.confidence > 0.5 })
        #expect(try await store.clusteringPlan() == nil)
        #expect(try await store.storage.workRecords?.names(withPrefix: "") == [])
        // The next run of one client continues these clusters.
        let next = try await store.recluster()
        #expect(next.continuedCount == Self.groups)
    }

    @Test func `the result depends neither on the number nor on the order of the shards`() async throws {
        let entries = entries(900)
        var partitions: Set<Set<Set<Entry.ID>>> = []
        for (count, order) in [(1, [0]), (4, [3, 1, 0, 2]), (7, [6, 5, 4, 3, 2, 1, 0, 3, 3])] {
            let store = try await store(entries)
            _ = try await store.planClusters(sample: 200)
            try await runShards(store, order, of: count)
            _ = try await store.finishClusters()
            partitions.insert(try await partition(store))
        }
        #expect(partitions.count == 1)
    }

    @Test func `a repeated shard writes the same records`() async throws {
        let store = try await store(entries(500))
        _ = try await store.planClusters(sample: 200)
        let records = try #require(store.storage.workRecords)
        func contents() async throws -> [String: Data?] {
            var result: [String: Data?] = [:]
            for name in try await records.names(withPrefix: "") {
                result[name] = try await records.read(name)
            }
            return result
        }
        let first = try await store.assignShard(0, of: 2)
        let before = try await contents()
        #expect(try await store.assignShard(0, of: 2) == first)
        #expect(try await contents() == before)
    }

    @Test func `workers can run at the same time`() async throws {
        let store = try await store(entries(900))
        _ = try await store.planClusters(sample: 300)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in [0, 1, 2, 3, 0, 1, 2, 3] {
                group.addTask { try await store.assignShard(index, of: 4) }
            }
            try await group.waitForAll()
        }
        _ = try await store.finishClusters()
        #expect(try await partition(store).count == Self.groups)
    }

    @Test func `missing and damaged shards are refused, and nothing is changed`() async throws {
        let store = try await store(entries(500))
        func expectIncomplete(_ words: String) async throws {
            let stamp = try await store.storage.snapshot().stamp
            let error = await #expect(throws: RoostError.self) { try await store.finishClusters() }
            #expect(error?.code == .incompleteWork && error?.remedy == .assignShards)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(try await store.storage.snapshot().stamp == stamp)
        }
        _ = try await store.planClusters(sample: 200)
        try await expectIncomplete("no shard")
        // A worker that is killed before its shard is complete leaves only pages.
        try await runShards(store, [0, 2], of: 3)
        try await expectIncomplete("1 of 3 shards is missing: 1/3")
        #expect(try await store.clusteringPlan()?.missingShards == [1])
        try await runShards(store, [1], of: 3)
        let records = try #require(store.storage.workRecords)
        let name = try #require(try await records.names(withPrefix: "shard.").first)
        let page = try #require(try await records.read(name))
        try await records.write(page.dropLast(36), as: name)
        try await expectIncomplete("damaged")
        try await runShards(store, [0, 1, 2], of: 3)
        _ = try await store.finishClusters()
        #expect(try await partition(store).count == Self.groups)
    }

    @Test func `another number of shards than that of the finished shards is refused`() async throws {
        let store = try await store(entries(500))
        _ = try await store.planClusters(sample: 200)
        try await runShards(store, [1], of: 2)
        let records = try #require(store.storage.workRecords)
        let names = try await records.names(withPrefix: "")
        for count in [1, 4] {
            let error = await #expect(throws: RoostError.self) { try await store.assignShard(0, of: count) }
            #expect(error?.code == .badInput)
            #expect(error?.message.contains("results for 2 shards") == true, "\(error?.message ?? "")")
        }
        #expect(Set(try await records.names(withPrefix: "")) == Set(names))
        #expect(try await store.clusteringPlan()?.missingShards == [0])
        // A shard whose record is damaged can be assigned again.
        let done = try #require(try await records.names(withPrefix: "done.").first)
        try await records.write(Data("{".utf8), as: done)
        try await runShards(store, [1, 0], of: 2)
        _ = try await store.finishClusters()
        // The next plan may have another number.
        _ = try await store.planClusters(sample: 200)
        try await runShards(store, [0, 1, 2], of: 3)
        _ = try await store.finishClusters()
    }

    @Test func `clusters keep their ids and labels from run to run`() async throws {
        let store = try await store(entries(800))
        _ = try await store.planClusters(sample: 300)
        try await runShards(store, [0, 1], of: 2)
        let first = try await store.finishClusters()
        let named = try #require(first.clusters.first)
        try await store.labelCluster(named.id, as: "Mine")
        _ = try await store.storage.commit(WriteBatch(upserts: entries(80, seed: 2)))
        _ = try await store.planClusters(sample: 300)
        try await runShards(store, [0, 1, 2], of: 3)
        let second = try await store.finishClusters()
        #expect(Set(second.clusters.map(\.id)) == Set(first.clusters.map(\.id)))
        #expect(second.continuedCount == Self.groups)
        let kept = try #require(second.clusters.first { $0.id == named.id })
        #expect((kept.label, kept.isLabelPinned) == ("Mine", true))
        #expect(kept.members.count == named.members.count + 10)
    }

    @Test func `entries that are added later are in no cluster, and removed ones are ignored`() async throws {
        let initial = entries(600)
        let store = try await store(initial)
        _ = try await store.planClusters(sample: 200)
        let removed = initial[5].id
        _ = try await store.storage.commit(
            WriteBatch(upserts: entries(8, seed: 3), removals: [removed]))
        try await runShards(store, [0, 1], of: 2)
        _ = try await store.storage.commit(WriteBatch(removals: [initial[6].id]))
        _ = try await store.finishClusters()
        let assignments = try await store.storage.snapshot().assignments(of: nil)
        let expected = Set(initial.map(\.id)).subtracting([removed, initial[6].id])
        #expect(Set(assignments.map(\.entry)) == expected)
    }

    @Test func `entries far from the sample become outliers, up to the permitted share`() async throws {
        var generator = SeededGenerator(seed: 99)
        let strange = (0..<40).map { entry(vector(&generator), "strange \($0)", -1, 4) }
        for (share, expected) in [(0.05, 40...60), (0, 0...0)] {
            let store = try await store(entries(1200) + strange)
            _ = try await store.planClusters(sample: 500, maximumOutliers: share)
            try await runShards(store, [0], of: 1)
            let report = try await store.finishClusters()
            #expect(expected.contains(report.outlierCount), "\(report.outlierCount)")
            guard share > 0 else { continue }
            let outliers = try await store.clusterOutliers()
            #expect(Set(outliers.map(\.entry.id)).isSuperset(of: strange.map(\.id)))
            #expect(outliers.allSatisfy { $0.reason == .distant })
        }
    }

    @Test func `zero vectors and copies get the labels that one client gives them`() async throws {
        var entries = entries(500)
        for number in 0..<40 {
            var copy = entries[number]
            copy.id = EntryID.derived(source: "copies", key: "\(number)")
            entries.append(copy)
            var empty = copy
            empty.id = EntryID.derived(source: "empty", key: "\(number)")
            empty.embeddings = [Float](repeating: 0, count: Self.dimension)
            entries.append(empty)
        }
        let store = try await store(entries)
        _ = try await store.planClusters(sample: 250)
        try await runShards(store, [0], of: 1)
        _ = try await store.finishClusters()
        let targets = Dictionary(
            uniqueKeysWithValues: try await store.storage.snapshot().assignments(of: nil)
                .map { ($0.entry, $0.target) })
        for number in 0..<40 {
            let copy = EntryID.derived(source: "copies", key: "\(number)")
            #expect(targets[copy] == targets[entries[number].id])
            #expect(targets[EntryID.derived(source: "empty", key: "\(number)")] == .outlier(.zeroVector))
        }
    }

    @Test func `an interrupted finish is completed without a second commit`() async throws {
        let store = try await store(entries(300))
        _ = try await store.planClusters(sample: 100)
        try await runShards(store, [0], of: 1)
        let records = try #require(store.storage.workRecords)
        let plan = try #require(try await records.read("clustering"))
        let first = try await store.finishClusters()
        // The process was killed before it removed the plan.
        try await records.write(plan, as: "clustering")
        let stamp = try await store.storage.snapshot().stamp
        let second = try await store.finishClusters()
        #expect(second.run.id == first.run.id && second.clusters.count == first.clusters.count)
        #expect(try await store.storage.snapshot().stamp == stamp)
        #expect(try await store.clusteringPlan() == nil)
    }

    @Test func `plans that cannot be used are refused`() async throws {
        let store = try await store(entries(200))
        func expectError(_ code: RoostError.Code, _ body: () async throws -> Void) async {
            let error = await #expect(throws: RoostError.self) { try await body() }
            #expect(error?.code == code, "\(String(describing: error))")
        }
        await expectError(.notFound) { try await store.assignShard(0, of: 1) }
        await expectError(.notFound) { _ = try await store.finishClusters() }
        await expectError(.badInput) { _ = try await store.planClusters(sample: 0) }
        await expectError(.badInput) { _ = try await store.planClusters(maximumOutliers: 2) }
        _ = try await store.planClusters(sample: 100)
        await expectError(.incompleteWork) { _ = try await store.planClusters(sample: 100) }
        for (index, count) in [(-1, 2), (2, 2), (0, 0), (0, 10_001)] {
            await expectError(.badInput) { try await store.assignShard(index, of: count) }
        }
        try await store.storage.renewEpoch()
        await expectError(.spaceMismatch) { try await store.assignShard(0, of: 1) }
        await expectError(.spaceMismatch) { _ = try await store.finishClusters() }
        try await store.discardClusteringPlan()
        try await store.discardClusteringPlan()
        #expect(try await store.clusteringPlan() == nil)
        let records = try #require(store.storage.workRecords)
        try await records.write(Data(#"{"format":99}"#.utf8), as: "clustering")
        await expectError(.newerFormat) { _ = try await store.clusteringPlan() }
        try await records.write(Data("{".utf8), as: "clustering")
        await #expect(throws: StorageError.self) { try await store.clusteringPlan() }
        let empty = try await self.store([])
        await expectError(.emptyStore) { _ = try await empty.planClusters() }
    }
}
