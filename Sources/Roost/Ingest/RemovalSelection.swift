package import RoostModel

/// The entries and sources that a removal concerns.
package struct RemovalSelection: Sendable {
    /// Single entries.
    package var entries: [Entry.ID]
    /// Sources, which are removed with all their entries.
    package var sources: Set<Source.ID>
    /// The files, folders and ids that name further sources, as in a filter (``SourceSelection``).
    package var names: [String]

    package init(entries: [Entry.ID] = [], sources: Set<Source.ID> = [], names: [String] = []) {
        (self.entries, self.sources, self.names) = (entries, sources, names)
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
        var all = sources
        if !names.isEmpty { all.formUnion(try await SourceSelection.sources(named: names, in: snapshot)) }
        let known = try await snapshot.sources(Array(all)).map(\.id)
        var found = Contents(
            entries: Set(try await snapshot.revisions(of: entries).keys), sources: known)
        guard !all.isEmpty else { return found }
        for try await page in snapshot.headerPages(matching: EntryFilter(sources: all)) {
            found.entries.formUnion(page.headers.map(\.id))
        }
        return found
    }
}
