public import Foundation
import RoostFiles
public import RoostModel

extension KnowledgeStore {
    /// Writes the entries that match a filter as JSON Lines: one entry per line. All entries belong to one
    /// revision. With vectors, the first line is a header that states their embedding space.
    ///
    /// - Parameters:
    ///   - withEmbeddings: Whether to include vectors.
    ///   - filter: The filter that entries must match.
    ///   - write: Receives the bytes in order, page by page, on the actor of the caller.
    /// - Throws: `StorageError`; `CancellationError`; any error that `write` throws.
    public func exportEntries(
        withEmbeddings: Bool, filter: EntryFilter = .all, to write: (Data) throws -> Void
    ) async throws {
        let snapshot = try await storage.snapshot()
        try write(try EntryArchive.header(of: embedder.space, withEmbeddings: withEmbeddings))
        // With `forEachAhead`, Swift 6.3.1 would not return to the actor of the caller.
        for try await page in snapshot.entryPages(matching: filter) {
            try write(try await EntryArchive.lines(of: page.entries, withEmbeddings: withEmbeddings))
        }
    }

    /// Imports the exported entries of a file in JSON Lines or CSV. Ids, dates, metadata and tags are preserved.
    ///
    /// Vectors are imported if a header states that they belong to the store's embedding space. Otherwise,
    /// the texts are embedded again. As in an ingest, new entries join the nearest cluster if it is near
    /// enough. A regular file is read in pieces, at first to check it; only the ids of the entries are kept in
    /// memory.
    ///
    /// - **Atomicity**: Commits take place every few hundred entries.
    /// - **Cancellation**: Committed entries stay in the store; the next import of the same file resumes
    ///   there.
    /// - Parameters:
    ///   - file: A file or pipe.
    ///   - progress: Called after each commit with the number of entries that are in the store, and the
    ///     number of all entries.
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`, in which case nothing is imported; with
    ///   `.badInput` also if the file changes during the import, and with `.noInput` if it cannot be read;
    ///   `EmbedderError`; `StorageError`; `CancellationError`.
    @concurrent
    public func importEntries(
        from file: URL, progress: (@Sendable (Int, Int) -> Void)? = nil
    ) async throws -> ImportReport {
        let path = file.resolvingSymlinksInPath().path
        guard (try? FileSystem.sizeOfRegularFile(path)) != nil else {
            // A pipe, to which another program may write slowly.
            let data = try await BlockingWork.run { _ in try FileContents.readToEnd(file) }
            return try await importEntries(EntryArchive(data, name: file.path), progress: progress)
        }
        let archive = try await Computation.run { try EntryArchive(contentsOf: file, name: file.path) }
        return try await importEntries(archive, progress: progress)
    }

    @concurrent
    package func importEntries(
        _ archive: EntryArchive, progress: (@Sendable (Int, Int) -> Void)? = nil
    ) async throws -> ImportReport {
        try await EntryImporter.run(archive, into: self, progress: progress)
    }

    /// Imports texts of another program, and embeds them. Their ids are derived from the source and the id in
    /// the other program, so that another import of the same database changes nothing. Atomicity, cancellation,
    /// progress and errors are those of ``importEntries(from:progress:)``.
    @concurrent
    public func importEntries(
        _ archive: TextArchive, progress: (@Sendable (Int, Int) -> Void)? = nil
    ) async throws -> ImportReport {
        try await EntryImporter.run(archive, into: self, progress: progress)
    }
}
