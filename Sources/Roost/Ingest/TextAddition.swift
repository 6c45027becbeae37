import Foundation
import RoostModel

/// Adds a single text as part of a stream source, which only adds entries.
enum TextAddition {
    /// The id of the source to which added texts belong.
    static let defaultSource = "add"
    /// The maximum length of a key that a caller gives to a text, in bytes.
    static let maximumKeyLength = 1_000

    /// Messages of conversations belong to their conversation (`ConversationMemory`), so an equal message is
    /// not the entry of an added text.
    private static let isNoMessage = EntryCondition(
        .metadata(DocumentKey.kind), .differs(DocumentKey.messageKind))

    /// Adds a text and returns its entry.
    ///
    /// - Parameters:
    ///   - ownSource: The source of texts that the caller adds, for a caller that sees only a part of the
    ///     store; `nil` for the source that all other callers share.
    ///   - visible: The entries that the caller may see. Only such an entry with the same text gets the tags
    ///     and metadata; otherwise, the text becomes a separate entry.
    static func run(
        _ content: String, tags: [String], metadata: [String: MetadataValue], to store: KnowledgeStore,
        ownSource: Source.ID? = nil, among visible: EntryFilter = .all
    ) async throws -> AddedEntry {
        try check(content, metadata)
        let lookup = Lookup(content: content, store: store, ownSource: ownSource, visible: visible)
        var changes = EntryChanges()
        changes.addedTags = Set(tags)
        changes.metadata = metadata
        // An entry that changes at the same time may get another text, or may no longer be visible.
        let updated = try await ConflictRetry.standard.run { try await lookup.updateOtherEntry(changes) }
        if let updated { return updated }
        let source = try await lookup.source(in: store.storage.snapshot())
        let draft = EntryDraft(content: content, metadata: metadata, tags: tags)
        let report = try await Ingestor.run(
            [SourceDraft(id: source, fingerprint: "", entries: [draft], isComplete: false)], into: store,
            IngestOptions())
        if let skip = report.skipped.first {
            throw RoostError(.badInput, "cannot add the text: \(skip.reason)")
        }
        guard let entry = try await lookup.entry(of: source, in: store.storage.snapshot()) else {
            throw StorageError(
                .conflict, "cannot add the text: another process removed it at the same time",
                isRetryable: true)
        }
        return AddedEntry(id: entry.id, isNew: report.new > 0, isUpdated: report.updated > 0)
    }

    /// Adds a text under a key, or replaces the text of the entry with this key.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for a key, text or metadata that cannot be stored.
    static func run(
        _ content: String, key: String, tags: [String], metadata: [String: MetadataValue],
        to store: KnowledgeStore
    ) async throws -> AddedEntry {
        try check(content, metadata)
        if let fault = fault(ofKey: key) {
            throw RoostError(.badInput, "cannot add the text: its key \(fault)")
        }
        let draft = EntryDraft(key: key, content: content, metadata: metadata, tags: tags)
        let report = try await Ingestor.run(
            [SourceDraft(id: defaultSource, fingerprint: "", entries: [draft], isComplete: false)],
            into: store, IngestOptions())
        if let skip = report.skipped.first {
            throw RoostError(.badInput, "cannot add the text: \(skip.reason)")
        }
        return AddedEntry(
            id: EntryID.derived(source: defaultSource, key: key), isNew: report.new > 0,
            isUpdated: report.updated > 0)
    }

    /// Returns the reason why a text cannot be added with a key; `nil` if it can.
    static func fault(ofKey key: String) -> String? {
        let hasControls = key.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !key.allSatisfy(\.isWhitespace), key.utf8.count <= maximumKeyLength, !hasControls else {
            return "must have 1 to \(maximumKeyLength) bytes and no control characters"
        }
        // Keys that are derived from texts begin with it.
        guard !key.hasPrefix(EntryID.contentKeyPrefix) else {
            return "must not begin with '\(EntryID.contentKeyPrefix)'"
        }
        return nil
    }

    /// Checks a text and metadata before they are added.
    ///
    /// - Throws: ``RoostError`` with `.badInput`.
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

    /// Returns the entry that ``run(_:tags:metadata:to:ownSource:among:)`` would change instead of adding
    /// one; `nil` if it would add an entry.
    static func existingEntry(
        _ content: String, in store: KnowledgeStore, ownSource: Source.ID?, among visible: EntryFilter
    ) async throws -> Entry? {
        let lookup = Lookup(content: content, store: store, ownSource: ownSource, visible: visible)
        let snapshot = try await store.storage.snapshot()
        let source = try await lookup.source(in: snapshot)
        if let entry = try await lookup.entry(of: source, in: snapshot) { return entry }
        return try await lookup.otherEntry(in: snapshot)
    }

