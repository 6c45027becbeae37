import RoostModel

/// Determines the ids of the entries of a source that has moved, or whose path belonged to a source that has
/// moved.
///
/// An id is derived from the source and the key when an entry is ingested for the first time. When the source
/// moves, its entries keep their ids (decision 21), which then differ from the derived ones.
enum SourceIdentity {
    /// The number of entries that are read at once.
    private static let pageSize = 64

    /// Returns the entries with the ids of the stored entries of the source that have the same keys. An entry
    /// without such a stored entry keeps its derived id, or gets another one if an entry of another source
    /// has the derived id.
    ///
    /// - Parameters:
    ///   - entries: The entries of a complete source, with derived ids.
    ///   - source: The id of the source.
    ///   - record: The stored record of the source.
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

    /// Returns the ids of stored entries by their keys.
    private static func keptIDs(
        _ ids: [Entry.ID], in snapshot: any StorageSnapshot
    ) async throws -> [ExactText: Entry.ID] {
        var kept: [ExactText: Entry.ID] = [:]
        for start in stride(from: 0, to: ids.count, by: pageSize) {
            for entry in try await snapshot.entries(Array(ids[start..<min(ids.count, start + pageSize)])) {
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
        var foreign = Set<Entry.ID>()
        for start in stride(from: 0, to: stored.count, by: pageSize) {
            let page = Array(stored[start..<min(stored.count, start + pageSize)])
            for entry in try await snapshot.entries(page) where !ExactText.areSame(entry.source, source) {
                foreign.insert(entry.id)
            }
        }
        return foreign
    }
}
