import Foundation
import RoostFiles
import RoostModel

/// Finds, reads and ingests the files below a folder, and removes the entries of vanished files on request.
struct FolderIngestor {
    let store: KnowledgeStore
    let finder: FileFinder
    let reader: RecordReader

    func run(_ folder: URL, pruning: Bool, _ options: IngestOptions) async throws -> IngestReport {
        var finder = finder
        finder.readers = reader.readers
        let found = try await BlockingWork.run { [finder] in
            try finder.find(folder, isCancelled: $0)
        }
        var report = try await ingest(found.files, options)
        report.skipped = found.skipped + report.skipped
        let vanished = try await Pruner([folder])
            .vanished(in: try await store.storage.snapshot(), keeping: found.files)
        guard pruning else {
            report.missingFiles = vanished.sources.count
            return report
        }
        report.removed += vanished.entries.count
        if !options.isDryRun, !vanished.sources.isEmpty {
            _ = try await EntryEditor(store: store).remove(vanished.entries, sources: vanished.sources)
        }
        return report
    }

    /// Ingests files. Files that cannot be read are skipped and reported.
    func ingest(_ files: [URL], _ options: IngestOptions) async throws -> IngestReport {
        var unreadable: [IngestReport.Skip] = []
        var files = files[...]
        // Each file is read only when it is ingested, so that one file at a time is in memory.
        var report = try await Ingestor.run(into: store, options) {
            while let file = files.popFirst() {
                do {
                    return try await reader.read(file, for: store)
                } catch let error as CancellationError {
                    throw error
                } catch let error as StorageError {
                    // The fault is that of the store, not of the file.
                    throw error
                } catch {
                    unreadable.append(IngestReport.Skip(file, error))
                }
            }
            return nil
        }
        report.skipped = unreadable + report.skipped
        return report
    }
}