    /// Finds entries with the text that a caller adds.
    private struct Lookup {
        let content: String
        let store: KnowledgeStore
        let ownSource: Source.ID?
        let visible: EntryFilter

        private func isVisible(_ entry: Entry) -> Bool { visible.matches(entry, assigned: nil) }

        /// Returns the source to which the text is added.
        ///
        /// A caller with its own source uses the shared source only for an equal text that it may change. The
        /// id of an entry is a public function of source and text, so the choice of the source must not
        /// depend on texts of others: it would tell whether a hidden entry has exactly this text.
        func source(in snapshot: any StorageSnapshot) async throws -> Source.ID {
            if ownSource != nil, let equal = try await entry(of: defaultSource, in: snapshot),
                isVisible(equal)
            {
                return defaultSource
            }
            let first = ownSource ?? defaultSource
            var (name, number) = (first, 1)
            // An entry that the caller added can have been hidden from it since.
            while let equal = try await entry(of: name, in: snapshot), !isVisible(equal) {
                number += 1
                name = "\(first):\(number)"
            }
            return name
        }

        /// Returns the entry of a source that was added with the text; `nil` if no entry was.
        func entry(of source: Source.ID, in snapshot: any StorageSnapshot) async throws -> Entry? {
            let digest = ContentDigest(of: content)
            for occurrence in 0... {
                let key = EntryID.contentKey(digest, occurrence: occurrence)
                let id = EntryID.derived(source: source, key: key)
                guard let entry = try await snapshot.entries([id]).first else { break }
                if hasText(entry) { return entry }
            }
            return nil
        }

        /// The minimum similarity of an equal text. It is below 1 because of rounding.
        private static let equalSimilarity: Float = 0.95
        /// The number of similar entries among which the equal one is looked for.
        private static let similarCount = 20

        /// Returns a visible entry that was added with another text and has this one now; `nil` if the store
        /// has no such entry. An entry of a file is not returned, because it is removed with the file.
        ///
        /// The storage finds one entry per text, which may be hidden. The result for a caller with its own
        /// source must not depend on hidden entries, so the visible entries are searched for similar texts.
        func otherEntry(in snapshot: any StorageSnapshot) async throws -> Entry? {
            guard snapshot.stamp.entryCount > 0 else { return nil }
            var visible = visible
            visible.conditions.append(isNoMessage)
            if ownSource == nil {
                let digest = ContentDigest(of: content)
                let known = try await snapshot.embeddedEntries(withContent: [digest])[digest]
                guard let known else { return nil }
                if isEqual(known), visible.matches(known, assigned: nil) { return known }
            }
            var search = EntrySearch(.document(content), matching: visible, limit: Self.similarCount)
            search.minimumSimilarity = Self.equalSimilarity
            return try await store.search(search).hits.map(\.entry).first(where: isEqual)
        }

        /// Changes the tags and metadata of the entry that ``otherEntry(in:)`` finds.
        ///
        /// - Returns: `nil` if the store has no such entry, or if an entry was added with the text.
        /// - Throws: `StorageError` with `.conflict` if the entry changes at the same time.
        func updateOtherEntry(_ changes: EntryChanges) async throws -> AddedEntry? {
            let snapshot = try await store.storage.snapshot()
            let source = try await source(in: snapshot)
            guard try await entry(of: source, in: snapshot) == nil,
                let equal = try await otherEntry(in: snapshot),
                let revision = try await snapshot.revisions(of: [equal.id])[equal.id]
            else { return nil }
            do {
                let entry = try await EntryEditor(store: store).update(
                    equal.id, changes, expecting: revision)
                return AddedEntry(id: entry.id, isNew: false, isUpdated: entry != equal)
            } catch let error as RoostError where error.code == .notFound {
                return nil
            }
        }

        /// Returns whether an entry has the text and was added, not ingested.
        private func isEqual(_ entry: Entry) -> Bool {
            guard let source = entry.source, hasText(entry) else { return false }
            return source == defaultSource || source.hasPrefix(defaultSource + ":")
        }

        private func hasText(_ entry: Entry) -> Bool { entry.content.utf8.elementsEqual(content.utf8) }
    }
}
