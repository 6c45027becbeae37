import Foundation
import Roost

/// The lines that report the inputs that an ingest skipped.
struct SkipSummary {
    private let skips: [IngestReport.Skip]

    /// The maximum number of reasons that are named for the files of one type.
    private static let maximumReasons = 3

    /// Creates a summary.
    init(_ skips: [IngestReport.Skip]) { self.skips = skips }

    /// Returns one line for the files of each type, or one line for each file.
    ///
    /// An input that is not a file, such as a row, always has its own line.
    func lines(isDetailed: Bool) -> [String] {
        var groups: [String: [IngestReport.Skip]] = [:]
        var order: [String] = []
        for skip in skips {
            let type = isDetailed ? skip.source : Self.type(of: skip)
            if groups[type] == nil { order.append(type) }
            groups[type, default: []].append(skip)
        }
        return order.flatMap { type -> [String] in
            let group = groups[type] ?? []
            guard !isDetailed, group.count > 1 else { return group.map(Self.line) }
            return ["skipped \(group.count) \(type): \(Self.reasons(of: group)); -v lists them"]
        }
    }

    /// Returns the number of skipped inputs for the line of numbers, such as `5 skipped (4 reported before)`.
    ///
    /// Inputs that an earlier run reported are counted too: `0 skipped` means that all of them are stored.
    static func count(_ report: IngestReport) -> String {
        let before = report.skippedBefore
        return "\(report.skipped.count + before) skipped" + (before > 0 ? " (\(before) reported before)" : "")
    }

    private static func line(_ skip: IngestReport.Skip) -> String {
        "skipped \(Terminal.line(skip.source)): \(skip.reason)"
    }

    /// Returns the type of a skipped file in the plural, such as `.png files`; the name of another input.
    private static func type(of skip: IngestReport.Skip) -> String {
        guard let status = FileStatus(skip.source, followingLinks: false) else { return skip.source }
        if skip.reason == FileFinder.linkReason { return "symbolic links" }
        if status.isFolder { return "folders" }
        let name = URL(fileURLWithPath: skip.source).pathExtension.lowercased()
        return name.isEmpty ? "files without an extension" : ".\(Terminal.line(name)) files"
    }

    /// Returns the reasons for which files were skipped, the most frequent first.
    private static func reasons(of group: [IngestReport.Skip]) -> String {
        let counts = Dictionary(group.map { ($0.reason, 1) }, uniquingKeysWith: +)
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard counts.count > 1 else { return counts.first?.key ?? "" }
        let named = counts.prefix(maximumReasons).map { "\($0.key) (\($0.value))" }.joined(separator: "; ")
        return counts.count > maximumReasons ? named + "; and other reasons" : named
    }
}
