import ArgumentParser
import Foundation
import Roost

struct SimilarityQuality: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure the rank correlation of cosines with human scores on the STS benchmark (dev).",
        discussion: "With --precision int8, also measures the cosine with the vectors of float32.")

    @OptionGroup var options: ModelOptions

    func run() async throws {
        let model = try options.open()
        let exact = try options.open("float32")
        let table = try String(
            contentsOf: Material.data.appendingPathComponent("similarity/stsbenchmark/pairs.tsv"),
            encoding: .utf8)
        var (left, right, scores): ([String], [String], [Double]) = ([], [], [])
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 5, fields[0] == "dev", let score = Double(fields[2]) else { continue }
            scores.append(score)
            left.append(String(fields[3]))
            right.append(String(fields[4]))
        }
        let (texts, count) = (left + right, scores.count)
        let vectors = try await model.embed(texts, as: .document).vectors
        let exactVectors = try await exact.embed(texts, as: .document).vectors
        let cosines = (0..<count).map { (row: Int) -> Double in
            Self.innerProduct(vectors.row(row), vectors.row(row + count))
        }
        Material.line("pairs", Double(count), "")
        Material.line("Spearman", Self.correlation(Self.ranks(cosines), Self.ranks(scores)), "")
        if options.precision != "float32" {
            let cosines = texts.indices.map { Self.innerProduct(vectors.row($0), exactVectors.row($0)) }
            Material.line("mean cosine with float32", cosines.reduce(0, +) / Double(cosines.count), "")
            Material.line("minimum cosine with float32", cosines.min() ?? 0, "")
        }
    }

    private static func innerProduct(_ a: [Float], _ b: [Float]) -> Double {
        zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) }
    }

    /// Returns the rank of each value, counted from 0. Equal values get the mean of their ranks.
    static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Double](repeating: 0, count: values.count)
        var start = 0
        while start < order.count {
            var end = start
            while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
            for index in start..<end { ranks[order[index]] = Double(start + end - 1) / 2 }
            start = end
        }
        return ranks
    }

    /// Returns the Pearson correlation coefficient.
    static func correlation(_ a: [Double], _ b: [Double]) -> Double {
        let (meanA, meanB) = (a.reduce(0, +) / Double(a.count), b.reduce(0, +) / Double(b.count))
        let covariance = zip(a, b).reduce(0) { $0 + ($1.0 - meanA) * ($1.1 - meanB) }
        let (squareA, squareB) = (
            a.reduce(0) { $0 + ($1 - meanA) * ($1 - meanA) }, b.reduce(0) { $0 + ($1 - meanB) * ($1 - meanB) }
        )
        return covariance / (squareA * squareB).squareRoot()
    }
}
