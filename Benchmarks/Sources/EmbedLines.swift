import ArgumentParser
import Foundation
import Roost

struct EmbedLines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Embed the lines of a file and write the vectors to NPY files of Float16.")

    @OptionGroup var options: ModelOptions
    @Option(help: "A file with one text per line.") var lines: String
    @Option(help: "The folder to which base.npy and queries.npy are written.") var out: String
    @Option(help: "The number of lines, evenly spaced, that become queries instead of part of the base.")
    var queries = 1000

    func run() async throws {
        let model = try options.open()
        let texts = try String(contentsOfFile: lines, encoding: .utf8).split(separator: "\n").map(String.init)
        let step = queries > 0 ? max(1, texts.count / queries) : Int.max
        var (base, queryVectors): ([Float16], [Float16]) = ([], [])
        let time = try await Material.seconds {
            for start in stride(from: 0, to: texts.count, by: 4096) {
                let batch = start..<min(texts.count, start + 4096)
                let vectors = try await model.embed(Array(texts[batch]), as: .document).vectors
                for line in batch {
                    let row = vectors.row(line - start).map { Float16($0) }
                    if line % step == step / 2 { queryVectors += row } else { base += row }
                }
            }
        }
        Material.line("\(texts.count) texts", Double(texts.count) / time, "passages/s")
        for (name, numbers) in [("base", base), ("queries", queryVectors)] {
            try NumPy.data(numbers, columns: model.space.dimension)
                .write(to: URL(fileURLWithPath: out).appendingPathComponent("\(name).npy"))
        }
    }
}
