import ArgumentParser
import Foundation
import Roost

struct SimilarityQuality: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Spearman's rank correlation of cosines with people's scores on STS benchmark (dev), and the mean cosine with the exact vectors.")

    @OptionGroup var options: ModelOptions

    func run() async throws {
        let model = try options.open()
        let exact = try options.open("float32")
        let table = try String(
            contentsOf: Material.data.appendingPathComponent("similarity/stsbenchmark/pairs.tsv"), encoding: .utf8)
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
            Double(innerProduct(vectors.row(row), vectors.row(row + count)))
        }
        Material.line("pairs", Double(count), "")
        Material.line("Spearman", Self.correlation(Self.ranks(cosines), Self.ranks(scores)), "")
        if options.precision != "float32" {
            let same = texts.indices.map { (row: Int) -> Double in Double(innerProduct(vectors.row(row), exactVectors.row(row))) }
            Material.line("mean cosine with float32", same.reduce(0, +) / Double(same.count), "")
            Material.line("least cosine with float32", same.min() ?? 0, "")
        }
    }

    /// Ranks from 0, ties sharing their mean.
    static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Double](repeating: 0, count: values.count)
        var start = 0
        while start < order.count {
            var end = start
            while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
            for place in start..<end { ranks[order[place]] = Double(start + end - 1) / 2 }
            start = end
        }
        return ranks
    }

    static func correlation(_ a: [Double], _ b: [Double]) -> Double {
        let (meanA, meanB) = (a.reduce(0, +) / Double(a.count), b.reduce(0, +) / Double(b.count))
        let together = zip(a, b).reduce(0) { $0 + ($1.0 - meanA) * ($1.1 - meanB) }
        let (squareA, squareB) = (
            a.reduce(0) { $0 + ($1 - meanA) * ($1 - meanA) }, b.reduce(0) { $0 + ($1 - meanB) * ($1 - meanB) }
        )
        return together / (squareA * squareB).squareRoot()
    }
}
