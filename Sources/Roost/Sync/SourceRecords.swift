import Foundation
import RoostModel

/// The stored records of the sources that a sync compares.
struct SourceRecords {
    private var records: [Source.ID: Source] = [:]
    /// Whether the records have the ids of their entries.
    private let hasEntries: Bool
    private static let pageSize = 1000

    /// Reads records.
    ///
    /// - Parameters:
    ///   - ids: The ids of the sources.
    ///   - isEntire: Whether to read all records of files, which is faster than reading most of them by their
    ///     ids.
    init(of ids: [Source.ID], isEntire: Bool, in snapshot: any StorageSnapshot) async throws {
        hasEntries = !isEntire
        let found = isEntire ? try await snapshot.sources() : try await Self.read(ids, in: snapshot)
        for record in found where record.id.hasPrefix("file:") { records[record.id] = record }
    }

    subscript(id: Source.ID) -> Source? { records[id] }

    /// Returns the ids of the sources that belong to a folder and are in its scope.
    ///
    /// - Parameter found: The sources that the last sync found in the scope.
    func known(to tree: SyncTree, _ found: [Source.ID]) -> [Source.ID] {
        let tracked = found.filter { records[$0] != nil }
        guard tree.scope.isEntire else { return Array(Set(tracked)).sorted() }
        // The folder may have been replaced by a link since its files were ingested.
        let prefixes = Set([
            RecordReader.folderID(tree.folder.url),
            URL(fileURLWithPath: tree.folder.path, isDirectory: true).absoluteString,
        ])
        let foreign = tree.innerFolders.map { URL(fileURLWithPath: $0, isDirectory: true).absoluteString }
        return Set(tracked).union(
            records.keys.filter { id in
                prefixes.contains { id.hasPrefix($0) } && !foreign.contains { id.hasPrefix($0) }
            }
        ).sorted()
    }

    /// Returns those of the sources that have a record and no entries.
    func emptied(_ ids: [Source.ID], in snapshot: any StorageSnapshot) async throws -> Set<Source.ID> {
        let found = hasEntries ? ids.compactMap { records[$0] } : try await Self.read(ids, in: snapshot)
        return Set(found.filter(\.entryIDs.isEmpty).map(\.id))
    }

    /// Reads records with the ids of their entries.
    static func read(_ ids: [Source.ID], in snapshot: any StorageSnapshot) async throws -> [Source] {
        var found: [Source] = []
        for start in stride(from: 0, to: ids.count, by: pageSize) {
            try Task.checkCancellation()
            found += try await snapshot.sources(Array(ids[start..<min(ids.count, start + pageSize)]))
        }
        return found
    }
}
