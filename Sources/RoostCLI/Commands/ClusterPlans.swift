import ArgumentParser
import Foundation
import Roost

/// One of several parts of a store, such as `3/8`. The first one is 0.
struct ShardArgument {
    let index: Int
    let count: Int

    init(_ argument: String) throws {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]), index >= 0,
            index < count
        else { throw ValidationError("it must be I/N, such as 0/8, with I from 0 to N-1") }
        (self.index, self.count) = (index, count)
    }
}

/// The state of a clustering by several workers, as JSON.
private struct ClusterPlanDocument: Encodable {
    var createdAt: String
    var entries: Int
    var sample: Int
    var clusters: Int
    var shards: Int?
    var missing: [Int]
    var complete: Bool

    init(_ status: ClusteringPlanStatus) {
        createdAt = DateText.string(from: status.createdAt)
        (entries, sample) = (status.entryCount, status.sampleCount)
        (clusters, shards) = (status.clusterCount, status.shardCount)
        (missing, complete) = (status.missingShards, status.isComplete)
    }
}

extension ClusterCommand {
    struct PlanClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Cluster a sample, the first step of clustering with several workers.",
            discussion: """
                Clusters a sample of the entries like `roost recluster`, and saves the result in the store \
                as a plan. Workers then run `roost cluster assign` for each shard of the other entries, on \
                any machine that can open the store. Finally, `roost cluster finish` commits the clusters; \
                until then, the clusters of the store do not change.

                For stores of up to a few million entries, `roost recluster` gives better clusters.

                Examples:
                  roost cluster plan
                  roost cluster plan --sample 500000 --granularity coarse
                """)

        @OptionGroup var options: StoreOptions

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp(
                "The approximate number of entries in the sample. The vectors of the sample must "
                    + "fit in the memory of each worker.",
                valueName: "N"))
        var sample = KnowledgeStore.defaultClusterSample

        @OptionGroup var size: GranularityOption

        @Option(
            name: .long, parsing: .unconditional,
            help: ArgumentHelp(
                "The maximum share of outliers among the entries, from 0 to 1.", valueName: "SHARE"))
        var maxOutliers = 0.05

        @Option(name: .long, parsing: .unconditional, help: "The seed of the random number generator.")
        var seed: UInt64 = 0

        @Flag(name: .long, help: "Start from scratch, ignoring the clusters of the last run.")
        var fresh = false

        @Flag(name: .long, help: "Print the state of the plan as JSON.")
        var json = false

        func validate() throws {
            guard sample >= 1 else {
                throw ValidationError("--sample must be a whole number of at least 1, not \(sample)")
            }
            guard (0...1).contains(maxOutliers) else {
                throw ValidationError("--max-outliers must be a number from 0 to 1, not \(maxOutliers)")
            }
        }

        func run() async throws {
            let store = try await options.open()
            let status = try await store.planClusters(
                sample: sample, granularity: size.granularity, maximumOutliers: maxOutliers, seed: seed,
                ignoringPreviousRun: fresh)
            try await store.close()
            if json { return try Terminal.json(ClusterPlanDocument(status)) }
            Terminal.write(status.sentence)
            Terminal.write(status.nextStep)
        }
    }

    struct AssignShard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "assign", abstract: "Assign the entries of one shard to the planned clusters.",
            discussion: """
                Each entry joins the cluster with the largest weight among its nearest neighbors in the \
                sample. Any number of workers can run this command at the same time, in any order and \
                repeatedly. All workers must use the same number of shards. The first shard is 0.

                Examples:
                  roost cluster assign --shard 0/1
                  roost cluster assign --shard "$JOB_COMPLETION_INDEX/100"
                """)

        @OptionGroup var options: StoreOptions

        @Option(
            name: .long,
            help: ArgumentHelp("The shard and the number of shards, such as 0/8.", valueName: "I/N"),
            transform: ShardArgument.init)
        var shard: ShardArgument

        func run() async throws {
            let store = try await options.open()
            let start = Date()
            let count = try await store.assignShard(shard.index, of: shard.count)
            try await store.close()
            options.detail(String(format: "assigned in %.2f s", Date().timeIntervalSince(start)))
            Terminal.write(
                "shard \(shard.index)/\(shard.count): \(Count.text(count, "entry", "entries")) assigned")
        }
    }

    struct ShowClusterPlan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the state of clustering with several workers.",
            discussion: """
                Lists the shards that are missing.

                Examples:
                  roost cluster status
                  roost cluster status --json
                """)

        @OptionGroup var options: StoreOptions

        @Flag(name: .long, help: "Print the state as JSON; null if there is no plan.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let status = try await store.clusteringPlan()
            try await store.close()
            if json { return try Terminal.json(status.map(ClusterPlanDocument.init)) }
            guard let status else {
                return options.note("there is no clustering plan; `roost cluster plan` creates one")
            }
            Terminal.write(status.sentence)
            if let count = status.shardCount {
                Terminal.write("\(count - status.missingShards.count) of \(count) shards assigned")
                // A sample of all entries needs no shards.
                for shard in status.missingShards where !status.isComplete {
                    Terminal.write("missing: \(shard)/\(count)")
                }
            }
            Terminal.write(status.nextStep)
        }
    }

    struct FinishClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "finish", abstract: "Commit the clusters that several workers have found.",
            discussion: """
                Replaces the clusters of the store, like `roost recluster`. All shards must be assigned. \
                Clusters keep their ids and your labels. The ids of all entries must fit in memory.

                Examples:
                  roost cluster finish
                """)

        @OptionGroup var options: StoreOptions

        @OptionGroup var levelOption: FlatOption

        @Flag(name: .long, help: "Print the clusters as JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let report = try await store.finishClusters()
            try await store.close()
            let tree = ClusterTree(report.clusters)
            if json { return try Terminal.json(tree.documents(flat: levelOption.flat)) }
            for line in tree.lines(.bars, flat: levelOption.flat) { Terminal.write(line) }
            options.note(
                "\(Count.text(tree.leafCount, "cluster")), \(Count.text(report.outlierCount, "outlier"))"
                    + report.continuation)
            for notice in report.notices { options.note(notice) }
            for line in EndedClusterLines(report.ended).lines { options.note(line) }
        }
    }

    struct DiscardClusterPlan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discard", abstract: "Remove an unfinished clustering plan.",
            discussion: """
                Removes the plan and the results of its workers. The clusters of the store do not change.

                Examples:
                  roost cluster discard
                """)

        @OptionGroup var options: StoreOptions

        func run() async throws {
            let store = try await options.open()
            try await store.discardClusteringPlan()
            try await store.close()
            options.note("the store has no clustering plan")
        }
    }
}

extension ClusteringPlanStatus {
    fileprivate var sentence: String {
        "\(Count.text(clusterCount, "cluster")) in a sample of \(sampleCount) of \(entryCount) entries"
    }

    /// The command to run next.
    fileprivate var nextStep: String {
        if isComplete { return "next: `roost cluster finish`" }
        return shardCount == nil
            ? "next: `roost cluster assign --shard I/N` for each I from 0 to N-1"
            : "next: `roost cluster assign` for the missing shards"
    }
}
