package import Foundation
import RoostFiles

/// A graph in a separate, mapped file (`SectionFile`).
extension GraphIndex {
    private struct Metadata: Codable {
        var format: Int
        var count: Int
        var dimension: Int
        var degree: Int
        var scale: Float
        var seed: UInt64
        /// A description, chosen by the writer, of the vectors that the graph belongs to.
        var vectors: Data
    }

    private static let format = 1

    /// Writes the graph to a file, which is replaced atomically if it exists.
    ///
    /// - Parameter description: Identifies the vectors that the graph belongs to. The reader must pass the
    ///   same description.
    /// - Throws: `FileError`. In that case, an existing file is unchanged.
    package func write(to url: URL, describing description: Data) throws {
        let metadata = Metadata(
            format: Self.format, count: count, dimension: dimension, degree: graph.degree,
            scale: codes.scale, seed: codes.seed, vectors: description)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let data = try encoder.encode(metadata)
        func bytes<Element>(_ start: UnsafePointer<Element>, _ count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(UnsafeBufferPointer(start: start, count: count))
        }
        try codes.mean.withUnsafeBytes { mean in
            try SectionFile.write(
                to: url, metadata: data,
                sections: [
                    ("mean", mean), ("entries", UnsafeRawBufferPointer(graph.entryPoints)),
                    ("degrees", bytes(graph.degrees, count)),
                    ("neighbors", bytes(graph.neighbors, count * graph.degree)),
                    ("codes", bytes(graph.codes, count * codes.stride)),
                ])
        }
    }

    /// Verifies all checksums of a mapped graph, and that its lists name existing rows. Does nothing for a graph in
    /// memory.
    package func verify() throws {
        guard let file = owner as? SectionFile else { return }
        for name in ["neighbors", "codes"] { try file.verify(name) }
        guard (0..<count).allSatisfy({ graph.mapped?.isListIntact($0, in: graph) ?? true }) else {
            throw file.checksumMismatch
        }
    }

    /// Maps a graph file. The checksums of neighbor lists and codes are not verified here, but by the
    /// searches that read them.
    ///
    /// - Parameters:
    ///   - url: The path of the file.
    ///   - vectors: The vectors that the graph was built over.
    ///   - description: The description that the graph was written with.
    ///   - options: The parameters of searches.
    /// - Returns: `nil` if the graph was built over different vectors.
    /// - Throws: `SectionFile/Unusable` if the file is damaged; `FileError`.
    package init?(
        _ url: URL, of vectors: VectorRows, described description: Data, options: Options = Options()
    ) throws {
        let file = try SectionFile(url)
        func unusable(_ reason: String) -> SectionFile.Unusable {
            SectionFile.Unusable(description: "graph file \(url.path) \(reason)")
        }
        guard let metadata = try? JSONDecoder().decode(Metadata.self, from: file.metadata) else {
            throw unusable("has unreadable metadata")
        }
        guard metadata.format == Self.format else {
            throw unusable("has the unsupported format \(metadata.format)")
        }
        guard metadata.vectors == description, metadata.count == vectors.count,
            metadata.dimension == vectors.dimension
        else { return nil }
        let (count, degree) = (metadata.count, metadata.degree)
        guard count > 0, (1...Options.maximumDegreeLimit).contains(degree), metadata.scale.isFinite,
            metadata.scale > 0
        else { throw unusable("has metadata out of range") }
        for name in ["mean", "entries", "degrees"] { try file.verify(name) }
        let mapped = MappedGraph(
            codes: try file.pages(of: "codes"), neighbors: try file.pages(of: "neighbors"))
        let mean = try file.section("mean", of: Float.self, count: metadata.dimension)
        let codes = GraphCodes(
            dimension: metadata.dimension, mean: Array(mean), scale: metadata.scale, seed: metadata.seed)
        let entryPoints = try file.section(
            "entries", of: UInt32.self, count: min(count, GraphBuilder.entryPoints))
        let degrees = try file.section("degrees", of: UInt8.self, count: count)
        let neighbors = try file.section("neighbors", of: UInt32.self, count: count * degree)
        let rows = try file.section("codes", of: UInt8.self, count: count * codes.stride)
        guard entryPoints.allSatisfy({ $0 < UInt32(count) }), degrees.allSatisfy({ $0 <= degree }),
            let degreeBase = degrees.baseAddress,
            let neighborBase = neighbors.baseAddress, let rowBase = rows.baseAddress
        else { throw unusable("has row numbers or degrees out of range") }
        let graph = GraphView(
            codes: rowBase, neighbors: neighborBase, degrees: degreeBase, count: count,
            stride: codes.stride, degree: degree, entryPoints: entryPoints, mapped: mapped)
        self.init(vectors, codes, graph, owner: file, options)
    }
}

/// The page checksums of a mapped graph.
struct MappedGraph {
    let codes: CheckedPages
    let neighbors: CheckedPages

    /// Returns whether the checksums of a row's neighbor list match and all row numbers in the list are
    /// valid.
    func isListIntact(_ row: Int, in graph: GraphView) -> Bool {
        let (list, size) = (row * graph.degree, MemoryLayout<UInt32>.stride)
        let bytes = list * size..<(list + graph.degree) * size
        guard neighbors.areIntact(bytes) else { return false }
        return (0..<Int(graph.degrees[row])).allSatisfy { graph.neighbors[list + $0] < UInt32(graph.count) }
    }

    /// Returns whether the checksums match for the codes of the given rows.
    func areCodesIntact(_ rows: UnsafePointer<UInt32>, _ count: Int, in graph: GraphView) -> Bool {
        (0..<count).allSatisfy {
            let start = Int(rows[$0]) * graph.stride
            return codes.areIntact(start..<start + graph.stride)
        }
    }
}
