import ArgumentParser
import Foundation
import Roost

struct Neighbors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Approximate search: build seconds, recall@10 and queries a second, one query a call on one thread.")

    @Option(help: "Vectors to be found, as NPY of Float16 or Float32.")
    var base: String

    @Option(help: "Vectors to look for, likewise.")
    var queries: String

    @Option(help: "The most neighbours of a row.")
    var degree = 32

    @Option(help: "Candidates that are looked at when a row is linked.")
    var buildWidth = 64

    @Option(help: "Candidates that a search keeps.")
    var widths: [Int] = [16, 24, 32, 48, 64, 96, 128, 192, 256]

    func run() async throws {
        var base = try NumPy.matrix(self.base), queries = try NumPy.matrix(self.queries)
        base.normalizeRows()
        queries.normalizeRows()
        let exact = FlatIndex(base)
        var truth: [[Neighbor]] = []
        let flat = try await Material.seconds { truth = try await exact.search(queries, k: 10, among: nil) }
        Material.line("exact, all queries at once", Double(queries.rows) / flat, "queries/s")
        var options = GraphIndex.Options()
        options.degree = degree
        options.buildWidth = buildWidth
        var index: GraphIndex?
        let made = try await Material.seconds { index = try await GraphIndex(building: base, options: options) }
        guard var index else { return }
        Material.line("graph of \(base.rows) × \(base.columns), built", made, "s")
        Material.line("bytes a vector without the exact ones", Double(index.bytesPerVector), "B")
        for width in widths {
            index.options.searchWidth = width
            var found: [[Neighbor]] = []
            var best = Double.infinity
            for _ in 0..<3 {
                found = []
                best = min(best, try await Material.seconds {
                    for row in 0..<queries.rows {
                        found += try await index.search(queries.selecting([row]), k: 10, among: nil)
                    }
                })
            }
            let hits = zip(found, truth).reduce(0) { $0 + Set($1.0.map(\.row)).intersection($1.1.map(\.row)).count }
            print(String(format: "width %4d  recall@10 %.4f  %9.0f queries/s", width,
                Double(hits) / Double(10 * queries.rows), Double(queries.rows) / best))
        }
        print("peak memory \(Material.peakMegabytes) MB")
    }
}

/// Arrays as NumPy writes them (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
enum NumPy {
    static func matrix(_ path: String) throws -> Matrix {
        let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        let length = Int(data[8]) + Int(data[9]) << 8
        let header = String(decoding: data[10..<10 + length], as: UTF8.self)
        guard let shape = header.firstMatch(of: /\((\d+), (\d+)\)/), let rows = Int(shape.1), let columns = Int(shape.2)
        else { throw ValidationError("\(path) is no matrix") }
        let isHalf = header.contains("<f2")
        let elements = data.withUnsafeBytes { bytes in
            (0..<rows * columns).map { index in
                isHalf
                    ? Float(bytes.loadUnaligned(fromByteOffset: 10 + length + 2 * index, as: Float16.self))
                    : bytes.loadUnaligned(fromByteOffset: 10 + length + 4 * index, as: Float.self)
            }
        }
        return Matrix(rows: rows, columns: columns, elements: elements)
    }
}
