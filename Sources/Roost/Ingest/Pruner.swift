package import Foundation
package import RoostModel

/// Finds sources whose files no longer exist, among the sources below the given files and folders.
package struct Pruner {
    /// The ids of the files and folders, each with a trailing slash.
    private let prefixes: [String]

    /// Creates a pruner for the sources at or below the given locations.
    ///
    /// - Parameter locations: Files and folders, which need not exist.
    package init(_ locations: [URL]) {
        prefixes = locations.map { RecordReader.folderID($0) }
    }

    /// Returns the vanished sources.
    ///
    /// - Parameter present: Files that are known to exist, so they are not looked up.
    package func vanished(
        in snapshot: any StorageSnapshot, keeping present: [URL] = []
    ) async throws -> VanishedSources {
        let present = Set(present.map(RecordReader.sourceID))
        let sources = try await snapshot.sources().map(\.id).filter { id in
            prefixes.contains { id.hasPrefix($0) || id + "/" == $0 } && !present.contains(id)
                && FolderScan.isMissing(source: id)
        }
        guard !sources.isEmpty else { return VanishedSources() }
        return VanishedSources(
            sources: sources, entries: try await snapshot.sources(sources).flatMap(\.entryIDs))
    }
}

/// Sources whose files no longer exist, and their entries.
package struct VanishedSources: Sendable, Hashable {
    /// The ids of the sources.
    package var sources: [Source.ID] = []
    /// The ids of the sources' entries.
    package var entries: [Entry.ID] = []
}
