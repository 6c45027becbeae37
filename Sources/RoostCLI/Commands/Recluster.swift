import ArgumentParser
import Foundation
import Roost
import RoostServer

struct Recluster: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recluster", abstract: Operations.summary(of: "recluster"),
        discussion: """
            Finds groups, and topics inside the groups whose entries are clearly divided; topics are \
            indented. The number of groups follows from the entries unless --clusters gives it. More than 25 \
            groups are arranged in 8 to 25 larger clusters. A run continues from the clusters of the last \
            run; with --fresh, it starts from scratch. In both cases, a cluster with mostly the same members \
            keeps its id, and a cluster that you labeled stays as long as half of its members exist. With \
            the same entries, options and seed, the clusters are the same.

            A label consists of words and phrases that are frequent in a \
            cluster and rare in others; words in titles and in names of folders count more. `roost config \
            stop-words FILE` excludes words.

            Lines that more than 5% of the entries contain, such as footers and navigation, are ignored; \
            `roost show` lists the ignored lines of an entry.

            With --source, --tag, --where or another filter, only the entries that match are clustered, and \
            all others keep their clusters. Clusters that end are listed.

            --passages shows the groups and topics of passages in place of entries, such as the subjects of \
            a book, with the places of typical passages. Nothing is saved.

            In a store of more entries than --max-vectors, a sample of them (at most 250,000) is clustered, \
            and the others join the nearest clusters.

            Examples:
              roost recluster
              roost recluster --granularity fine --dry-run
              roost recluster --source notes --clusters 20 --dry-run
              roost recluster --passages --source book.pdf
            """)

    @OptionGroup var options: StoreOptions
    @OptionGroup var output: JSONOption

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(Operations.help("clusters", of: "recluster"), valueName: "N"))
    var clusters: Int?

    @Option(name: .long, help: "coarse (fewer, larger clusters), medium, or fine (more, smaller clusters).")
    var granularity: LeidenClusterer.Granularity = .medium

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum share of outliers among the entries, from 0 to 1. Default: 0.05.",
            valueName: "SHARE"))
    var maxOutliers: Double?

    @Option(name: .long, parsing: .unconditional, help: "The seed of the random number generator.")
    var seed: UInt64 = 0

    @OptionGroup var filters: FilterOptions

    @Flag(name: .long, help: "Start from scratch, ignoring the clusters of the last run.")
    var fresh = false

    @Flag(name: .long, help: "Show what would change, without changing anything.")
    var dryRun = false

    @Flag(name: .long, help: "Show clusters of passages in place of entries, without changing anything.")
    var passages = false

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "Cluster a sample if there are more than N entries; 100 or more. Default: 1000000.",
            valueName: "N"))
    var maxVectors = KnowledgeStore.maximumVectors

    func validate() throws {
        if let clusters, clusters < 1 {
            throw ValidationError("--clusters must be a whole number of at least 1, not \(clusters)")
        }
        if clusters != nil, granularity != .medium {
            throw ValidationError(
                "--clusters cannot be combined with --granularity, which applies only if Roost chooses the "
                    + "number")
        }
        if maxVectors < 100 {
            throw ValidationError("--max-vectors must be a whole number of at least 100, not \(maxVectors)")
        }
        if passages, fresh || dryRun || maxOutliers != nil {
            throw ValidationError(
                "--passages cannot be combined with --fresh, --dry-run and --max-outliers: nothing is saved")
        }
        if let maxOutliers {
            guard (0...1).contains(maxOutliers) else {
                throw ValidationError("--max-outliers must be a number from 0 to 1, not \(maxOutliers)")
            }
            guard clusters == nil else {
                throw ValidationError(
                    "--max-outliers cannot be combined with --clusters, which assigns every entry")
            }
        }
    }

    func run() async throws {
        let store = try await options.open()
        let start = Date()
        let filter = try await filters.filter(options, store)
        if passages {
            let found = try await withProgress { [clusters, granularity, seed] in
                try await store.clusters.ofPassages(
                    among: filter, clusters: clusters, granularity: granularity, seed: seed,
                    maximumVectors: maxVectors, stopWords: UserConfiguration().stopWords(), progress: $0)
            }
            try await store.close()
            return try show(found)
        }
        let report = try await withProgress {
            try await store.recluster(
                clusters: clusters, granularity: granularity, maximumOutliers: maxOutliers ?? 0.05,
                seed: seed, among: filter, maximumVectors: maxVectors, ignoringPreviousRun: fresh,
                stopWords: UserConfiguration().stopWords(), isDryRun: dryRun, progress: $0)
        }
        options.detail(String(format: "reclustered in %.2f s", Date().timeIntervalSince(start)))
        try show(report)
        if !dryRun {
            // The first page opens without a wait. Without the positions, it computes them itself.
            _ = try? await MapCache(directory: options.location()).data(of: store.storage.snapshot())
        }
        try await store.close()
    }

    private func withProgress<Report>(
        _ run: (@escaping @Sendable (ReclusterProgress) -> Void) async throws -> Report
    ) async throws -> Report {
        let progress = Progress(isQuiet: options.quiet)
        defer { progress.finish() }
        return try await run { progress.update($0.step.rawValue, fraction: $0.share) }
    }

    private struct PassageDocument: Encodable {
        struct Examples: Encodable {
            struct Example: Encodable {
                var entry: String
                var location: HitLocation
            }

            var examples: [Example]
        }

        var clusters: [JoinedDocument<ClusterDocument, Examples>]
        var passages: Int
        var outliers: Int
    }

    /// The number of typical passages of each cluster that are shown as text.
    private static let exampleCount = 2

    private func show(_ found: PassageClusters) throws {
        let tree = ClusterTree(found.report.clusters)
        let representatives = Dictionary(
            found.report.clusters.map { ($0.id.text, $0.representatives) }
        ) { first, _ in first }
        func examples(of cluster: ClusterDocument) -> [QueryHit] {
            (representatives[cluster.id] ?? []).compactMap { found.passages[$0] }
        }
        let count = found.report.outlierCount + found.report.clusters.reduce(0) { $0 + $1.members.count }
        if output.json {
            let documents = tree.documents.map { cluster in
                JoinedDocument(
                    cluster,
                    PassageDocument.Examples(
                        examples: examples(of: cluster).map {
                            .init(entry: $0.entry.id.text, location: $0.location)
                        }))
            }
            return try Terminal.json(
                PassageDocument(clusters: documents, passages: count, outliers: found.report.outlierCount))
        }
        let lines = tree.lines(withBars: true, hasIDs: false)
        Terminal.write(lines[0])
        for (line, cluster) in zip(lines.dropFirst(), tree.documents) {
            Terminal.write(line)
            for hit in examples(of: cluster).prefix(Self.exampleCount) {
                let place = HitText.indent + HitText.place(of: hit)
                Terminal.write(
                    Terminal.dim(Terminal.columns.map { TextWidth.shortened(place, to: $0) } ?? place))
            }
        }
        let scales = ClusterScales(found.report.clusters)
        options.note("\(scales.text) of \(Count.text(count, "passage")); nothing was changed")
        for notice in found.report.notices { options.note(notice) }
    }

    private func show(_ report: ReclusterReport) throws {
        let tree = ClusterTree(report.clusters)
        if output.json {
            try Terminal.json(ReclusterDocument(report))
        } else {
            for line in tree.lines(withBars: true) { Terminal.write(line) }
        }
        let scales = ClusterScales(report.clusters)
        if let clusters, filters.isEmpty, scales.groups < clusters {
            options.note("only \(scales.groups) of \(clusters) clusters: the others would be empty")
        }
        if let remark = tree.outdatedLabelRemark { options.note(remark) }
        guard !output.json else { return }
        options.note(summary(of: report, scales))
        if !report.boilerplateLines.isEmpty {
            options.note(
                "lines that more than 5% of the entries contain were excluded: "
                    + "\(report.boilerplateLines.count); `roost show ID` lists those of an entry")
        }
        for notice in report.notices { options.note(notice) }
        let showsLineage = dryRun || (report.continuedCount > 0 && options.verbose)
        // The lines of the lineage name most of the clusters that end, with the clusters that follow them.
        let named = Set(showsLineage ? report.lineage.events.flatMap(\.before).map(\.id) : [])
        for line in EndedClusterLines.lines(report.ended.filter { !named.contains($0.id) }) {
            options.note(line)
        }
        guard showsLineage else { return }
        for line in LineageLines(report.lineage, ended: report.ended).lines { options.note(line) }
    }

    private func summary(of report: ReclusterReport, _ scales: ClusterScales) -> String {
        let continued = Count.text(
            report.continuedCount, "continues an earlier cluster", "continue earlier clusters")
        let count = report.outlierCount + report.clusters.reduce(0) { $0 + $1.members.count }
        return "\(scales.text) of \(Count.text(count, "entry", "entries"))"
            + (clusters == nil ? " (numbers chosen automatically)" : "")
            + (report.outlierCount > 0
                ? ", \(Count.text(report.outlierCount, "outlier")) (see `roost cluster outliers`)" : "")
            + (report.continuedCount > 0 ? "; \(continued)" : "")
            + (dryRun ? "; nothing was changed" : "")
    }
}
