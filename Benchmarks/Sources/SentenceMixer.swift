import Foundation
import Roost

/// Generates passages from sentences of real texts, so words occur with natural frequencies.
struct SentenceMixer {
    private let sentences: [String]
    private var generator: SeededGenerator

    init(sets: [String], seed: UInt64) throws {
        sentences = try sets.flatMap { set in
            try Material.rows("retrieval/\(set)/corpus.jsonl").flatMap { row in
                row.text.components(separatedBy: ". ").filter { $0.utf8.count > 20 }
            }
        }
        generator = SeededGenerator(seed: seed)
    }

    /// Creates a generator with the sentences of another one.
    init(_ other: SentenceMixer, seed: UInt64) {
        (sentences, generator) = (other.sentences, SeededGenerator(seed: seed))
    }

    /// Returns a passage of about a hundred words.
    mutating func passage() -> String {
        (0..<5).map { _ in sentences[generator.nextIndex(below: sentences.count)] }.joined(
            separator: ". ")
    }

    /// Returns adjacent words of a sentence.
    mutating func words(_ count: Int) -> String {
        while true {
            let words = sentences[generator.nextIndex(below: sentences.count)].split(separator: " ")
            guard words.count >= count else { continue }
            let start = generator.nextIndex(below: words.count - count + 1)
            return words[start..<start + count].joined(separator: " ")
        }
    }
}
