/// The words and phrases that tell groups of texts from each other: class-based TF-IDF (Grootendorst 2022).
/// A word's weight in a group is its share of the group's words times log(1 + A / f), where f is how often it
/// occurs in all groups and A the mean number of words of a group.
///
/// Words that stand together in a group's typical texts more often than apart are taken as a phrase of two or
/// three. Words that most texts of most groups have are no keywords, whatever the language.
public struct KeywordExtractor: Sendable {
    /// What is counted of one group's texts.
    private struct Counts: Sendable {
        var words: [String: Int] = [:]
        /// How many texts have the word.
        var texts: [String: Int] = [:]
        var wordCount = 0
        var textCount = 0
        /// Of typical texts: words, and phrases with a space between their words.
        var typical: [String: Int] = [:]
        /// How many typical texts have the phrase.
        var phraseTexts: [String: Int] = [:]

        mutating func add(_ other: Counts) {
            words.merge(other.words, uniquingKeysWith: +)
            texts.merge(other.texts, uniquingKeysWith: +)
            wordCount += other.wordCount
            textCount += other.textCount
            typical.merge(other.typical, uniquingKeysWith: +)
            phraseTexts.merge(other.phraseTexts, uniquingKeysWith: +)
        }
    }

    private var groups: [Counts]
    private let stopWords: Set<String>

    /// - Parameter groups: how many groups there are.
    public init(groups: Int, stopWords: Set<String> = StopWords.english) {
        self.groups = Array(repeating: Counts(), count: groups)
        self.stopWords = stopWords
    }

    /// In how many of a group's texts phrases are looked for, so that their number stays bounded.
    public static func typicalTexts(ofGroups groups: Int) -> Int {
        min(200, max(20, 20_000 / max(1, groups)))
    }

    /// Phrases are looked for at the beginning of a text.
    private static let phraseBytes = 4000

    /// Counts a text's words for a group.
    ///
    /// - Parameter isTypical: whether phrases are looked for in it.
    /// - Complexity: O(length of text).
    public mutating func add(_ text: String, to group: Int, isTypical: Bool = false) {
        var seen = Set<String>()
        // The telling words just before, where nothing but a space or a hyphen is between.
        var (run, end): ([String], Int) = ([], -2)
        groups[group].textCount += 1
        let utf8 = Array(text.utf8)
        for word in Words(text) {
            var term = word.folded
            if term.hasSuffix("'s") { term.removeLast(2) }
            guard isTelling(term) else {
                run = []
                continue
            }
            groups[group].words[term, default: 0] += 1
            groups[group].wordCount += 1
            if seen.insert(term).inserted { groups[group].texts[term, default: 0] += 1 }
            guard isTypical, word.utf8Range.upperBound <= Self.phraseBytes else { continue }
            let isNext =
                end == word.utf8Range.lowerBound - 1
                && (utf8[end] == UInt8(ascii: " ") || utf8[end] == UInt8(ascii: "-"))
            run = (isNext ? run.suffix(2) : []) + [term]
            end = word.utf8Range.upperBound
            for length in 1...run.count {
                let phrase = run.suffix(length).joined(separator: " ")
                groups[group].typical[phrase, default: 0] += 1
                if length > 1, seen.insert(phrase).inserted {
                    groups[group].phraseTexts[phrase, default: 0] += 1
                }
            }
        }
    }

