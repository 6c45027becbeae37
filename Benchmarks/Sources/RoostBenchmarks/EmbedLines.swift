import ArgumentParser
import Foundation
import Roost

struct EmbedLines: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The vectors of a file's lines, as NPY of Float16, and every so many of them in a file of queries.")

    @OptionGroup var options: ModelOptions
    @Option(help: "A text a line.") var lines: String
    @Option(help: "A folder, which gets base.npy and queries.npy.") var out: String
    @Option(help: "So many lines are taken as queries, evenly, and are not in the base.") var queries = 1000

    func run() async throws {
        let model = try options.open()
        let texts = try String(contentsOfFile: lines, encoding: .utf8).split(separator: "\n").map(String.init)
        let step = queries > 0 ? max(1, texts.count / queries) : Int.max
        var (base, asked): ([Float16], [Float16]) = ([], [])
        let time = try await Material.seconds {
            for start in stride(from: 0, to: texts.count, by: 4096) {
                let part = start..<min(texts.count, start + 4096)
                let vectors = try await model.embed(Array(texts[part]), as: .document).vectors
                for line in part {
                    let row = vectors.row(line - start).map { Float16($0) }
                    if line % step == step / 2 { asked += row } else { base += row }
                }
            }
        }
        Material.line("\(texts.count) passages", Double(texts.count) / time, "a second")
        for (name, numbers) in [("base", base), ("queries", asked)] {
            try NumPy.data(numbers, columns: model.space.dimension)
                .write(to: URL(fileURLWithPath: out).appendingPathComponent("\(name).npy"))
        }
    }
}

extension NumPy {
    static func data(_ numbers: [Float16], columns: Int) -> Data {
        var header = "{'descr': '<f2', 'fortran_order': False, 'shape': (\(numbers.count / columns), \(columns)), }"
        header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
        var data = Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0, UInt8(header.utf8.count & 255), UInt8(header.utf8.count >> 8)])
        data += Data(header.utf8)
        numbers.withUnsafeBytes { data += Data($0) }
        return data
    }
}
