/// Extracts the words and phrases that distinguish groups of texts from each other, by class-based TF-IDF
/// (Grootendorst 2022).
///
/// The weight of a word in a group is its frequency in the group times log(1 + A / f), where f is its
/// frequency in all groups and A the mean number of words in a group. Two or three words that occur together
/// in the representative texts of a group more often than separately form a phrase. Words that most texts of
/// most groups contain are not used as keywords; this works in any language.
package struct KeywordExtractor: Sendable {
    /// The frequencies of the words and phrases in one group.
    private struct Counts: Sendable {
        /// The number of occurrences of each word.
        var words: [String: Int] = [:]
        /// The number of texts that contain each word.
        var texts: [String: Int] = [:]
        var wordCount = 0
        var textCount = 0
        /// The number of occurrences in representative texts of each word, and of each phrase, whose words
        /// are separated by a space.
        var representative: [String: Int] = [:]
        /// The number of representative texts that contain each phrase.
        var phraseTexts: [String: Int] = [:]

        mutating func add(_ other: Counts) {
            words.merge(other.words, uniquingKeysWith: +)
            texts.merge(other.texts, uniquingKeysWith: +)
            wordCount += other.wordCount
            textCount += other.textCount
            representative.merge(other.representative, uniquingKeysWith: +)
            phraseTexts.merge(other.phraseTexts, uniquingKeysWith: +)
        }
    }

    private var groups: [Counts]
    private let stopWords: Set<String>

    /// Creates an extractor without texts.
    ///
    /// - Parameters:
    ///   - groups: The number of groups.
    ///   - stopWords: Words in lower case that are not keywords.
    package init(groups: Int, stopWords: Set<String> = StopWords.english) {
        self.groups = Array(repeating: Counts(), count: groups)
        self.stopWords = stopWords
    }

    /// Returns the number of representative texts to choose from each group.
    ///
    /// The limits bound the memory for phrases: about 20,000 texts in all, with 20 to 200 for each group.
    package static func representativeTextCount(forGroups groups: Int) -> Int {
        min(200, max(20, 20_000 / max(1, groups)))
    }

    /// The number of bytes at the start of a text in which phrases are searched, to bound the time for long
    /// texts.
    private static let phraseBytes = 4000

    /// Counts the words of a text that belongs to a group.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - group: The index of its group.
    ///   - isRepresentative: Whether phrases are extracted from the text.
    /// - Complexity: O(length of text).
    package mutating func add(_ text: String, to group: Int, isRepresentative: Bool = false) {
        var seen = Set<String>()
        // Up to three significant words that are separated by a single space or hyphen, and their end offset.
        var (run, end): ([String], Int) = ([], -2)
        groups[group].textCount += 1
        let utf8 = Array(text.utf8)
        for word in Words(text) {
            var term = word.folded
            if term.hasSuffix("'s") { term.removeLast(2) }
            guard isSignificant(term) else {
                run = []
                continue
            }
            groups[group].words[term, default: 0] += 1
            groups[group].wordCount += 1
            if seen.insert(term).inserted { groups[group].texts[term, default: 0] += 1 }
            guard isRepresentative, word.utf8Range.upperBound <= Self.phraseBytes else { continue }
            let followsRun =
                end == word.utf8Range.lowerBound - 1
                && (utf8[end] == UInt8(ascii: " ") || utf8[end] == UInt8(ascii: "-"))
            run = (followsRun ? run.suffix(2) : []) + [term]
            end = word.utf8Range.upperBound
            for length in 1...run.count {
                let phrase = run.suffix(length).joined(separator: " ")
                groups[group].representative[phrase, default: 0] += 1
                if length > 1, seen.insert(phrase).inserted {
                    groups[group].phraseTexts[phrase, default: 0] += 1
                }
            }
        }
    }

    /// Returns the keywords of each group, best first; ties are broken alphabetically.
    ///
    /// Keywords are chosen by maximal marginal relevance (Carbonell & Goldstein 1998), which prefers keywords
    /// that differ from those chosen before. Inflected forms of a chosen keyword are skipped.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of keywords for each group.
    ///   - parents: The parent of each group, or empty if the groups form no hierarchy. A parent uses the
    ///     texts of its descendants and is compared with other parents.
    /// - Complexity: O(words of all groups).
    package func keywords(limit: Int, parents: [Int?] = []) -> [[String]] {
        var frequencies: [String: Int] = [:]
        for group in groups { for (word, count) in group.words { frequencies[word, default: 0] += count } }
        let common = commonWords()
        var totals = groups
        for group in parents.indices where groups[group].textCount > 0 {
            var (next, steps) = (parents[group], 0)
            while let parent = next, steps < parents.count {
                totals[parent].add(groups[group])
                (next, steps) = (parents[parent], steps + 1)
            }
        }
        // Parents have no texts of their own; they are compared with each other, not with their children.
        func mean(ofParents isParent: Bool) -> Double {
            let counts = totals.indices.filter { (groups[$0].textCount == 0) == isParent }
                .map { totals[$0].wordCount }
            return Double(counts.reduce(0, +)) / Double(max(1, counts.count))
        }
        let means = [true: mean(ofParents: true), false: mean(ofParents: false)]
        return totals.indices.map { group in
            let isParent = groups[group].textCount == 0
            return Self.choose(
                totals[group], limit, frequencies, means[isParent] ?? 0, without: common)
        }
    }

    /// Returns a label of up to three of the first keywords with at most five words in all.
    ///
    /// - Returns: `nil` if there are no keywords, or each of them has more than five words.
    package static func label(of keywords: [String]) -> String? {
        var (chosen, words): ([String], Int) = ([], 0)
        for keyword in keywords where chosen.count < 3 {
            let count = keyword.split(separator: " ").count
            guard words + count <= 5 else { continue }
            chosen.append(keyword)
            words += count
        }
        return chosen.isEmpty ? nil : chosen.joined(separator: ", ")
    }

    /// The thresholds of ``commonWords()``.
    private enum CommonWords {
        /// Below these numbers of groups and texts, frequencies are too uncertain.
        static let (minimumGroups, minimumTexts) = (4, 40)
        /// The minimum share of all texts that contain a common word.
        static let minimumShare = 0.3
    }

    /// Returns the words that at least 30% of all texts contain, and at least half that share of the texts in
    /// 90% of the groups. They belong to the language or the kind of text rather than to a subject.
    private func commonWords() -> Set<String> {
        let used = groups.filter { $0.textCount > 0 }
        let all = used.reduce(0) { $0 + $1.textCount }
        guard used.count >= CommonWords.minimumGroups, all >= CommonWords.minimumTexts else { return [] }
        var texts: [String: Int] = [:]
        for group in used { for (word, count) in group.texts { texts[word, default: 0] += count } }
        return Set(
            texts.compactMap { word, count in
                let share = Double(count) / Double(all)
                guard share >= CommonWords.minimumShare else { return nil }
                let even = used.count {
                    2 * Double($0.texts[word, default: 0]) >= share * Double($0.textCount)
                }
                return 10 * even >= 9 * used.count ? word : nil
            })
    }

    /// The factor for a word that occurs in only one text of a group.
    private static let singleTextFactor = 0.2
    /// The number of candidates for each requested keyword that are compared with each other.
    private static let candidatesPerKeyword = 8

    private static func choose(
        _ group: Counts, _ limit: Int, _ frequencies: [String: Int], _ mean: Double,
        without common: Set<String>
    ) -> [String] {
        var weights: [(word: String, weight: Double)] = group.words.compactMap { word, count in
            guard !common.contains(word) else { return nil }
            let weight = Double(count) * logarithm(1 + mean / Double(frequencies[word, default: 1]))
            // A word that only one text repeats characterises that text, not the group.
            let isShared = group.texts[word, default: 0] > 1 || group.textCount < 3
            return (word, isShared ? weight : weight * singleTextFactor)
        }
        weights.sort { ($1.weight, $0.word) < ($0.weight, $1.word) }
        weights = Array(weights.prefix(candidatesPerKeyword * limit))
        var candidates = withPhrases(weights, group, without: common).map {
            KeywordCandidate($0.word, $0.weight)
        }
        let maximumWeight = candidates.first?.weight ?? 0
        var chosen: [String] = []
        while chosen.count < limit, maximumWeight > 0 {
            let best = candidates.max {
                ($0.relevance(maximumWeight), $1.text) < ($1.relevance(maximumWeight), $0.text)
            }
            guard let best else { break }
            chosen.append(best.text)
            candidates = candidates.compactMap { $0.updated(afterChoosing: best) }
        }
        return chosen
    }

    /// A phrase must occur in at least one of this many texts of its group, and in two texts.
    private static let minimumPhraseFraction = 50

    /// Returns the weights with phrases in place of the words that mostly occur in them.
    private static func withPhrases(
        _ weights: [(word: String, weight: Double)], _ group: Counts, without common: Set<String>
    ) -> [(word: String, weight: Double)] {
        let weightOf = Dictionary(weights.map { ($0.word, $0.weight) }) { first, _ in first }
        var found: [(words: [String], weight: Double, count: Int)] = []
        for (phrase, texts) in group.phraseTexts
        where texts >= max(2, group.textCount / minimumPhraseFraction) {
            let words = phrase.split(separator: " ").map(String.init)
            let parts =
                words.count == 2
                ? words : [words[0] + " " + words[1], words[1] + " " + words[2]]
            let count = group.representative[phrase, default: 0]
            let counts = parts.map { group.representative[$0, default: 0] }
            let known = words.compactMap { weightOf[$0] }
            guard let weight = known.max(), Set(words).count == words.count, common.isDisjoint(with: words),
                formPhrase(count, words: words.map { group.representative[$0, default: 0] }, pairs: counts)
            else { continue }
            found.append((words, weight, count))
        }
        // Longer phrases first, then the more frequent ones.
        found.sort {
            ($1.words.count, $1.count, $0.words.joined(separator: " "))
                < ($0.words.count, $0.count, $1.words.joined(separator: " "))
        }
        var taken = Set<String>()
        var result: [(word: String, weight: Double)] = []
        for phrase in found where taken.isDisjoint(with: phrase.words) {
            // Words that occur more often outside the phrase than in it stay candidates of their own.
            taken.formUnion(phrase.words.filter { 2 * phrase.count >= group.representative[$0, default: 0] })
            result.append((phrase.words.joined(separator: " "), phrase.weight))
        }
        result += weights.filter { !taken.contains($0.word) }
        return result.sorted { ($1.weight, $0.word) < ($0.weight, $1.word) }
    }

    /// Returns whether words occur together often enough to form a phrase: in at least half of the
    /// occurrences of the most frequent word and, for three words, two thirds of those of the more frequent
    /// pair.
    ///
    /// - Parameters:
    ///   - count: The number of occurrences of the phrase.
    ///   - words: The number of occurrences of each of its words.
    ///   - pairs: The number of occurrences of each pair of adjacent words.
    private static func formPhrase(_ count: Int, words: [Int], pairs: [Int]) -> Bool {
        2 * count >= words.max() ?? 0 && (words.count == 2 || 3 * count >= 2 * (pairs.max() ?? 0))
    }

    /// Returns whether a word can be a keyword. A word in ASCII needs three characters and a letter; words in
    /// other scripts may be shorter.
    private func isSignificant(_ word: String) -> Bool {
        guard !stopWords.contains(word) else { return false }
        let scalars = word.unicodeScalars
        if scalars.allSatisfy({ $0.isASCII }) {
            return scalars.count > 2 && scalars.contains { $0.properties.isAlphabetic }
        }
        return true
    }
}
