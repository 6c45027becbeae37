public import Foundation
public import RoostModel

extension KnowledgeStore {
    /// Computes passages and vectors with this store's embedder.
    package var entryEmbedder: EntryEmbedder { EntryEmbedder(embedder: embedder, splitter: splitter) }

    // MARK: Ingesting

    /// Ingests sources by comparing them with the store: unchanged entries stay as they are, changed entries
    /// are updated, and entries that vanished from a source are removed. Ingesting the same input twice
    /// changes nothing.
    ///
    /// - **Atomicity**: Commits take place every few hundred entries. The removals of a source and its record
    ///   are part of its last commit.
    /// - **Cancellation**: Committed entries stay in the store; the next ingest of the same input resumes
    ///   there.
    /// - Parameters:
    ///   - sources: The sources, which are requested one by one.
    ///   - options: The options: tags, batch sizes, a progress handler, and whether the ingest is a dry run.
    /// - Returns: The numbers of new, updated, removed and unchanged entries, and the inputs that were
    ///   skipped.
    /// - Throws: `StorageError`; `EmbedderError`; `CancellationError`.
    @discardableResult
    public func ingest(
        _ sources: some Sequence<SourceDraft>, _ options: IngestOptions = IngestOptions()
    ) async throws -> IngestReport {
        try await Ingestor.run(sources, into: self, options)
    }

    /// Ingests sources that are read while the ingest runs, as ``ingest(_:_:)-(Sequence<SourceDraft>,_)``
    /// does.
    ///
    /// - Parameters:
    ///   - options: The options: tags, batch sizes, a progress handler, and whether the ingest is a dry run.
    ///   - next: Returns the next source; `nil` after the last one. It is called when the previous source has
    ///     been compared with the store.
    /// - Throws: The errors of `next`; `StorageError`; `EmbedderError`; `CancellationError`. The entries of
    ///   the sources before an error may be in the store.
    @discardableResult
    public func ingest(
        _ options: IngestOptions = IngestOptions(), from next: () async throws -> SourceDraft?
    ) async throws -> IngestReport {
        try await Ingestor.run(into: self, options, next: next)
    }

    /// Ingests the documents below a folder, as ``ingest(_:_:)-(Sequence<SourceDraft>,_)`` does.
    ///
    ///     let report = try await store.ingest(folder: notes, pruning: true) { progress in
    ///         print("\(progress.entries) entries")
    ///     }
    ///
    /// Each document becomes one entry, and so does each row of a JSON Lines, CSV or TSV file. Files that
    /// cannot be read are skipped and reported.
    ///
    /// - Parameters:
    ///   - folder: A folder, or a single file.
    ///   - pruning: Whether to remove the entries of files that no longer exist below the folder.
    ///   - finder: Selects the files, among those whose types the readers of `reader` support.
    ///   - reader: Reads the files.
    ///   - progress: Called after each commit.
    /// - Throws: ``RoostError`` with `.noInput` if the folder does not exist; `StorageError`;
    ///   `EmbedderError`; `CancellationError`.
    @concurrent @discardableResult
    public func ingest(
        folder: URL, pruning: Bool = false, finder: FileFinder = FileFinder(),
        reader: RecordReader = RecordReader(), progress: (@Sendable (IngestProgress) -> Void)? = nil
    ) async throws -> IngestReport {
        try await FolderIngestor(store: self, finder: finder, reader: reader)
            .run(folder, pruning: pruning, IngestOptions(progress: progress))
    }

    /// Returns the sources whose files no longer exist, among the sources below the given files and folders.
    ///
    /// Pass the result to ``remove(_:)-(VanishedSources)`` to remove them.
    ///
    /// - Parameters:
    ///   - locations: Files and folders, which need not exist.
    ///   - present: Files that are known to exist.
    /// - Throws: `StorageError`.
    public func vanishedSources(below locations: [URL], keeping present: [URL] = []) async throws
        -> VanishedSources
    {
        try await Pruner(locations).vanished(in: try await storage.snapshot(), keeping: present)
    }

    /// Removes sources with all their entries, in one commit.
    ///
    /// - Returns: The number of entries that were removed.
    /// - Throws: `StorageError`.
    @discardableResult
    public func remove(_ vanished: VanishedSources) async throws -> Int {
        try await EntryEditor(store: self).remove(vanished.entries, sources: vanished.sources)
    }

    /// Removes a source with all its entries, in one commit. This includes entries that are added meanwhile.
    ///
    /// - Returns: The number of entries that were removed; `nil` if there is neither a record nor an entry.
    /// - Throws: `StorageError`.
    package func removeSource(_ id: Source.ID) async throws -> Int? {
        try await remove(RemovalSelection(sources: [id]))
    }

    /// Removes entries, and sources with all their entries, in one commit. This includes entries that are
    /// added to the sources meanwhile.
    ///
    /// - Returns: The number of entries that were removed; `nil` if there is neither a record nor an entry.
    /// - Throws: `StorageError`.
    package func remove(_ selection: RemovalSelection) async throws -> Int? {
        try await EntryEditor(store: self).remove(selection)
    }

