package import RoostModel

/// The entries and sources that a removal concerns.
package struct RemovalSelection: Sendable {
    /// Single entries.
    package var entries: [Entry.ID]
    /// Sources, which are removed with all their entries.
    package var sources: Set<Source.ID>
    /// The beginning of the ids of further sources, such as the address of a folder; `nil` for none.
    package var prefix: String?

    package init(entries: [Entry.ID] = [], sources: Set<Source.ID> = [], prefix: String? = nil) {
        (self.entries, self.sources, self.prefix) = (entries, sources, prefix)
    }

    /// The parts of a store that a selection concerns.
    package struct Contents: Sendable {
        package var entries: Set<Entry.ID>
        /// The sources with a record.
        package var sources: [Source.ID]

        package var isEmpty: Bool { entries.isEmpty && sources.isEmpty }
    }

    /// Returns the selected entries and sources that a snapshot contains.
    ///
    /// - Throws: `StorageError`.
    package func contents(of snapshot: any StorageSnapshot) async throws -> Contents {
        let known =
            if let prefix {
                try await snapshot.sources().map(\.id).filter { sources.contains($0) || $0.hasPrefix(prefix) }
            } else {
                try await snapshot.sources(Array(sources)).map(\.id)
            }
        var found = Contents(
            entries: Set(try await snapshot.revisions(of: entries).keys), sources: known)
        let all = sources.union(known)
        guard !all.isEmpty else { return found }
        for try await page in snapshot.headerPages(matching: EntryFilter(sources: all)) {
            found.entries.formUnion(page.headers.map(\.id))
        }
        return found
    }
}
