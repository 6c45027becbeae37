import RoostDocuments
import RoostModel

/// The entities of imported memory graphs (``MemoryGraph``), by name.
///
/// A relation names an entity of the same graph, so each source has separate names.
struct MemoryEntities {
    private var ids: [Source.ID: [String: Entry.ID]] = [:]

    /// Reads the entities of those sources that are memory graphs.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    init(of sources: [Source.ID], in snapshot: any StorageSnapshot) async throws {
        let graphs = Set(sources.filter(MemoryGraph.isSource))
        guard !graphs.isEmpty else { return }
        var titles: [(source: Source.ID, title: String, id: Entry.ID)] = []
        for try await page in snapshot.entryPages(matching: EntryFilter(sources: graphs)) {
            for entry in page.entries {
                guard let source = entry.source else { continue }
                if let key = entry.key { ids[source, default: [:]][key] = entry.id }
                if let title = entry.title { titles.append((source, title, entry.id)) }
            }
        }
        // The key is the name that relations use. A title can be a new name that the user gave the entity.
        for (source, title, id) in titles where ids[source]?[title] == nil {
            ids[source, default: [:]][title] = id
        }
    }

    /// Returns the target of a link of an entry; `nil` if the entry is not an entity.
    func destination(of link: DocumentLink, in entry: Entry) -> EntryLink.Destination? {
        guard let source = entry.source, MemoryGraph.isSource(source) else { return nil }
        if let id = ids[source]?[link.target] { return .entry(id) }
        return link.isExternal ? .external : .missing
    }

    /// Returns the names by which relations can refer to an entry; none if it is not an entity.
    static func names(of entry: Entry) -> Set<String> {
        guard let source = entry.source, MemoryGraph.isSource(source) else { return [] }
        return Set([entry.key, entry.title].compactMap(\.self))
    }
}
