import Foundation
import RoostModel

/// Finds, reads and ingests the files below a folder, and removes the entries of vanished files on request.
struct FolderIngestor {
    let store: KnowledgeStore
    let finder: FileFinder
    let reader: RecordReader

    /// Ingests a folder.
    func run(_ folder: URL, pruning: Bool, _ options: IngestOptions) async throws -> IngestReport {
        let found = try finder.find(folder)
        var unreadable: [IngestReport.Skip] = []
        var files = found.files[...]
        // Files are read one at a time, when the ingest asks for them.
        let drafts = AnyIterator<SourceDraft> {
            while let file = files.popFirst() {
                do {
                    return try reader.read(file)
                } catch {
                    unreadable.append(IngestReport.Skip(file, error))
                }
            }
            return nil
        }
        var report = try await Ingestor.run(IteratorSequence(drafts), into: store, options)
        report.skipped = found.skipped + unreadable + report.skipped
        guard pruning else { return report }
        let vanished = try await Pruner([folder])
            .vanished(in: try await store.storage.snapshot(), keeping: found.files)
        report.removed += vanished.entries.count
        if !options.isDryRun, !vanished.sources.isEmpty {
            _ = try await EntryEditor(store: store).remove(vanished.entries, sources: vanished.sources)
        }
        return report
    }
}
