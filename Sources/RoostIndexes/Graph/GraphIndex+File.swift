public import Foundation
import RoostFiles
import RoostVectors

/// A graph in a file of its own (``SectionFile``), mapped where it lies.
extension GraphIndex {
    /// What the file says of the graph.
    private struct Metadata: Codable {
        var format = 1
        var count: Int
        var dimension: Int
        var degree: Int
        var scale: Float
        var seed: UInt64
        /// What the writer says of the vectors that it belongs to.
        var vectors: Data
    }

    private static let longestDegree = 255

    /// Writes the graph in place of another.
    ///
    /// - Parameter description: tells which vectors it belongs to; reading asks for the same.
    /// - Throws: `FileError`; the old file is untouched then.
    public func write(to url: URL, describing description: Data) throws {
        let metadata = Metadata(
            count: count, dimension: dimension, degree: graph.degree, scale: codes.scale, seed: codes.seed,
            vectors: description)
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
                    ("mean", mean), ("entries", UnsafeRawBufferPointer(graph.entries)),
                    ("degrees", bytes(graph.degrees, count)),
                    ("neighbors", bytes(graph.neighbors, count * graph.degree)),
                    ("codes", bytes(graph.codes, count * codes.stride)),
                ], pieced: ["neighbors", "codes"])
        }
    }

    /// Compares all of a mapped graph with its checksums.
    ///
    /// - Throws: ``SectionFile/Unusable``.
    public func verify() throws {
        guard let file = owner as? SectionFile else { return }
        for name in ["neighbors", "codes"] { try file.verify(name) }
    }

    /// Maps a graph. Its lists and codes are compared with their checksums where a search reads them.
    ///
    /// - Parameters:
    ///   - vectors: those that it was built over.
    ///   - description: what was said of them when it was written.
    /// - Returns: `nil` where it belongs to others.
    /// - Throws: ``SectionFile/Unusable`` where it is damaged; `FileError`.
    public init?(
        _ url: URL, of vectors: VectorRows, described description: Data, options: Options = Options()
    ) throws {
        let file = try SectionFile(url)
        func unusable(_ why: String) -> SectionFile.Unusable {
            SectionFile.Unusable(description: "\(url.path) \(why)")
        }
        guard let metadata = try? JSONDecoder().decode(Metadata.self, from: file.metadata),
            metadata.format == 1
        else { throw unusable("is of another version") }
        guard metadata.vectors == description, metadata.count == vectors.count,
            metadata.dimension == vectors.dimension
        else { return nil }
        let (count, degree) = (metadata.count, metadata.degree)
        guard count > 0, (1...Self.longestDegree).contains(degree), metadata.scale.isFinite,
            metadata.scale > 0
        else { throw unusable("is not as it was written") }
        for name in ["mean", "entries", "degrees"] { try file.verify(name) }
        let mapped = MappedGraph(
            codes: try file.pieces(of: "codes"), neighbors: try file.pieces(of: "neighbors"))
        if mapped.codes == nil { try file.verify("codes") }
        if mapped.neighbors == nil { try file.verify("neighbors") }
        let mean = try file.section("mean", of: Float.self, count: metadata.dimension)
        let codes = GraphCodes(
            dimension: metadata.dimension, mean: Array(mean), scale: metadata.scale, seed: metadata.seed)
        let entries = try file.section(
            "entries", of: UInt32.self, count: min(count, GraphBuilder.Options().entries))
        let degrees = try file.section("degrees", of: UInt8.self, count: count)
        let neighbors = try file.section("neighbors", of: UInt32.self, count: count * degree)
        let rows = try file.section("codes", of: UInt8.self, count: count * codes.stride)
        guard entries.allSatisfy({ $0 < UInt32(count) }), degrees.allSatisfy({ $0 <= degree }),
            let degreeBase = degrees.baseAddress,
            let neighborBase = neighbors.baseAddress, let rowBase = rows.baseAddress
        else { throw unusable("is not as it was written") }
        let graph = GraphView(
            codes: rowBase, neighbors: neighborBase, degrees: degreeBase, count: count,
            stride: codes.stride, degree: degree, entries: entries, mapped: mapped)
        self.init(vectors, codes, graph, owner: file, options)
    }
}
