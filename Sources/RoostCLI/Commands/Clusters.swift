import ArgumentParser
import Foundation
import Roost
import RoostRemote

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

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "By density (HDBSCAN): clusters of at least this many entries; what is sparse is in none.",
            valueName: "N"))
    var dense: Int?

    @Option(name: .long, parsing: .unconditional, help: "The same entries and seed give the same clusters.")
    var seed: UInt64 = 0

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp("With more than 1, clusters of clusters above them.", valueName: "N"))
    var levels = 1

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only entries whose metadata is so, as in `query`: 'kind=message'; the others are in no cluster.",
            valueName: "condition"))
    var `where`: [String] = []

    @Flag(name: .long, help: "Do not go on from the last run's clusters; find all anew.")
    var fresh = false

    @Flag(
        name: .long,
        help: "Then have the chat model of your settings name the clusters (`cluster autolabel`).")
    var autolabel = false

    @Flag(name: .long, help: "Say what would change, and change nothing.")
    var dryRun = false

    @Flag(name: .long, help: "The clusters as JSON.")
    var json = false

    func validate() throws {
        for text in self.where where EntryCondition(where: text) == nil {
            throw ValidationError(
                "--where takes a condition like kind=message, not '\(Terminal.line(text, limit: 60))'.")
        }
        if let clusters, clusters < 1 {
            throw ValidationError("--clusters takes a whole number above 0, not \(clusters).")
        }
        if let dense {
            guard dense >= 2 else { throw ValidationError("--dense takes a number from 2, not \(dense).") }
            guard clusters == nil, granularity == .medium, maxOutliers == nil, !fresh else {
                throw ValidationError(
                    "--dense finds the clusters by itself; it goes with --levels, --seed and --dry-run only.")
            }
        }
        guard !(autolabel && dryRun) else {
            throw ValidationError(
                "--dry-run changes nothing and asks nobody; `cluster autolabel --dry-run` shows what is sent."
            )
        }
        guard (1...8).contains(levels) else {
            throw ValidationError("--levels takes a number from 1 to 8, not \(levels).")
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
        // Before the work, so that a setting that is missing is not told after it.
        let model = autolabel ? try RemoteSettings().labelingModel(nil) : nil
        let store = try await options.open()
        let start = Date()
        let conditions = self.where.compactMap(EntryCondition.init(where:))
        var report =
            if let dense {
                try await store.recluster(
                    with: HDBSCAN(minimumSize: dense, minimumSamples: min(5, dense), seed: seed), seed: seed,
                    levels: levels, among: conditions, isDryRun: dryRun)
            } else {
                try await store.recluster(
                    clusters: clusters, granularity: granularity, maximumOutliers: maxOutliers ?? 0.05,
                    levels: levels, seed: seed, among: conditions, afresh: fresh, isDryRun: dryRun)
            }
        options.detail(String(format: "reclustered in %.2f s", Date().timeIntervalSince(start)))
        guard let model else {
            try await store.close()
            return try show(report)
        }
        let labeling = Autolabeling(store: store, options: options, model: model)
        let requests = try await store.labelingRequests(unlessLabeledBy: labeling.labeler.name)
        let labels = try await labeling.run(requests)
        try await store.close()
        let named = Dictionary(labels.named.map { ($0.id, $0) }) { first, _ in first }
        report.clusters = report.clusters.map { cluster in
            var cluster = cluster
            if let name = named[cluster.id] {
                (cluster.label, cluster.labeledBy) = (name.label, name.labeledBy)
            }
            return cluster
        }
        try show(report)
        try labeling.finish(labels, of: requests.count)
    }

    private func groupedCount(_ report: ReclusterReport) -> Int {
        guard !self.where.isEmpty else { return report.run.stamp.entryCount }
        return report.outlierCount + report.clusters.reduce(0) { $0 + $1.members.count }
    }

    private func show(_ report: ReclusterReport) throws {
        if json { return try Terminal.json(ClusterTree(report.clusters).documents) }
        for line in ClusterTree(report.clusters).lines { Terminal.write(line) }
        let leaves = ClusterTree(report.clusters).leafCount
        options.note(
            "\(leaves) clusters of \(groupedCount(report)) entries"
                + (clusters == nil ? " (the number was chosen)" : "")
                + (report.outlierCount > 0 ? ", \(report.outlierCount) in none" : "")
                + (report.continuedCount > 0 ? "; \(report.continuedCount) continue earlier ones" : "")
                + (dryRun ? "; nothing was changed" : ""))
        if leaves == 1, clusters == nil, dense == nil, report.run.stamp.entryCount >= 50 {
            options.note(
                "nothing stands out among them; --clusters N divides them all the same")
        }
        if dryRun || (report.continuedCount > 0 && options.verbose) {
            for line in LineageLines(report.lineage).lines { options.note(line) }
        }
    }
}

