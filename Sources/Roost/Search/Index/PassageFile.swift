import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// The index files for vectors: `index/passages` with the vectors of all passages, and `index/graph` with the
/// graph over them.
struct PassageFile: Sendable {
    static let name = "passages"
    static let graphName = "graph"

    let metadata: IndexMetadata
    let vectors: VectorRows
    let rows: IndexRows
    let size: Int
    private let folder: IndexFolder

    /// Opens the file of a store. The checksums of the vectors are not verified here, but by the searches
    /// that read them.
    ///
    /// - Returns: `nil` if the file does not exist or was built from another history of the store.
    init?(in directory: URL, for stamp: Stamp) throws {
        folder = IndexFolder(of: directory)
        guard let opened = try folder.open(Self.name, for: stamp) else { return nil }
        metadata = opened.metadata
        guard let dimension = metadata.dimension else {
            throw SectionFile.Unusable(
                description: "index file \(folder.file(Self.name).path) does not state its dimension")
        }
        size = opened.file.size
        rows = try IndexRows(opened.file, count: metadata.count)
        vectors = try VectorRows(
            opened.file, section: "vectors", count: metadata.count, dimension: dimension)
    }

    /// The description that identifies a graph over exactly these vectors.
    private var description: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(metadata)) ?? Data()
    }

    /// Opens the graph over the vectors.
    ///
    /// - Returns: `nil` if there is no graph over these vectors.
    func graph() throws -> GraphIndex? {
        let url = folder.file(Self.graphName)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try GraphIndex(url, of: vectors, described: description)
    }

    /// Builds the graph over the vectors and writes it, unless the file of the vectors has been replaced in
    /// the meantime. The graph would then belong to no vectors, and could replace one that does.
    func buildGraph() async throws {
        let index = try await GraphIndex(building: vectors)
        try await folder.publish(Self.graphName, derivedFrom: Self.name, metadata) { [description] url in
            try index.write(to: url, describing: description)
        }
    }

    /// The vectors of a snapshot and the passages that their rows represent, in the form that is written to
    /// the file. The vectors, which can be larger than memory, are in a temporary file.
    private struct Columns: Sendable {
        var entryRows: [UInt32] = []
        var ids: [uuid_t] = []
        var ordinals: [UInt32] = []
        let vectors: SectionSpool
        var dimension = 0
        var incomparable = 0

        init(of snapshot: any StorageSnapshot, in directory: URL) async throws {
            var spool = try StorageError.mappingFileErrors { try SectionSpool(in: directory) }
            for try await var page in snapshot.vectorPages(of: .passages) {
                incomparable += page.removeIncomparable()
                entryRows += page.rows.map(\.littleEndian)
                ids += page.ids.map(\.uuid)
                ordinals += page.ordinals.map(\.littleEndian)
                try StorageError.mappingFileErrors {
                    try page.vectors.elements.withUnsafeBytes { try spool.append($0) }
                }
                if page.vectors.rows > 0 { dimension = page.vectors.columns }
            }
            vectors = spool
        }

        func pairStatistics() throws -> PairStatistics {
            var sample = PassageSample<Int>()
            for row in ids.indices {
                sample.add(UUID(uuid: ids[row]), Int(UInt32(littleEndian: ordinals[row])), row)
            }
            let size = dimension * MemoryLayout<Float>.stride
            return PairStatistics(
                of: try sample.finish().map {
                    let bytes = try vectors.read(at: $0.row * size, count: size)
                    let vector = [Float](unsafeUninitializedCapacity: dimension) { buffer, count in
                        bytes.copyBytes(to: UnsafeMutableRawBufferPointer(buffer))
                        count = bytes.count / MemoryLayout<Float>.stride
                    }
                    return PairStatistics.SampledPassage(entry: $0.entry, vector: vector)
                })
        }

        func write(to url: URL, metadata: Data) throws {
            try entryRows.withUnsafeBytes { entryRows in
                try ids.withUnsafeBytes { ids in
                    try ordinals.withUnsafeBytes { ordinals in
                        try SectionFile.write(
                            to: url, metadata: metadata,
                            contents: [
                                ("entryRows", .bytes(entryRows)), ("ids", .bytes(ids)),
                                ("ordinals", .bytes(ordinals)), ("vectors", .spooled(vectors)),
                            ], paged: ["vectors"])
                    }
                }
            }
        }
    }

    /// Writes the vectors of a snapshot. Removes the file if the snapshot has no vectors.
    @concurrent
    static func write(_ snapshot: any StorageSnapshot, in directory: URL) async throws -> IndexMetadata? {
        let columns = try await Columns(of: snapshot, in: directory)
        let folder = IndexFolder(of: directory)
        guard !columns.ids.isEmpty else {
            try await folder.remove(name, unlessNewerThan: snapshot.stamp)
            return nil
        }
        var metadata = IndexMetadata(
            of: snapshot.stamp, count: columns.ids.count, dimension: columns.dimension)
        metadata.pairs = try StorageError.mappingFileErrors { try columns.pairStatistics() }
        metadata.incomparable = columns.incomparable > 0 ? columns.incomparable : nil
        try await folder.publish(name, metadata) { url, description in
            try columns.write(to: url, metadata: description)
        }
        return metadata
    }
}
