import Foundation
import RoostFiles
import RoostVectors

/// The vectors of passages, and the index that finds those nearest to a query.
///
/// Only this type knows the kind of index: a graph, if one was built over the vectors of a file, and otherwise
/// the comparison of all vectors. An index of another kind must return exact scores for the rows that it finds
/// (``HitResolver`` compares them with the storage), and report damage as `SectionFile.Unusable`.
struct PassageVectors: Sendable {
    private static let indexName = "graph"

    private let vectors: VectorRows
    private let exact: FlatIndex
    /// The approximate index over the same rows; `nil` if none was built.
    private let graph: GraphIndex?

    private init(_ vectors: VectorRows, _ graph: GraphIndex?) {
        (self.vectors, self.graph) = (vectors, graph)
        exact = FlatIndex(vectors)
    }

    init(_ vectors: Matrix) { self.init(VectorRows(vectors), nil) }

    /// Opens the vectors of a file, and the index if it was built over exactly these vectors.
    init(of file: PassageFile) throws {
        let url = file.folder.file(Self.indexName)
        let exists = FileManager.default.fileExists(atPath: url.path)
        self.init(
            file.vectors,
            exists ? try GraphIndex(url, of: file.vectors, described: try file.metadata.encoded()) : nil)
    }

    /// Builds the index and writes it, unless the file of the vectors has been replaced in the meantime. The
    /// index would then belong to no vectors, and could replace one that does.
    ///
    /// - Parameter earlier: The file before the change. If its index is intact, only changed rows are inserted.
    static func buildIndex(of file: PassageFile, from earlier: PassageFile?) async throws {
        let updated = try await updatedGraph(of: file, from: earlier)
        let graph = if let updated { updated } else { try await GraphIndex(building: file.vectors) }
        let metadata = file.metadata
        try await file.folder.change { folder in
            guard folder.metadata(of: PassageFile.name) == metadata else { return }
            try graph.write(to: folder.file(indexName), describing: try metadata.encoded())
        }
    }

    /// Returns the graph of an earlier file with the changes since; `nil` if it is missing or damaged.
    private static func updatedGraph(
        of file: PassageFile, from earlier: PassageFile?
    ) async throws -> GraphIndex? {
        guard let earlier, earlier.vectors.dimension == file.vectors.dimension,
            let graph = try? PassageVectors(of: earlier).graph
        else { return nil }
        do {
            return try await GraphIndex(
                updating: graph, to: file.vectors, origins: try file.origins(in: earlier))
        } catch is SectionFile.Unusable { return nil }
    }

    /// Removes the index if it was built over other vectors than those of the given state or a newer one.
    static func removeIndex(in folder: IndexFolder, unlessNewerThan state: IndexMetadata) async throws {
        try await folder.remove(indexName, judgedBy: PassageFile.name, unlessNewerThan: state)
    }

    var dimension: Int { vectors.dimension }

    /// The size of the approximate index in bytes; `nil` if all vectors are compared.
    var indexSize: Int? { graph.map { $0.count * $0.bytesPerVector } }

    /// Verifies all checksums.
    func verify() throws {
        try vectors.verify()
        try graph?.verify()
    }

    /// Returns the `k` nearest rows for each query, as `VectorIndex/search(_:k:among:)` does.
    func search(
        _ queries: Matrix, k: Int, among allowed: RowSet?, isExact: Bool
    ) async throws -> [[Neighbor]] {
        guard let graph, !isExact else { return try await exact.search(queries, k: k, among: allowed) }
        return try await graph.search(queries, k: k, among: allowed)
    }

    func row(_ row: Int) -> [Float] { vectors.withRow(row) { Array($0) } }

    /// Returns a row whose checksums match.
    func verifiedRow(_ row: Int) throws -> [Float] { try vectors.withVerifiedRow(row) { Array($0) } }
}
