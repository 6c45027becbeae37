public import Foundation
public import RoostModel

/// An entry that was added to a store, or that the store contained already.
public struct AddedEntry: Sendable, Hashable {
    /// The id of the entry.
    public var id: Entry.ID
    /// Whether the entry was added; `false` if the store contained an entry with the same text.
    public var isNew: Bool
    /// Whether the tags or the metadata of an entry that the store contained already have changed.
    public var isUpdated: Bool
}

/// Adds a single text as part of a stream source, which only adds entries.
enum TextAddition {
    /// The id of the source to which added texts belong.
    private static let defaultSource = "add"

    /// Adds a text and returns its entry.
    ///
    /// - Parameters:
    ///   - ownSource: The source of texts that the caller adds, for a caller that sees only a part of the
    ///     store; `nil` for the source that all other callers share.
    ///   - mayChange: Returns whether an entry with the same text may get the tags and metadata. If not, the
    ///     text becomes an entry of another source.
    static func run(
        _ content: String, tags: [String], metadata: [String: MetadataValue], to store: KnowledgeStore,
        ownSource: Source.ID? = nil, where mayChange: @Sendable (Entry) -> Bool = { _ in true }
    ) async throws -> AddedEntry {
        guard !content.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot add the text: it is empty")
        }
        if let reason = TextParts.refusal(of: content) {
            throw RoostError(.badInput, "cannot add the text: \(reason)")
        }
        let source = try await source(
            for: content, in: store.storage.snapshot(), ownSource: ownSource, where: mayChange)
        let draft = EntryDraft(content: content, metadata: metadata, tags: tags)
        let report = try await Ingestor.run(
            [SourceDraft(id: source, fingerprint: "", entries: [draft], isComplete: false)], into: store,
            IngestOptions())
        if let skip = report.skipped.first {
            throw RoostError(.badInput, "cannot add the text: \(skip.reason)")
        }
        guard let entry = try await entry(with: content, of: source, in: store.storage.snapshot()) else {
            throw StorageError(
                .conflict, "cannot add the text: another process removed it at the same time",
                isRetryable: true)
        }
        return AddedEntry(id: entry.id, isNew: report.new > 0, isUpdated: report.updated > 0)
    }

    /// Returns the entry that ``run(_:tags:metadata:to:ownSource:where:)`` would change instead of adding
    /// one; `nil` if it would add an entry.
    static func existingEntry(
        _ content: String, in store: KnowledgeStore, ownSource: Source.ID?,
        where mayChange: @Sendable (Entry) -> Bool
    ) async throws -> Entry? {
        let snapshot = try await store.storage.snapshot()
        let source = try await source(for: content, in: snapshot, ownSource: ownSource, where: mayChange)
        return try await entry(with: content, of: source, in: snapshot)
    }

    /// Returns the source to which a text is added.
    ///
    /// A caller with its own source uses the shared source only for an equal text that it may change. The id
    /// of an entry is a public function of source and text, so the choice of the source must not depend on
    /// texts of others: it would tell whether a hidden entry has exactly this text.
    private static func source(
        for content: String, in snapshot: any StorageSnapshot, ownSource: Source.ID?,
        where mayChange: (Entry) -> Bool
    ) async throws -> Source.ID {
        if ownSource != nil, let equal = try await entry(with: content, of: defaultSource, in: snapshot),
            mayChange(equal)
        {
            return defaultSource
        }
        let first = ownSource ?? defaultSource
        var (name, number) = (first, 1)
        // An entry that the caller added can have been hidden from it since.
        while let equal = try await entry(with: content, of: name, in: snapshot), !mayChange(equal) {
            number += 1
            name = "\(first):\(number)"
        }
        return name
    }

    /// Returns the entry of a source that has the text; `nil` if no entry has it.
    private static func entry(
        with content: String, of source: Source.ID, in snapshot: any StorageSnapshot
    ) async throws -> Entry? {
        let digest = ContentDigest(of: content)
        for occurrence in 0... {
            let key = EntryID.contentKey(digest, occurrence: occurrence)
            let id = EntryID.derived(source: source, key: key)
            guard let entry = try await snapshot.entries([id]).first else { break }
            if entry.content.utf8.elementsEqual(content.utf8) { return entry }
        }
        return nil
    }
}