    // MARK: Editing

    /// Replaces the text of an entry. Its id, source, metadata and tags stay the same.
    ///
    /// - Parameters:
    ///   - entry: The entry that was read from the store.
    ///   - content: The new text.
    ///   - revision: The revision of the entry when it was read (``revision(of:)``); the call fails if the
    ///     entry has changed since then. `nil` for any revision.
    /// - Throws: ``RoostError`` with `.badInput` for an empty text; `StorageError`, with `.conflict` if the
    ///   entry does not have the expected revision; `EmbedderError`.
    public func replaceContent(
        of entry: Entry, with content: String, expecting revision: Revision? = nil
    ) async throws {
        let revisions = revision.map { [entry.id: $0] } ?? [:]
        try await EntryEditor(store: self).replaceContent(of: entry, with: content, expecting: revisions)
    }

    /// Replaces the text of an entry, if the given entries have the given revisions.
    ///
    /// - Throws: As the call with one revision.
    @available(*, deprecated, message: "pass the revision of the entry instead of a dictionary")
    public func replaceContent(
        of entry: Entry, with content: String, expecting revisions: [Entry.ID: Revision]
    ) async throws {
        try await EntryEditor(store: self).replaceContent(of: entry, with: content, expecting: revisions)
    }

    /// Changes the text, the tags and the metadata of an entry.
    ///
    /// - Parameter revision: The revision of the entry when it was read (``revision(of:)``); the call fails
    ///   if the entry has changed since then. If it is `nil`, the changes are applied to the current state.
    /// - Returns: The changed entry.
    /// - Atomicity: All changes are made in one commit. If another process changes the entry at the same
    ///   time, they are applied to its new state, unless `revision` is given.
    /// - Throws: ``RoostError`` with `.notFound` if the store does not contain the entry, or with `.badInput`
    ///   if the new text is empty; `EmbedderError`; `StorageError`, with `.conflict` if the entry does not
    ///   have the expected revision.
    @discardableResult
    public func update(
        _ id: Entry.ID, _ changes: EntryChanges, expecting revision: Revision? = nil
    ) async throws -> Entry {
        try await EntryEditor(store: self).update(id, changes, expecting: revision)
    }

    /// Removes an entry, if it has not changed since it was read.
    ///
    /// - Parameter revision: The revision of the entry when it was read (``revision(of:)``); `nil` for any
    ///   revision.
    /// - Returns: The number of entries that were removed, 0 or 1.
    /// - Throws: `StorageError`, with `.conflict` if the entry does not have the expected revision.
    @discardableResult
    public func remove(_ id: Entry.ID, expecting revision: Revision?) async throws -> Int {
        try await EntryEditor(store: self).remove(id, expecting: revision)
    }

    /// Adds a tag to entries, in one commit.
    ///
    /// Case and Unicode normalization of the tag do not matter: an entry that has the tag in another spelling
    /// keeps it.
    ///
    /// - Returns: The number of entries that changed.
    /// - Throws: ``RoostError`` with `.notFound` if the store lacks one of the entries, and with `.badInput`
    ///   if the tag consists of white space; nothing changes in both cases. `StorageError`.
    @discardableResult
    public func addTag(_ tag: String, to ids: [Entry.ID]) async throws -> Int {
        try await EntryEditor(store: self).setTag(tag, on: ids, isPresent: true)
    }

    /// Removes a tag from entries, in one commit.
    ///
    /// Case and Unicode normalization of the tag do not matter. Tags that are nested in the tag are not
    /// removed.
    ///
    /// - Returns: The number of entries that changed.
    /// - Throws: ``RoostError`` with `.notFound` if the store lacks one of the entries; nothing changes then.
    ///   `StorageError`.
    @discardableResult
    public func removeTag(_ tag: String, from ids: [Entry.ID]) async throws -> Int {
        try await EntryEditor(store: self).setTag(tag, on: ids, isPresent: false)
    }

    /// Adds a tag to entries (``addTag(_:to:)``) or removes it from them (``removeTag(_:from:)``).
    @available(*, deprecated, message: "Use addTag(_:to:) or removeTag(_:from:).")
    @discardableResult
    public func setTag(_ tag: String, on ids: [Entry.ID], isPresent: Bool) async throws -> Int {
        try await EntryEditor(store: self).setTag(tag, on: ids, isPresent: isPresent)
    }

    /// Returns the number of tokens of an entry's text that no vector represents: the tokens beyond the
    /// model's limit in each passage, or all tokens of an entry without vectors.
    ///
    /// The number is 0 for ingested entries, because ingest splits long texts. It can be positive for entries
    /// whose vectors the caller provided.
    ///
    /// - Complexity: O(length of the text) if a passage may exceed the model's limit.
    public func omittedTokens(of entry: Entry) -> Int { entryEmbedder.omittedTokens(of: entry) }
}
