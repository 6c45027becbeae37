public import Foundation
public import RoostModel

/// Adds a single text as part of a stream source, which only adds entries.
package enum TextAddition {
    static let defaultSource = "add"
    /// The maximum length of a key that a caller gives to a text, in bytes.
    static let maximumKeyLength = 1_000

    /// Adds a text and returns its entry.
    ///
    /// - Parameters:
    ///   - ownSource: The source of texts that the caller adds, for a caller that sees only a part of the
    ///     store; `nil` for the source that all other callers share.
    ///   - visible: The entries that the caller may see. Only such an entry with the same text gets the tags
    ///     and metadata; otherwise, the text becomes a separate entry.
    package static func run(
        _ content: String, tags: [String], metadata: [String: MetadataValue], to store: KnowledgeStore,
        ownSource: Source.ID? = nil, among visible: EntryFilter = .all
    ) async throws -> AddedEntry {
        try check(content, metadata)
        let lookup = Lookup(content: content, store: store, ownSource: ownSource, visible: visible)
        let source = try await lookup.source(in: store.storage.snapshot())
        let draft = EntryDraft(content: content, metadata: metadata, tags: tags)
        let report = try await ingest(draft, of: source, into: store)
        guard let entry = try await lookup.entry(of: source, in: store.storage.snapshot()) else {
            throw StorageError(
                .conflict, "cannot add the text: another process removed it at the same time",
                isRetryable: true)
        }
        return AddedEntry(id: entry.id, isNew: report.new > 0, isUpdated: report.updated > 0)
    }

    static func run(
        _ content: String, key: String, tags: [String], metadata: [String: MetadataValue],
        to store: KnowledgeStore
    ) async throws -> AddedEntry {
        try check(content, metadata)
        if let fault = fault(ofKey: key) {
            throw RoostError(.badInput, "cannot add the text: its key \(fault)")
        }
        let draft = EntryDraft(key: key, content: content, metadata: metadata, tags: tags)
        let report = try await ingest(draft, of: defaultSource, into: store)
        return AddedEntry(
            id: EntryID.derived(source: defaultSource, key: key), isNew: report.new > 0,
            isUpdated: report.updated > 0)
    }

    private static func ingest(
        _ draft: EntryDraft, of source: Source.ID, into store: KnowledgeStore
    ) async throws -> IngestReport {
        let source = SourceDraft(id: source, fingerprint: "", entries: [draft], isComplete: false)
        let report = try await store.ingest([source])
        guard let skip = report.skipped.first else { return report }
        throw RoostError(.badInput, "cannot add the text: \(skip.reason)")
    }

    /// Returns the reason why a text cannot be added with a key; `nil` if it can.
    package static func fault(ofKey key: String) -> String? {
        let hasControls = key.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if key.allSatisfy(\.isWhitespace) || key.utf8.count > maximumKeyLength || hasControls {
            return "must have 1 to \(maximumKeyLength) bytes and no control characters"
        }
        // Keys that are derived from texts begin with it.
        let prefix = EntryID.contentKeyPrefix
        return key.hasPrefix(prefix) ? "must not begin with '\(prefix)'" : nil
    }

    private static func check(_ content: String, _ metadata: [String: MetadataValue]) throws {
        guard !content.allSatisfy(\.isWhitespace) else {
            throw RoostError(.badInput, "cannot add the text: it is empty")
        }
        if let reason = TextParts.refusal(of: content) {
            throw RoostError(.badInput, "cannot add the text: \(reason)")
        }
        if let defect = metadata.defect {
            throw RoostError(.badInput, "cannot add the text: the metadata has \(defect)")
        }
    }

    private struct Lookup {
        let content: String
        let store: KnowledgeStore
        let ownSource: Source.ID?
        let visible: EntryFilter

        /// Returns the source to which the text is added.
        ///
        /// A caller with its own source uses the shared source only for an equal text that it may change. The
        /// id of an entry is a public function of source and text, so the choice of the source must not
        /// depend on texts of others: it would tell whether a hidden entry has exactly this text.
        func source(in snapshot: any StorageSnapshot) async throws -> Source.ID {
            if ownSource != nil, let equal = try await entry(of: defaultSource, in: snapshot),
                visible.matches(equal, assigned: nil)
            {
                return defaultSource
            }
            let first = ownSource ?? defaultSource
            var (name, number) = (first, 1)
            // An entry that the caller added can have been hidden from it since.
            while let equal = try await entry(of: name, in: snapshot), !visible.matches(equal, assigned: nil)
            {
                number += 1
                name = "\(first):\(number)"
            }
            return name
        }

        /// Returns the entry of a source that was added with the text; `nil` if no entry was.
        func entry(of source: Source.ID, in snapshot: any StorageSnapshot) async throws -> Entry? {
            try await snapshot.streamEntry(with: content, of: source).stored
        }
    }
}

extension StorageSnapshot {
    /// Returns the id and the key of a text in a stream, and the stored entry with this id. A user may have edited the
    /// entries with earlier keys: they have another text.
    ///
    /// - Parameter first: The first key to try; `nil` for the key that is derived from the text.
    func streamEntry(
        with content: String, of source: Source.ID, key first: String? = nil
    ) async throws -> (id: Entry.ID, key: String, stored: Entry?) {
        let digest = ContentDigest(of: content)
        var key = first ?? EntryID.contentKey(digest, occurrence: 0)
        var occurrence = 0
        while true {
            let id = EntryID.derived(source: source, key: key)
            guard let entry = try await entries([id]).first else { return (id, key, nil) }
            if entry.content.utf8.elementsEqual(content.utf8) { return (id, key, entry) }
            occurrence += 1
            key = EntryID.contentKey(digest, occurrence: occurrence)
        }
    }
}

extension EntryID {
    /// Returns the id of the entry of a text that is added with a key. The store need not contain it.
    public static func added(withKey key: String) -> Entry.ID {
        derived(source: TextAddition.defaultSource, key: key)
    }
}
