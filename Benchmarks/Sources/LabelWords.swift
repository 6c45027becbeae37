import Foundation
import RoostText

/// Returns the stems of the words of a text in lower case. An underscore separates words.
func stems(of text: String) -> Set<String> {
    Set(Words(text).map { Stemmer.stem(of: $0.folded) })
}

/// Returns the words with the highest c-TF-IDF (Grootendorst 2022) in each group, best first, without English
/// stop words. BERTopic labels clusters with such words.
///
/// - Parameters:
///   - groups: The texts of each group.
///   - limit: The number of words of each group.
func classTFIDFWords(of groups: [[String]], limit: Int) -> [[String]] {
    var counts = [[String: Int]](repeating: [:], count: groups.count)
    var (totals, all): ([String: Int], Int) = ([:], 0)
    for (group, texts) in groups.enumerated() {
        for word in texts.lazy.flatMap({ Words($0) }).map(\.folded) {
            guard word.utf8.count > 1, !StopWords.english.contains(word) else { continue }
            counts[group][word, default: 0] += 1
            totals[word, default: 0] += 1
            all += 1
        }
    }
    let mean = Double(all) / Double(max(1, groups.count))
    return counts.map { counts in
        counts.map { ($0.key, Double($0.value) * log(1 + mean / Double(totals[$0.key] ?? 1))) }
            .sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(limit).map(\.0)
    }
}