    /// The most telling words and phrases of a group, best first; of equal weight the alphabet decides.
    ///
    /// Chosen one after the other, each weighed against how much it looks like those before (maximal marginal
    /// relevance, Carbonell & Goldstein 1998); a form of one that is there (plural, case, another ending) is
    /// left out.
    ///
    /// - Parameter parents: for each group the one above it, which is told from others of its kind by the
    ///   texts of its parts; empty where there is none.
    /// - Complexity: O(words of all groups).
    public func keywords(limit: Int, parents: [Int?] = []) -> [[String]] {
        var frequencies: [String: Int] = [:]
        for group in groups { for (word, count) in group.words { frequencies[word, default: 0] += count } }
        let everywhere = commonWords()
        var whole = groups
        for group in parents.indices where groups[group].textCount > 0 {
            var (next, steps) = (parents[group], 0)
            while let parent = next, steps < parents.count {
                whole[parent].add(groups[group])
                (next, steps) = (parents[parent], steps + 1)
            }
        }
        // Groups above others are compared with each other.
        func mean(_ isAbove: Bool) -> Double {
            let counts = whole.indices.filter { (groups[$0].textCount == 0) == isAbove }
                .map { whole[$0].wordCount }
            return Double(counts.reduce(0, +)) / Double(max(1, counts.count))
        }
        let means = [true: mean(true), false: mean(false)]
        return whole.indices.map { group in
            let isAbove = groups[group].textCount == 0
            return Self.choose(
                whole[group], limit, frequencies, means[isAbove] ?? 0, without: everywhere)
        }
    }

    /// A name of two to five words where there are so many, from the first keywords.
    ///
    /// - Returns: `nil` where there is no keyword.
    public static func label(of keywords: [String]) -> String? {
        var (chosen, words): ([String], Int) = ([], 0)
        for keyword in keywords where chosen.count < 3 {
            let count = keyword.split(separator: " ").count
            guard words + count <= 5 else { continue }
            chosen.append(keyword)
            words += count
        }
        return chosen.isEmpty ? nil : chosen.joined(separator: ", ")
    }

    /// Words that three of ten texts have, in nearly every group about as often as in all: what a language
    /// needs, or a kind of text, whatever it is about.
    private func commonWords() -> Set<String> {
        let used = groups.filter { $0.textCount > 0 }
        let all = used.reduce(0) { $0 + $1.textCount }
        guard used.count >= 4, all >= 40 else { return [] }
        var texts: [String: Int] = [:]
        for group in used { for (word, count) in group.texts { texts[word, default: 0] += count } }
        return Set(
            texts.compactMap { word, count in
                let share = Double(count) / Double(all)
                guard share >= 0.3 else { return nil }
                let even = used.count {
                    2 * Double($0.texts[word, default: 0]) >= share * Double($0.textCount)
                }
                return 10 * even >= 9 * used.count ? word : nil
            })
    }

    private static func choose(
        _ group: Counts, _ limit: Int, _ frequencies: [String: Int], _ mean: Double,
        without common: Set<String>
    ) -> [String] {
        var weights: [(word: String, weight: Double)] = group.words.compactMap { word, count in
            guard !common.contains(word) else { return nil }
            let weight = Double(count) * logarithm(1 + mean / Double(frequencies[word, default: 1]))
            // A word that one text of the group repeats is that text's, not the group's.
            let isShared = group.texts[word, default: 0] > 1 || group.textCount < 3
            return (word, isShared ? weight : weight * 0.2)
        }
        weights.sort { ($1.weight, $0.word) < ($0.weight, $1.word) }
        weights = Array(weights.prefix(8 * limit))
        var left = withPhrases(weights, group, without: common).map { KeywordCandidate($0.word, $0.weight) }
        let most = left.first?.weight ?? 0
        var chosen: [String] = []
        while chosen.count < limit, most > 0 {
            let best = left.max {
                ($0.relevance(most), $1.text) < ($1.relevance(most), $0.text)
            }
            guard let best else { break }
            chosen.append(best.text)
            left = left.compactMap { $0.beside(best) }
        }
        return chosen
    }