/// A cluster without its members' texts.
struct ClusterDocument: Encodable {
    var id: String
    var label: String
    var keywords: [String]
    var pinned: Bool
    var labeledBy: String?
    var size: Int
    var cohesion: Float
    var separation: Float?
    var silhouette: Float?
    var stability: Float?
    var parent: String?
    var representatives: [String]

    /// - Parameter size: of a cluster above others, that of its parts together.
    init(_ cluster: Cluster, size: Int? = nil) {
        id = cluster.id.text
        label = cluster.label
        keywords = cluster.keywords
        pinned = cluster.isLabelPinned
        labeledBy = cluster.labeledBy
        self.size = size ?? cluster.members.count
        cohesion = cluster.cohesion
        separation = cluster.separation
        silhouette = cluster.silhouette
        stability = cluster.stability
        parent = cluster.parent?.text
        representatives = cluster.representatives.map(\.text)
    }

    func line(depth: Int) -> String {
        let count = String(size)
        let padding = String(repeating: " ", count: max(0, 6 - count.count))
        let indentation = String(repeating: "  ", count: depth)
        return
            "\(padding)\(count)  \(Terminal.score(cohesion))  \(indentation)"
            + "\(Terminal.bold(Terminal.line(label)))  " + Terminal.dim(String(id.prefix(8)))
    }
}

/// Clusters with those below them.
struct ClusterTree {
    private let roots: [Cluster]
    private let children: [Cluster.ID: [Cluster]]

    init(_ clusters: [Cluster]) {
        let ids = Set(clusters.map(\.id))
        var (roots, children): ([Cluster], [Cluster.ID: [Cluster]]) = ([], [:])
        for cluster in clusters {
            if let parent = cluster.parent, ids.contains(parent), parent != cluster.id {
                children[parent, default: []].append(cluster)
            } else {
                roots.append(cluster)
            }
        }
        (self.roots, self.children) = (roots, children)
    }

    private func size(_ cluster: Cluster) -> Int {
        cluster.members.count + (children[cluster.id] ?? []).reduce(0) { $0 + size($1) }
    }

    /// Largest first, each followed by those below it.
    private var all: [(document: ClusterDocument, depth: Int, isLeaf: Bool)] {
        func walk(_ clusters: [Cluster], _ depth: Int) -> [(ClusterDocument, Int, Bool)] {
            clusters.map { ($0, size($0)) }
                .sorted { ($1.1, $0.0.label, $0.0.id.uuidString) < ($0.1, $1.0.label, $1.0.id.uuidString) }
                .flatMap { cluster, size in
                    let below = children[cluster.id] ?? []
                    return [(ClusterDocument(cluster, size: size), depth, below.isEmpty)]
                        + walk(below, depth + 1)
                }
        }
        return walk(roots, 0)
    }

    var documents: [ClusterDocument] { all.map(\.document) }

    var lines: [String] { all.map { $0.document.line(depth: $0.depth) } }

    var leafCount: Int { all.count { $0.isLeaf } }
}

struct ClusterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster", abstract: "Look at the clusters, name and change them.",
        subcommands: [
            ListClusters.self, ShowCluster.self, DiffClusters.self, ClusterDriftCommand.self,
            LabelCluster.self, AutolabelClusters.self, MergeClusters.self, SplitCluster.self,
            DeleteCluster.self,
        ])

    struct ListClusters: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the clusters, largest first.")

        @OptionGroup var options: StoreOptions

        @Flag(name: .long, help: "As JSON.")
        var json = false

        func run() async throws {
            let store = try await options.open()
            let clusters = try await store.storage.fetchClusters()
            try await store.close()
            let tree = ClusterTree(clusters)
            if json { try Terminal.json(tree.documents) }
            guard !clusters.isEmpty else {
                options.note("the store has no clusters yet; `roost recluster` makes them")
                throw ExitCode(ExitStatus.nothingFound.rawValue)
            }
            if !json { for line in tree.lines { Terminal.write(line) } }
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
            let group = try await store.exportClusters().cluster(cluster.id)
            try await store.close()
            guard let group else {
                throw RoostError(.notFound, "the cluster was replaced meanwhile; list them again")
            }
            if json { return try Terminal.json(group) }
            Terminal.write(Terminal.bold(Terminal.line(group.label)))
            let figures: [(String, Float?)] = [
                ("cohesion", group.cohesion), ("separation", group.separation),
                ("silhouette", group.silhouette), ("stability", group.stability),
            ]
            var facts = ["\(group.id)", "\(group.size) members"]
            for (name, value) in figures {
                if let value { facts.append("\(name) \(Terminal.score(value))") }
            }
            if let name = group.labeledBy { facts.append("named by \(Terminal.line(name, limit: 60))") }
            Terminal.write(facts.joined(separator: ", "))
            Terminal.write(Terminal.line(group.keywords.joined(separator: ", ")))
            for child in group.children ?? [] {
                Terminal.write(
                    "\(child.size)  \(Terminal.bold(Terminal.line(child.label)))  "
                        + Terminal.dim(String(child.id.prefix(8))))
            }
            guard group.children == nil else { return }
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
