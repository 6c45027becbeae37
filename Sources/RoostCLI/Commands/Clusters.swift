import ArgumentParser
import Foundation
import Roost

struct Recluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Group all entries into labelled clusters.")

    @OptionGroup var options: StoreOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("How many; chosen from the entries where it is not given.", valueName: "N"))
    var clusters: Int?

    @Option(name: .long, help: "coarse, medium or fine, around what stands out most.")
    var granularity: LeidenClusterer.Granularity = .medium

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "At most this share of the entries, those far from everything, is in no cluster (0.05).",
            valueName: "SHARE"))
    var maxOutliers: Double?

    @Option(name: .long, parsing: .unconditional, help: "The same entries and seed give the same clusters.")
    var seed: UInt64 = 0

    @Flag(name: .long, help: "Do not go on from the last run's clusters; find all anew.")
    var fresh = false

    @Flag(name: .long, help: "The clusters as JSON.")
    var json = false

    func validate() throws {
        if let clusters, clusters < 1 {
            throw ValidationError("--clusters takes a whole number above 0, not \(clusters).")
        }
        if clusters != nil, granularity != .medium {
            throw ValidationError(
                "--clusters says how many; --granularity is for where the number is chosen.")
        }
        if let maxOutliers {
            guard (0...1).contains(maxOutliers) else {
                throw ValidationError("--max-outliers takes a share from 0 to 1, not \(maxOutliers).")
            }
            guard clusters == nil else {
                throw ValidationError("--clusters puts every entry in a cluster; leave out --max-outliers.")
            }
        }
    }

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        let report = try await store.recluster(
            clusters: clusters, granularity: granularity, maximumOutliers: maxOutliers ?? 0.05, seed: seed,
            afresh: fresh)
        try await store.close()
        options.detail(String(format: "reclustered in %.2f s", Date().timeIntervalSince(start)))
        if json { return try Terminal.json(report.clusters.map(ClusterDocument.init)) }
        for cluster in report.clusters { Terminal.write(ClusterDocument(cluster).line) }
        options.note(
            "\(report.clusters.count) clusters of \(report.run.stamp.entryCount) entries"
                + (clusters == nil ? " (the number was chosen)" : "")
                + (report.outlierCount > 0 ? ", \(report.outlierCount) in none" : "")
                + (report.continuedCount > 0 ? "; \(report.continuedCount) continue earlier ones" : ""))
    }
}

/// A cluster without its members' texts.
struct ClusterDocument: Encodable {
    var id: String
    var label: String
    var keywords: [String]
    var size: Int
    var cohesion: Float
    var parent: String?
    var representatives: [String]

    init(_ cluster: Cluster) {
        id = cluster.id.text
        label = cluster.label
        keywords = cluster.keywords
        size = cluster.members.count
        cohesion = cluster.cohesion
        parent = cluster.parent?.text
        representatives = cluster.representatives.map(\.text)
    }

    var line: String {
        let count = String(size)
        let padding = String(repeating: " ", count: max(0, 6 - count.count))
        return
            "\(padding)\(count)  \(Terminal.score(cohesion))  \(Terminal.bold(Terminal.line(label)))  "
            + Terminal.dim(String(id.prefix(8)))
    }
}

struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Look at the clusters.",
        subcommands: [ListClusters.self, ShowCluster.self])

    struct ListClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the clusters, largest first.")

        @OptionGroup var options: StoreOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let clusters = try await store.storage.fetchClusters().sorted {
                ($1.members.count, $0.label) < ($0.members.count, $1.label)
            }
            try await store.close()
            if json { try Terminal.json(clusters.map(ClusterDocument.init)) }
            guard !clusters.isEmpty else {
                options.note("the store has no clusters yet; `roost recluster` makes them")
                throw ExitCode(ExitStatus.nothingFound.rawValue)
            }
            if !json { for cluster in clusters { Terminal.write(ClusterDocument(cluster).line) } }
        }
    }

    struct ShowCluster: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a cluster and its members.")

        @OptionGroup var options: StoreOptions

        @Argument(help: ArgumentHelp("A cluster's id, the beginning of one, or its label.", valueName: "ID"))
        var id: String

        @Option(
            name: .customShort("n"), parsing: .unconditional,
            help: ArgumentHelp("The most members to show.", valueName: "N"))
        var limit = 20

        @Flag(name: .long, help: "As JSON, with all members.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let cluster = try await options.cluster(id, store)
            let group = try await store.exportClusters().clusters.first { $0.id == cluster.id.text }
            try await store.close()
            guard let group else {
                throw RoostError(.notFound, "the cluster was replaced meanwhile; list them again")
            }
            if json { return try Terminal.json(group) }
            Terminal.write(Terminal.bold(Terminal.line(group.label)))
            Terminal.write("\(group.id), \(group.size) members, cohesion \(Terminal.score(group.cohesion))")
            Terminal.write(Terminal.line(group.keywords.joined(separator: ", ")))
            for member in group.members.prefix(max(0, limit)) {
                Terminal.write(
                    "\(Terminal.score(member.similarity))  \(Terminal.dim(String(member.id.prefix(8))))  "
                        + Terminal.line(member.content, limit: 100)
                )
            }
            if group.size > limit { options.note("and \(group.size - limit) more") }
        }
    }
}
