import Foundation
import RoostModel

/// The sources that a user or an agent names in a filter.
package enum SourceSelection {
    /// Returns the ids of the sources that texts name: a file, a folder with all sources in it, or an id. A
    /// web address, too, names all sources below it.
    ///
    /// A text that names no source of the store remains in the result, so that a filter with it matches
    /// nothing.
    ///
    /// - Complexity: O(number of sources).
    /// - Throws: `StorageError`; `CancellationError`.
    package static func sources(
        named texts: [String], in snapshot: any StorageSnapshot
    ) async throws -> Set<String> {
        var found = texts.reduce(into: Set<String>()) { $0.formUnion(ids(of: $1)) }
        let folders = folders(found)
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

    /// Returns the beginnings of the ids of all sources in folders, or below web addresses, with given ids.
    private static func folders(_ ids: Set<String>) -> [String] {
        ids.filter { $0.contains("://") }.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }
}
