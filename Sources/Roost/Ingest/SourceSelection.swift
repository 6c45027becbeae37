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
        var found = Set<String>()
        for text in texts {
            found.insert(text)
            guard !text.contains("://") else { continue }
            let path = (text as NSString).expandingTildeInPath
            found.insert(RecordReader.sourceID(URL(fileURLWithPath: path)))
        }
        let folders = found.filter { $0.contains("://") }.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        for source in try await snapshot.sources() where folders.contains(where: source.id.hasPrefix) {
            found.insert(source.id)
        }
        return found
    }
}
