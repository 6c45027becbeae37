// The texts of reports, which `print` writes: at most ten lines, without vectors.

import RoostModel

extension IngestReport: CustomStringConvertible {
    public var description: String {
        var counts = "\(new) new, \(updated) updated, \(removed) removed, \(unchanged) unchanged"
        if missingFiles > 0 { counts += ", \(Count.text(missingFiles, "missing file"))" }
        return ReportText.list(
            skipped.isEmpty ? counts : "\(counts); \(skipped.count) skipped",
            skipped.map { "\($0.source): \($0.reason)" })
    }
}

extension ReclusterReport: CustomStringConvertible {
    public var description: String {
        let leaves = clusters.filter { cluster in !clusters.contains { $0.parent == cluster.id } }
        let entries = leaves.reduce(outlierCount) { $0 + $1.members.count }
        return ReportText.list(
            "\(Count.text(leaves.count, "cluster")) of \(Count.text(entries, "entry", "entries")), "
                + Count.text(outlierCount, "outlier") + (isDryRun ? " (not saved)" : ""),
            leaves.map { "\($0.members.count)  \($0.label)" })
    }
}

extension QueryResult: CustomStringConvertible {
    public var description: String {
        ReportText.list(
            hasOnlyNoise
                ? "no entry is close to the query; the nearest are"
                : "\(Count.text(hits.count, "hit")) among \(Count.text(candidateCount, "entry", "entries"))",
            (hasOnlyNoise ? nearest : hits).map(\.description))
    }
}

extension QueryHit: CustomStringConvertible {
    /// The score, and the title or the beginning of the text.
    public var description: String {
        ReportText.line("\((100 * score).rounded() / 100)  \(title ?? entry.content)")
    }
}

extension ClusterLabelingReport: CustomStringConvertible {
    public var description: String {
        let failure = failure.map { "; \(ReportText.line($0.message))" } ?? ""
        return ReportText.list(
            "\(labeled.count) labeled, \(refused.count) refused\(failure)", labeled.map(\.label))
    }
}

package enum ReportText {
    private static let (maximumItems, maximumLength) = (8, 100)

    package static func list(_ heading: String, _ items: [String]) -> String {
        var lines = [items.isEmpty ? heading : heading + ":"] + items.prefix(maximumItems).map(line)
        if items.count > maximumItems { lines.append("and \(items.count - maximumItems) more") }
        return lines.joined(separator: "\n")
    }

    /// Returns a text on one line of at most 100 characters. Control characters, which a terminal would obey,
    /// become spaces.
    package static func line(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(maximumLength).map { scalar in
            [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
                ? " " : scalar
        }
        return String(String.UnicodeScalarView(start))
    }
}
