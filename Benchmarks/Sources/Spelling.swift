import ArgumentParser
import Foundation
import Roost

struct Spelling: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure how often one error in a frequent word is corrected, and how long that takes.",
        discussion: """
            Takes the most frequent words of the texts that are not stop words, and makes one random error in \
            each: a letter removed, added or replaced, or two letters transposed. Prints the number of words \
            that are corrected to the word itself. An error that yields another word of the texts is not \
            repeated, so it counts as a failure.
            """)

    @Option(help: "A folder with Markdown files, or a set of the retrieval data.")
    var texts = "ingest/til-vault"
    @Option(help: "The number of words.") var count = 200
    @Option(help: "The minimum number of letters of a word.") var minimumLength = 5
    @Option(help: "The number of rounds with different errors.") var rounds = 5
    @Flag(help: "Print the words that are not corrected.") var verbose = false

    func run() throws {
        let texts = try read()
        let index = WordIndex(texts)
        let words = frequentWords(of: texts)
        Material.line("\(texts.count) texts, different words", Double(index.formCount), "")
        for round in 1...rounds {
            var generator = SeededGenerator(seed: UInt64(round))
            var (right, wrong, times) = (0, [String](), [Double]())
            for word in words {
                let typed = misspelled(word, &generator)
                let start = ContinuousClock.now
                let corrected = try index.corrected(TextQuery(typed)).first?.corrected
                times.append((ContinuousClock.now - start) / .milliseconds(1))
                if corrected == word {
                    right += 1
                } else {
                    wrong.append("\(word) \(typed) \(corrected ?? "-")")
                }
            }
            times.sort()
            Material.line("round \(round): corrected of \(words.count)", Double(right), "")
            Material.line("round \(round): 95th percentile", times[times.count * 95 / 100], "ms")
            if verbose { for line in wrong { print("    \(line)") } }
        }
    }

    private func read() throws -> [String] {
        let folder = Material.data.appendingPathComponent(texts)
        guard let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            return try Material.rows("retrieval/\(texts)/corpus.jsonl").map(\.text)
        }
        let found = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "md" }
        guard !found.isEmpty else { return try Material.rows("retrieval/\(texts)/corpus.jsonl").map(\.text) }
        return try found.sorted { $0.path < $1.path }.map { try String(contentsOf: $0, encoding: .utf8) }
    }

    private func frequentWords(of texts: [String]) -> [String] {
        var frequencies: [String: Int] = [:]
        for text in texts {
            for word in Set(significantWords(of: text))
            where word.utf8.count >= minimumLength && word.utf8.allSatisfy({ (97...122).contains($0) }) {
                frequencies[word, default: 0] += 1
            }
        }
        return frequencies.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(count).map(\.key)
    }

    private func misspelled(_ word: String, _ generator: inout SeededGenerator) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        while true {
            var typed = Array(word)
            switch generator.nextIndex(below: 4) {
            case 0: typed.remove(at: generator.nextIndex(below: typed.count))
            case 1:
                typed.insert(
                    letters[generator.nextIndex(below: 26)], at: generator.nextIndex(below: typed.count + 1))
            case 2: typed[generator.nextIndex(below: typed.count)] = letters[generator.nextIndex(below: 26)]
            default:
                let offset = generator.nextIndex(below: typed.count - 1)
                typed.swapAt(offset, offset + 1)
            }
            if String(typed) != word { return String(typed) }
        }
    }
}
