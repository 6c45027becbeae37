import Foundation
import RoostModel

/// Compares the entries of a source with the stored entries. Computing the changes does not access the
/// storage.
enum SourceDiff {
    struct Change {
        /// The entry to write, with the stored vectors, or without vectors if its text has to be embedded.
        var entry: Entry
        /// The revision of the stored entry; `.zero` if the store does not contain it.
        var expected: Revision
        /// Whether the stored text is the same. Its vectors may have to be computed again, because another
        /// reader read it.
        var hasSameText: Bool
        /// Whether only the location of the text in its source differs, for example because lines were
        /// inserted before it.
        var isMove = false
    }

    struct Stored {
        var entries: [Entry.ID: Entry]
        var revisions: [Entry.ID: Revision]

        init(_ ids: [Entry.ID], in snapshot: any StorageSnapshot) async throws {
            entries = try await snapshot.entries(ids).byID
            revisions = try await snapshot.revisions(of: ids)
        }
    }

    /// Returns the change that an entry requires; `nil` if the store has an equal entry.
    ///
    /// - Parameters:
    ///   - isStream: Whether the source is a stream, which adds metadata and never removes any.
    ///   - keepsVectors: Whether the stored vectors of an equal text are valid. They are not if the text was
    ///     read by another reader, which may have treated it differently.
    static func change(
        from stored: Stored, to item: DatedEntry, isStream: Bool, keepsVectors: Bool
    ) -> Change? {
        var entry = item.entry
        guard let old = stored.entries[entry.id] else {
            item.dates.apply(to: &entry)
            return Change(entry: entry, expected: .zero, hasSameText: false)
        }
        if isStream { entry.metadata.merge(old.metadata) { new, _ in new } }
        guard let merged = merged(entry, item.dates, with: old, keepsVectors: keepsVectors) else {
            return nil
        }
        var moved = old
        moved.location = merged.location
        return Change(
            entry: merged, expected: stored.revisions[entry.id] ?? .zero,
            hasSameText: !old.embeddings.isEmpty && hasSameText(merged, old), isMove: moved == merged)
    }

    /// Returns the stored entry updated with the contents of its source; `nil` if nothing changes.
    ///
    /// Changes of a person stay. The result has no vectors if the text differs, or if they are not kept.
    static func merged(
        _ entry: Entry, _ dates: EntryDates, with old: Entry, keepsVectors: Bool
    ) -> Entry? {
        var entry = entry
        entry.keepEdits(of: old)
        dates.applyCreation(to: &entry, replacing: old)
        let isSameText = hasSameText(entry, old)
        if isSameText, entry.structure == nil { entry.structure = old.structure }
        let hasValidVectors =
            keepsVectors && isSameText && entry.structure == old.structure && !old.embeddings.isEmpty
        if hasValidVectors, old.metadata == entry.metadata, old.tags == entry.tags,
            old.createdAt == entry.createdAt, !dates.statesOtherChange(than: old)
        {
            guard old.location != entry.location else { return nil }
            entry.updatedAt = old.updatedAt
        } else {
            dates.apply(to: &entry, replacing: old)
        }
        if hasValidVectors {
            entry.embeddings = old.embeddings
            entry.passages = old.passages
        }
        return entry
    }

    static func hasSameText(_ entry: Entry, _ other: Entry) -> Bool {
        entry.content.utf8.elementsEqual(other.content.utf8)
    }

    struct DatedEntry {
        var entry: Entry
        var dates: EntryDates
    }

    /// The entries of a source, with ids and without vectors, and the inputs that were skipped.
    struct IdentifiedEntries {
        var entries: [DatedEntry] = []
        var skipped: [IngestReport.Finding] = []
        var invalid: [Entry.ID] = []
    }

