import RoostText
import RoostVectors

/// Measures, by the embeddings of phrases, how well they describe the groups of a partition.
///
/// - The specificity of a phrase is its weight times its contrast: its similarity to the centroid of its
///   group, minus its mean similarity to the centroids of the other groups of the same level.
/// - The centrality of a phrase is its similarity to the weighted mean of all phrases of its group. The most central
///   phrase is often the general name of a subject, such as "business" for "market", "company" and "shares".
struct PhraseMeanings {
    /// The meaning of each phrase of each group; empty for a group with a phrase that has no vector.
    private(set) var values: [[PhraseMeaning]]

    /// The minimum similarity of two phrases that mean the same, such as "film" and "movie" or a word and its
    /// misspelling.
    private static let minimumSynonymSimilarity: Float = 0.8

    init(_ phrases: [[LabelPhrase]], _ vectors: [String: [Float]], _ partition: Partition) {
        let parents = Set(partition.parents.compactMap(\.self))
        let d = partition.centroids.columns
        var sums = [true: [Float](repeating: 0, count: d), false: [Float](repeating: 0, count: d)]
        var counts = [true: 0, false: 0]
        for group in 0..<partition.count {
            let isParent = parents.contains(group)
            counts[isParent, default: 0] += 1
            partition.centroids.withRow(group) { row in
                for column in 0..<d { sums[isParent]?[column] += row[column] }
            }
        }
        values = phrases.indices.map { group in
            let known = phrases[group].compactMap { phrase in
                vectors[phrase.text].flatMap { $0.count == d ? $0 : nil }
            }
            guard known.count == phrases[group].count else { return [] }
            let isParent = parents.contains(group)
            let others = Float(max(1, (counts[isParent] ?? 1) - 1))
            let centroid = partition.centroids.row(group)
            let mean = Self.mean(of: known, phrases[group])
            var meanings = zip(phrases[group], known).map { phrase, vector in
                let own = innerProduct(vector, centroid)
                let all = innerProduct(vector, sums[isParent] ?? [])
                return PhraseMeaning(
                    specificity: phrase.weight * Double(max(0, own - (all - own) / others)),
                    centrality: Double(innerProduct(vector, mean)))
            }
            Self.markSynonyms(&meanings, known)
            return meanings
        }
    }

    private static func mean(of vectors: [[Float]], _ phrases: [LabelPhrase]) -> [Float] {
        var mean = [Float](repeating: 0, count: vectors.first?.count ?? 0)
        for (vector, phrase) in zip(vectors, phrases) {
            for column in vector.indices { mean[column] += Float(phrase.weight) * vector[column] }
        }
        return mean
    }

    private static func markSynonyms(_ meanings: inout [PhraseMeaning], _ vectors: [[Float]]) {
        let order = meanings.indices.sorted {
            (meanings[$1].specificity, $0) < (meanings[$0].specificity, $1)
        }
        var kept: [Int] = []
        for index in order {
            let repeatsOther = kept.contains {
                innerProduct(vectors[$0], vectors[index]) >= minimumSynonymSimilarity
            }
            if repeatsOther { meanings[index].isVariant = true } else { kept.append(index) }
        }
    }
}
