import Roost

/// The lines that report the inputs that an ingest skipped.
struct SkipSummary {
    private let skips: [IngestReport.Skip]

    init(_ skips: [IngestReport.Skip]) { self.skips = skips }

    /// Returns one line for the inputs with the same reason, or one line for each input.
    func lines(isDetailed: Bool) -> [String] {
        let groups = Dictionary(grouping: skips, by: \.reason).sorted { $0.key < $1.key }
        return groups.flatMap { reason, group in
            isDetailed || group.count == 1
                ? group.map { "skipped \(Terminal.line($0.source)): \(reason)" }
                : ["skipped \(group.count) inputs: \(reason); -v lists them"]
        }
    }

    /// Returns the number of skipped inputs for the line of numbers, such as `5 skipped (4 reported before)`.
    ///
    /// Inputs that an earlier run reported are counted too: `0 skipped` means that all of them are stored.
    static func count(_ report: IngestReport) -> String {
        let before = report.skippedBefore
        return "\(report.skipped.count + before) skipped" + (before > 0 ? " (\(before) reported before)" : "")
    }
}
