import ArgumentParser
import Foundation
import Roost

struct Encode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure opening a model, tokens per second in batches, and the time for one text.")

    @OptionGroup var options: ModelOptions

    @Option(help: "The numbers of words of the texts in batches.")
    var words: [Int] = [12, 100]

    func run() async throws {
        let start = ContinuousClock.now
        let model = try options.open()
        _ = try await model.embed("how do swifts sleep", as: .query)
        Material.line("open and embed one text", (ContinuousClock.now - start) / .milliseconds(1), "ms")
        let source = try String(contentsOfFile: "/usr/share/common-licenses/GPL-3", encoding: .utf8)
        let material = source.split(whereSeparator: \.isWhitespace)
        var generator = SeededGenerator(seed: 0)
        for length in words {
            let texts = (0..<512).map { _ in
                let start = generator.nextIndex(below: material.count - length)
                return material[start..<start + length].joined(separator: " ")
            }
            var best = Double.infinity
            var tokens = 0
            for _ in 0..<4 {
                let time = try await Material.seconds {
                    tokens = try await model.embed(texts, as: .document).tokenCounts.reduce(0) { $0 + $1 + 2 }
                }
                best = min(best, time)
            }
            Material.line("\(length) words", Double(tokens) / best, "tokens/s")
        }
        for text in [
            "how do swifts sleep", "how do swifts sleep while flying over the sea",
            "how do swifts sleep while flying over the sea at night, and how do they know which half of the "
                + "brain rests",
        ] {
            let tokens = try await model.embed([text], as: .query).tokenCounts[0] + 2
            var times: [Double] = []
            for _ in 0..<300 {
                times.append(
                    try await Material.seconds { _ = try await model.embed(text, as: .query) } * 1000)
            }
            Material.line("one text of \(tokens) tokens, median", times.sorted()[times.count / 2], "ms")
        }
        print("peak memory \(Material.peakMegabytes) MB")
    }
}
