import Foundation
import RoostClustering
import RoostFiles
import RoostModel

/// The assignment of an entry that is not in the sample.
struct ShardEntry: Sendable, Hashable {
    var id: Entry.ID
    var vote: SampleVote.Vote
}

extension PlanRecords {
    /// Writes the entries of a shard.
    struct ShardWriter {
        private var writer: RecordPages.Writer
        private let records: any WorkRecords
        private let name: String
        private let (count, index): (Int, Int)

        fileprivate init(_ plan: ClusteringPlan, _ index: Int, of count: Int, _ records: any WorkRecords) {
            (self.records, self.count, self.index) = (records, count, index)
            writer = RecordPages.Writer(PlanRecords.pages(plan, index, of: count, records))
            name = "done.\(plan.run.id.text).\(count).\(index)"
        }

        mutating func append(_ entry: ShardEntry) async throws {
            try await writer.append { writer in
                writer.write(entry.id)
                writer.write(PlanRecords.code(of: entry.vote.label))
                writer.write(entry.vote.similarity)
                writer.write(entry.vote.confidence)
                writer.write(entry.vote.distance?.meanScore ?? .nan)
                writer.write(entry.vote.distance?.nearestSimilarity ?? .nan)
            }
        }

        /// Writes the remaining entries and marks the shard as finished.
        mutating func finish() async throws -> FinishedShard {
            let shard = FinishedShard(count: count, index: index, entries: try await writer.finish())
            try await records.write(try PlanRecords.json(shard), as: name)
            return shard
        }
    }

    /// The size of the record of an entry in bytes.
    private static let entrySize = 36

    fileprivate static func pages(
        _ plan: ClusteringPlan, _ index: Int, of count: Int, _ records: any WorkRecords
    ) -> RecordPages {
        RecordPages(
            records: records, name: "shard.\(plan.run.id.text).\(count).\(index)", rowSize: entrySize)
    }

    func writer(ofShard index: Int, of count: Int, _ plan: ClusteringPlan) -> ShardWriter {
        ShardWriter(plan, index, of: count, records)
    }

    /// Returns the finished shards, by the number of shards into which the workers divided the entries.
    ///
    /// - Throws: `StorageError`.
    func finishedShards(of plan: ClusteringPlan) async throws -> [Int: [FinishedShard]] {
        var found: [Int: [FinishedShard]] = [:]
        for name in try await records.names(withPrefix: "done.\(plan.run.id.text).") {
            guard let data = try await records.read(name) else { continue }
            guard let shard = try? JSONDecoder().decode(FinishedShard.self, from: data),
                (1...ClusteringPlan.maximumShards).contains(shard.count),
                (0..<shard.count).contains(shard.index),
                (0...Int(UInt32.max)).contains(shard.entries.rows)
            else { throw StorageError(.damaged, "the work record \(name) is damaged") }
            found[shard.count, default: []].append(shard)
        }
        return found.mapValues { $0.sorted { $0.index < $1.index } }
    }

    /// Checks that the workers before this one have divided the entries into the same number of shards. Only
    /// the names of the records are read, so that a shard with a damaged record can be assigned again.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if the number differs; `StorageError`.
    func checkShardCount(_ count: Int, ofShard index: Int, _ plan: ClusteringPlan) async throws {
        let prefix = "done.\(plan.run.id.text)."
        var finished: [Int: Int] = [:]
        for name in try await records.names(withPrefix: prefix) {
            let number = name.dropFirst(prefix.count).prefix { $0 != "." }
            if let number = Int(number), number > 0 { finished[number, default: 0] += 1 }
        }
        guard let expected = ClusteringPlanStatus.shardCount(finished), expected != count else { return }
        throw RoostError(
            .badInput,
            "cannot assign shard \(index)/\(count): this plan already has results for \(expected) shards; "
                + "use \(expected) shards, or discard the plan and create another one. Nothing was changed")
    }

    /// Reads the entries of a finished shard.
    ///
    /// - Throws: `StorageError`, with `.damaged` if a record is missing or corrupt; `CancellationError`.
    func readEntries(
        of shard: FinishedShard, _ plan: ClusteringPlan, _ body: (ShardEntry) -> Void
    ) async throws {
        let pages = Self.pages(plan, shard.index, of: shard.count, records)
        try await pages.read(shard.entries) { reader in
            let id = try reader.uuid()
            var vote = SampleVote.Vote(
                label: try Self.label(try reader.read(), groups: plan.groups.rows),
                similarity: try reader.float(), confidence: try reader.float())
            let (meanScore, nearest) = (try reader.float(), try reader.float())
            guard vote.similarity.isFinite, vote.confidence.isFinite else {
                throw BinaryReader.InvalidData()
            }
            if meanScore.isFinite, nearest.isFinite {
                vote.distance = SampleVote.Distance(meanScore: meanScore, nearestSimilarity: nearest)
            }
            body(ShardEntry(id: id, vote: vote))
        }
    }
}