    /// Returns the entries of a draft. The id of each entry is derived from the source and the entry's key.
    ///
    /// Empty texts, repeated keys and entries that a store would reject are skipped.
    static func identify(_ draft: SourceDraft, tags: [String]) -> IdentifiedEntries {
        var result = IdentifiedEntries()
        var occurrences: [ContentDigest: Int] = [:]
        var seen = Set<Entry.ID>()
        let name = SourceDraft.displayName(of: draft.id)
        for item in draft.entries {
            func skip(_ reason: String) {
                let location = item.location.map { "\(name), \($0)" } ?? name
                result.skipped.append(
                    .init(kind: item.location == nil ? .input : .row, source: location, reason: reason))
            }
            if item.content.allSatisfy(\.isWhitespace) {
                skip("empty text")
                continue
            }
            func contentKey() -> String {
                let digest = ContentDigest(of: item.content)
                defer { occurrences[digest, default: 0] += 1 }
                return EntryID.contentKey(digest, occurrence: occurrences[digest, default: 0])
            }
            let key = item.key ?? contentKey()
            let id = EntryID.derived(source: draft.id, key: key)
            guard seen.insert(id).inserted else {
                skip("another row has the same id")
                continue
            }
            var defect = item.metadata.defect.map { "the metadata has \($0)" }
            if item.sourceLocation?.isValid == false {
                defect = "its location has a number that is out of range"
            }
            if let reason = TextParts.refusal(of: item.content) ?? defect {
                skip(reason)
                result.invalid.append(id)
                continue
            }
            let entry = Entry(
                id: id, content: item.content, structure: item.structure, source: draft.id, key: key,
                // The line numbers of a stream have no meaning after the stream has ended.
                location: draft.isComplete ? item.sourceLocation : nil,
                metadata: item.metadata, tags: TagName.distinct(item.tags + tags))
            result.entries.append(DatedEntry(entry: entry, dates: EntryDates(of: item)))
        }
        return result
    }
}

/// Determines the ids of the entries of a source that has moved, or whose path belonged to a source that has
/// moved.
///
/// An id is derived from the source and the key when an entry is ingested for the first time. When the source
/// moves, its entries keep their ids (decision 21), which then differ from the derived ones.
enum SourceIdentity {
    private static let pageSize = 64

    /// Returns the entries with the ids of the stored entries of the source that have the same keys. An entry
    /// without such a stored entry keeps its derived id, or gets another one if an entry of another source
    /// has the derived id.
    static func resolve(
        _ entries: [SourceDiff.DatedEntry], of source: Source.ID, _ record: Source?,
        in snapshot: any StorageSnapshot
    ) async throws -> [SourceDiff.DatedEntry] {
        let derived = Set(entries.map(\.entry.id))
        let known = record?.entryIDs ?? []
        let kept = try await keptIDs(known.filter { !derived.contains($0) }, in: snapshot)
        var entries = entries
        for index in entries.indices {
            guard let key = entries[index].entry.key, let id = kept[ExactText(key)] else { continue }
            entries[index].entry.id = id
        }
        let unknown = Set(entries.map(\.entry.id)).subtracting(known)
        let taken = try await foreignIDs(Array(unknown), notIn: source, snapshot)
        for index in entries.indices where taken.contains(entries[index].entry.id) {
            let key = entries[index].entry.key ?? ""
            for attempt in 1... {
                let id = EntryID.derived(source: source, key: key, attempt: attempt)
                guard try await foreignIDs([id], notIn: source, snapshot).isEmpty else { continue }
                entries[index].entry.id = id
                break
            }
        }
        return entries
    }

    private static func keptIDs(
        _ ids: [Entry.ID], in snapshot: any StorageSnapshot
    ) async throws -> [ExactText: Entry.ID] {
        var kept: [ExactText: Entry.ID] = [:]
        for page in ids.groups(of: pageSize) {
            for entry in try await snapshot.entries(page) {
                if let key = entry.key { kept[ExactText(key)] = entry.id }
            }
        }
        return kept
    }

    /// Returns those of the ids that belong to stored entries of other sources.
    private static func foreignIDs(
        _ ids: [Entry.ID], notIn source: Source.ID, _ snapshot: any StorageSnapshot
    ) async throws -> Set<Entry.ID> {
        let stored = Array(try await snapshot.revisions(of: ids).keys)
        return Set(
            try await snapshot.entries(stored).filter { !ExactText.areSame($0.source, source) }.map(\.id))
    }
}
