package import Foundation
import RoostFiles
package import RoostModel

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
            _ = try await store.remove(vanished.entries, sources: vanished.sources)
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
                } catch let error where error is CancellationError || error is StorageError {
                    // The fault is not that of the file.
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

/// Finds sources whose files no longer exist, among the sources below the given files and folders.
package struct Pruner {
    /// The ids of the files and folders, each with a trailing slash.
    private let prefixes: [String]

    package init(_ locations: [URL]) {
        prefixes = locations.map { RecordReader.folderID($0) }
    }

    /// Returns the vanished sources.
    ///
    /// - Parameter present: Files that are known to exist, so they are not looked up.
    package func vanished(
        in snapshot: any StorageSnapshot, keeping present: [URL] = []
    ) async throws -> VanishedSources {
        let present = Set(present.map(RecordReader.sourceID))
        let sources = try await snapshot.sources().map(\.id).filter { id in
            prefixes.contains { id.hasPrefix($0) || id + "/" == $0 } && !present.contains(id)
                && FolderScan.isMissing(source: id)
        }
        guard !sources.isEmpty else { return VanishedSources() }
        return VanishedSources(
            sources: sources, entries: try await snapshot.sources(sources).flatMap(\.entryIDs))
    }
}

/// Sources whose files no longer exist, and their entries.
package struct VanishedSources: Sendable, Hashable {
    package var sources: [Source.ID] = []
    package var entries: [Entry.ID] = []
}
