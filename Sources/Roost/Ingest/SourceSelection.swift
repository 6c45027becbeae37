import Foundation
package import RoostModel

package enum SourceSelection {
    /// Returns the ids of the sources that texts name: a file, a folder with all sources in it, or an id. A
    /// web address, too, names all sources below it.
    ///
    /// A text that names no source of the store remains in the result, so that a filter with it matches
    /// nothing.
    package static func sources(
        named texts: [String], in snapshot: any StorageSnapshot
    ) async throws -> Set<String> {
        var found = texts.reduce(into: Set<String>()) { $0.formUnion(ids(of: $1)) }
        let folders = found.filter { $0.contains("://") }.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        for source in try await snapshot.sources() where folders.contains(where: source.id.hasPrefix) {
            found.insert(source.id)
        }
        return found
    }

    /// Returns the ids of sources that a text can stand for: the text itself, and the id that its path or web
    /// address has.
    package static func ids(of text: String) -> Set<String> {
        if WebSource.isAddress(text) { return [text, WebSource.id(text)] }
        guard !text.contains("://") else { return [text] }
        let path = (text as NSString).expandingTildeInPath
        return [text, RecordReader.sourceID(URL(fileURLWithPath: path))]
    }
}

package struct RemovalSelection: Sendable {
    package var entries: [Entry.ID]
    /// Sources, which are removed with all their entries.
    package var sources: Set<Source.ID>
    /// The files, folders and ids that name further sources, as in a filter (``SourceSelection``).
    package var names: [String]

    package init(entries: [Entry.ID] = [], sources: Set<Source.ID> = [], names: [String] = []) {
        (self.entries, self.sources, self.names) = (entries, sources, names)
    }

    package struct Contents: Sendable {
        /// Each entry once. An undo restores the entries in this order.
        package var entries: [Entry.ID]
        /// The sources with a record.
        package var sources: [Source.ID]

        package var isEmpty: Bool { entries.isEmpty && sources.isEmpty }
    }

    package func contents(of snapshot: any StorageSnapshot) async throws -> Contents {
        var all = sources
        if !names.isEmpty { all.formUnion(try await SourceSelection.sources(named: names, in: snapshot)) }
        let known = try await snapshot.sources(Array(all)).map(\.id)
        let existing = try await snapshot.revisions(of: entries)
        let ofSources = all.isEmpty ? [] : try await snapshot.ids(matching: EntryFilter(sources: all))
        var seen = Set<Entry.ID>()
        let found = (entries.filter { existing[$0] != nil } + ofSources).filter { seen.insert($0).inserted }
        return Contents(entries: found, sources: known)
    }
}
