import Foundation
import RoostFiles
import RoostModel

/// The files that earlier ingests skipped and reported, in the file `skipped.json` of a store's folder, so
/// that they are not reported again until they change.
///
/// If several processes write the file at the same time, the last one wins, and some files are reported
/// again.
struct SkippedFiles {
    private let url: URL
    /// The state of each file when it was reported, by its path.
    private var states: [String: String]

    private static let fileName = "skipped.json"
    /// The maximum number of recorded files. It limits the memory and the size of the file.
    private static let maximumCount = 100_000
    /// The maximum size of the file in bytes. A larger file was not written by Roost.
    private static let maximumSize = 256 << 20

    /// Reads the list of a store. A list that is missing or damaged is empty.
    init(in directory: URL) {
        url = directory.appendingPathComponent(Self.fileName)
        var status = stat()
        guard stat(url.path, &status) == 0, Int(status.st_size) <= Self.maximumSize,
            let data = try? Data(contentsOf: url),
            let states = try? JSONDecoder().decode([String: String].self, from: data)
        else {
            self.states = [:]
            return
        }
        self.states = states
    }

    /// Returns the skipped inputs that have not been reported in their present state, and records them.
    mutating func unreported(_ skips: [IngestReport.Skip]) -> [IngestReport.Skip] {
        // Names that differ only in invalid bytes are equal here; those of one ingest are reported together.
        let known = states
        return skips.filter { skip in
            // An input that is not a file, such as a row, is always reported.
            guard let state = Self.state(of: skip) else { return true }
            guard known[skip.source] != state else { return false }
            if states.count >= Self.maximumCount { states = [:] }
            states[skip.source] = state
            return true
        }
    }

    /// Writes the list.
    ///
    /// - Throws: `FileError`.
    func save() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try AtomicFile.write(try encoder.encode(states), to: url)
    }

    private static func state(of skip: IngestReport.Skip) -> String? {
        // The path of such a file cannot be written as text, and its contents do not matter.
        if skip.reason == FileFinder.nameReason { return skip.reason }
        var status = stat()
        guard lstat(skip.source, &status) == 0 else { return nil }
        let time = status.modificationTime
        return "\(status.st_size) \(time.tv_sec).\(time.tv_nsec) \(skip.reason)"
    }
}

extension KnowledgeStore {
    /// Divides the files that an ingest of a folder skipped into those to report and those that an earlier
    /// ingest has reported.
    ///
    /// - Parameters:
    ///   - report: The report, whose ``IngestReport/skipped`` and ``IngestReport/skippedBefore`` are
    ///     replaced.
    ///   - isDryRun: Whether the files are not recorded as reported.
    package func omitReportedSkips(from report: inout IngestReport, isDryRun: Bool) {
        guard let directory, !report.skipped.isEmpty else { return }
        var files = SkippedFiles(in: directory)
        let new = files.unreported(report.skipped)
        report.skippedBefore = report.skipped.count - new.count
        report.skipped = new
        guard !isDryRun, !new.isEmpty else { return }
        // Without the list, the next ingest reports the files again, which is no reason to fail.
        try? files.save()
    }
}
