import Foundation
import RoostFiles
import RoostIndexes
import RoostModel
import RoostVectors

/// The vectors of all passages in a file of their own, `index/passages`, and the graph over them,
/// `index/graph`.
struct PassageFile: Sendable {
    static let name = "passages"
    static let graphName = "graph"

    let metadata: IndexMetadata
    let vectors: VectorRows
    let rows: IndexRows
    let size: Int
    private let folder: IndexFolder

    /// Opens the file of a store.
    ///
    /// The vectors are compared with their checksums where a search reads them.
    ///
    /// - Parameter stamp: the state that the store is in now.
    /// - Returns: `nil` where there is none, or it is of another history of the store.
    /// - Throws: ``SectionFile/Unusable`` where it is damaged.
    init?(in directory: URL, for stamp: Stamp) throws {
        folder = IndexFolder(of: directory)
        guard let (file, metadata) = try folder.open(Self.name, for: stamp) else { return nil }
        guard let dimension = metadata.dimension else {
            throw SectionFile.Unusable(description: "\(folder.file(Self.name).path) is of another version")
        }
        self.metadata = metadata
        size = file.size
        rows = try IndexRows(file, count: metadata.count)
        vectors = try VectorRows(file, section: "vectors", count: metadata.count, dimension: dimension)
    }

    /// What the graph of these vectors, and of no others, is written with.
    private var description: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(metadata)) ?? Data()
    }

    /// The graph over the vectors; `nil` where there is none of them.
    ///
    /// - Throws: ``SectionFile/Unusable`` where it is damaged.
    func graph() throws -> GraphIndex? {
        let url = folder.file(Self.graphName)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try GraphIndex(url, of: vectors, described: description)
    }

    /// Builds the graph over the vectors and writes it.
    ///
    /// - Throws: ``StorageError``; `CancellationError`.
    func buildGraph() async throws {
        let index = try await GraphIndex(building: vectors)
        do {
            try index.write(to: folder.file(Self.graphName), describing: description)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    /// Writes the file anew, of a snapshot.
    ///
    /// - Returns: what it says of itself; `nil` where the store has no vectors, and the file is removed.
    /// - Throws: ``StorageError``; the file of before is untouched then.
    @concurrent
    static func write(_ snapshot: any StorageSnapshot, in directory: URL) async throws -> IndexMetadata? {
        var (entryRows, ids, ordinals) = ([UInt32](), [uuid_t](), [UInt32]())
        var elements: [Float] = []
        var (dimension, incomparable) = (0, 0)
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            var page = try await snapshot.vectors(of: .passages, after: row, limit: 4096)
            incomparable += page.removeIncomparable()
            entryRows += page.rows.map(\.littleEndian)
            ids += page.ids.map(\.uuid)
            ordinals += page.ordinals.map(\.littleEndian)
            elements += page.vectors.elements
            if page.vectors.rows > 0 { dimension = page.vectors.columns }
            row = page.next
        } while row != nil
        let folder = IndexFolder(of: directory)
        guard !ids.isEmpty else {
            try await folder.remove(Self.name, isNotNewerThan: snapshot.stamp)
            return nil
        }
        var described = IndexMetadata(of: snapshot.stamp, count: ids.count, dimension: dimension)
        described.incomparable = incomparable > 0 ? incomparable : nil
        let metadata = described
        let (allRows, allIDs, allOrdinals, numbers) = (entryRows, ids, ordinals, elements)
        try await folder.publish(Self.name, metadata) { url, description in
            try allRows.withUnsafeBytes { rows in
                try allIDs.withUnsafeBytes { ids in
                    try allOrdinals.withUnsafeBytes { ordinals in
                        try numbers.withUnsafeBytes { vectors in
                            try SectionFile.write(
                                to: url, metadata: description,
                                sections: [
                                    ("entryRows", rows), ("ids", ids), ("ordinals", ordinals),
                                    ("vectors", vectors),
                                ], pieced: ["vectors"])
                        }
                    }
                }
            }
        }
        return metadata
    }
}
