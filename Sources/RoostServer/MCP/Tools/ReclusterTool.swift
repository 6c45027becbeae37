import Roost
import RoostModel
import Synchronization

struct ReclusterTool: Tool {
    let handle: StoreHandle

    private static let maximumClusters = 10_000

    let definition = ToolDefinition(
        name: "recluster", title: "Recluster the entries",
        description:
            "Groups all entries into labeled clusters. Clusters keep their ids and the user's labels as long "
            + "as most of their members stay. Takes seconds for 10,000 entries.",
        effect: .changes,
        input: [
            ToolProperty(
                "clusters", .integer(1...maximumClusters),
                "The number of clusters; without it, the number is determined by the texts."),
            ToolProperty("dryRun", .flag, "Whether to report the result without saving it."),
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        let isDryRun = arguments.flag("dryRun")
        let reported = Mutex(-1)
        let value: JSONValue = try await handle.change { store in
            let report = try await store.recluster(
                clusters: arguments["clusters"]?.integer, isDryRun: isDryRun
            ) { progress in
                // Reported numbers must grow, and the last one is that of the answer.
                let percent = Int(100 * progress.share)
                let hasGrown = reported.withLock { reported in
                    guard percent > reported, percent < 100 else { return false }
                    reported = percent
                    return true
                }
                guard hasGrown else { return }
                context.report(progress: percent, of: 100, progress.step.rawValue)
            }
            return [
                "clusters": .integer(Int64(report.clusters.count)),
                "outliers": .integer(Int64(report.outlierCount)),
                "continued": .integer(Int64(report.continuedCount)),
                "notices": .array(report.notices.map { .string($0) }),
            ]
        }
        context.report(progress: 100, of: 100, isDryRun ? "computed" : "saved")
        return value
    }
}
