package import RoostModel

extension Sequence where Element: Identifiable {
    /// The elements by their ids; the first one of several with the same id.
    var byID: [Element.ID: Element] { Dictionary(map { ($0.id, $0) }) { first, _ in first } }
}

extension Sequence where Element == Assignment {
    /// The assignments by their entries.
    var byEntry: [Entry.ID: Assignment] { Dictionary(map { ($0.entry, $0) }) { first, _ in first } }
}

extension RandomAccessCollection {
    /// Returns the elements in groups of up to `size`, in order.
    func groups(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(dropFirst($0).prefix(size)) }
    }
}

extension StorageSnapshot {
    package func ids(matching filter: EntryFilter) async throws -> [Entry.ID] {
        var ids: [Entry.ID] = []
        for try await page in headerPages(matching: filter) { ids += page.headers.map(\.id) }
        return ids
    }
}