    /// Phrases in the place of words that mostly occur in them.
    private static func withPhrases(
        _ weights: [(word: String, weight: Double)], _ group: Counts, without common: Set<String>
    ) -> [(word: String, weight: Double)] {
        let weightOf = Dictionary(weights.map { ($0.word, $0.weight) }) { first, _ in first }
        var found: [(words: [String], weight: Double, count: Int)] = []
        for (phrase, texts) in group.phraseTexts where texts >= max(2, group.textCount / 50) {
            let words = phrase.split(separator: " ").map(String.init)
            let parts =
                words.count == 2
                ? words : [words[0] + " " + words[1], words[1] + " " + words[2]]
            let count = group.typical[phrase, default: 0]
            let counts = parts.map { group.typical[$0, default: 0] }
            let known = words.compactMap { weightOf[$0] }
            guard let weight = known.max(), Set(words).count == words.count, common.isDisjoint(with: words),
                areTogether(count, words: words.map { group.typical[$0, default: 0] }, phrases: counts)
            else { continue }
            found.append((words, weight, count))
        }
        // The longer first, and the more frequent of those.
        found.sort {
            ($1.words.count, $1.count, $0.words.joined(separator: " "))
                < ($0.words.count, $0.count, $1.words.joined(separator: " "))
        }
        var taken = Set<String>()
        var result: [(word: String, weight: Double)] = []
        for phrase in found where taken.isDisjoint(with: phrase.words) {
            // Words that stand alone more often than in the phrase stay.
            taken.formUnion(phrase.words.filter { 2 * phrase.count >= group.typical[$0, default: 0] })
            result.append((phrase.words.joined(separator: " "), phrase.weight))
        }
        result += weights.filter { !taken.contains($0.word) }
        return result.sorted { ($1.weight, $0.word) < ($0.weight, $1.word) }
    }

    /// Whether words stand in a phrase more often than apart: half of the places of the most frequent of
    /// them, and two thirds of those of either phrase of two in one of three.
    private static func areTogether(_ count: Int, words: [Int], phrases: [Int]) -> Bool {
        2 * count >= words.max() ?? 0 && (words.count == 2 || 3 * count >= 2 * (phrases.max() ?? 0))
    }

    private func isTelling(_ word: String) -> Bool {
        guard !stopWords.contains(word) else { return false }
        let scalars = word.unicodeScalars
        if scalars.allSatisfy({ $0.isASCII }) {
            return scalars.count > 2 && scalars.contains { $0.properties.isAlphabetic }
        }
        return true
    }
}

/// What may become a keyword, weighed against those that are chosen.
private struct KeywordCandidate {
    let text: String
    let weight: Double
    private let stems: Set<[UInt8]>
    /// Ascending.
    private let trigrams: [UInt32]
    /// With the most alike of those that are chosen, 0 to 1.
    private var likeness = 0.0

    init(_ text: String, _ weight: Double) {
        (self.text, self.weight) = (text, weight)
        stems = Set(text.utf8.split(separator: UInt8(ascii: " ")).map { EnglishStemmer.stem(Array($0)) })
        let bytes = Array((" " + text + " ").utf8)
        trigrams = Set(
            (0..<max(0, bytes.count - 2)).map { place in
                bytes[place..<place + 3].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
        ).sorted()
    }

    func relevance(_ most: Double) -> Double { 0.7 * weight / most - 0.3 * likeness }

    /// - Returns: `nil` where one says nothing beside the other: the same stems, or some of them.
    func beside(_ chosen: KeywordCandidate) -> KeywordCandidate? {
        guard !stems.isSubset(of: chosen.stems), !chosen.stems.isSubset(of: stems) else { return nil }
        var copy = self
        copy.likeness = max(likeness, resemblance(chosen))
        return copy
    }

    /// The share of common trigrams of letters (Dice), 0 to 1.
    private func resemblance(_ other: KeywordCandidate) -> Double {
        var (first, second, common) = (0, 0, 0)
        while first < trigrams.count, second < other.trigrams.count {
            let (a, b) = (trigrams[first], other.trigrams[second])
            if a == b { common += 1 }
            if a <= b { first += 1 }
            if b <= a { second += 1 }
        }
        let count = trigrams.count + other.trigrams.count
        return count > 0 ? 2 * Double(common) / Double(count) : 0
    }
}
