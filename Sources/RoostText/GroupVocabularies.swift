/// The words and phrases of groups of texts, with their frequencies.
package struct GroupVocabularies: Sendable {
    /// The counts of each group, excluding its descendants.
    let groups: [WordCounts]
    /// The counts of each group, including its descendants.
    let totals: [WordCounts]
    /// The languages of the words whose language is not the usual one of their alphabet.
    private let languages: [String: TextLanguage]

    /// Adds the counts of each group to those of its ancestors.
    init(_ groups: [WordCounts], parents: [Int?], languages: [String: TextLanguage]) {
        (self.groups, self.languages) = (groups, languages)
        var totals = groups
        for group in parents.indices where groups[group].textCount > 0 {
            var (next, steps) = (parents[group], 0)
            while let parent = next, steps < parents.count {
                totals[parent].add(groups[group])
                (next, steps) = (parents[parent], steps + 1)
            }
        }
        self.totals = totals
    }

    /// Returns the stem of a word in the language of most of its occurrences, or the word itself if the
    /// language has no stemmer.
    func stem(of word: String) -> String {
        let spelling = WordFolding(word.utf8).spelling
        let language = languages[word] ?? TextLanguages()[WordScript.script(of: spelling)]
        return String(decoding: Stemmer.stem(spelling, in: language.stemming), as: UTF8.self)
    }

    /// Returns the keywords of each group, the best first; ties are broken alphabetically.
    ///
    /// Keywords are chosen by maximal marginal relevance (Carbonell & Goldstein 1998), which prefers keywords
    /// that differ from those chosen before. Inflected forms of a chosen keyword are skipped.
    ///
    /// - Parameter limit: The maximum number of keywords per group.
    /// - Complexity: O(words of all groups).
    package func keywords(limit: Int) -> [[String]] {
        var frequencies: [String: Int] = [:]
        for group in groups {
            for (word, count) in group.words { frequencies[word, default: 0] += count }
            for (word, count) in group.compounds { frequencies[word, default: 0] += count }
        }
        let common = commonWords()
        // Parent groups contain only the texts of their children, so they are compared with each other and
        // not with their children.
        func mean(ofParents isParent: Bool) -> Double {
            let counts = totals.indices.filter { (groups[$0].textCount == 0) == isParent }
                .map { totals[$0].wordCount }
            return Double(counts.reduce(0, +)) / Double(max(1, counts.count))
        }
        let means = [true: mean(ofParents: true), false: mean(ofParents: false)]
        return totals.indices.map { group in
            let isParent = groups[group].textCount == 0
            return choose(
                totals[group], limit, frequencies, means[isParent] ?? 0,
                without: common.union(totals[group].languages.stopWords))
        }
    }

    /// The thresholds of ``commonWords()``.
    private enum CommonWords {
        /// The minimum numbers of groups and texts. With fewer, the frequencies would be too unreliable.
        static let (minimumGroups, minimumTexts) = (4, 40)
        /// The minimum share of all texts that contain a common word.
        static let minimumShare = 0.3
    }

    /// Returns the words that are common in all subjects. A common word occurs in at least 30% of all texts
    /// and, in at least 90% of the groups, in at least half that share of the group's texts. Such words are
    /// typical of the language or the kind of text rather than of a subject.
    func commonWords() -> Set<String> {
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

    /// The factor by which the weight of a word is reduced if only one text of the group contains it.
    private static let singleTextFactor = 0.2
    /// The number of candidates that are compared with each other for each requested keyword.
    private static let candidatesPerKeyword = 8

    private func choose(
        _ group: WordCounts, _ limit: Int, _ frequencies: [String: Int], _ mean: Double,
        without common: Set<String>
    ) -> [String] {
        let words = group.words.merging(
            group.wholeCompounds(without: group.languages.stopWords), uniquingKeysWith: +)
        var weights: [(word: String, weight: Double)] = words.compactMap { word, count in
            let isCharacter = KeywordRules.isSeparateWord(word) && word.unicodeScalars.count == 1
            guard !common.contains(word), !isCharacter, !group.nameParticles.contains(word) else {
                return nil
            }
            if KeywordRules.isAbbreviation(word), group.titles[word, default: 0] < 2 { return nil }
            let weight = Double(count) * logarithm(1 + mean / Double(frequencies[word, default: 1]))
            // A word that occurs in only one text is typical of that text, not of the group, even if the text
            // repeats it.
            let isShared = group.texts[word] != 1 || group.textCount < 3
            return (word, isShared ? weight : weight * Self.singleTextFactor)
        }
        weights.sort { ($1.weight, $0.word) < ($0.weight, $1.word) }
        weights = Array(weights.prefix(Self.candidatesPerKeyword * limit))
        var candidates = Self.withPhrases(weights, group, without: common).map {
            KeywordCandidate(
                $0.word, $0.weight,
                stems: Set($0.word.split(separator: " ").map { stem(of: String($0)) }))
        }
        let maximumWeight = candidates.first?.weight ?? 0
        var chosen: [String] = []
        while chosen.count < limit, maximumWeight > 0 {
            let best = candidates.max {
                ($0.relevance(maximumWeight), $1.text) < ($1.relevance(maximumWeight), $0.text)
            }
            guard let best else { break }
            let prefix = group.namePrefixes[best.text]?.usual.map { $0.lowercased() + " " }
            chosen.append((prefix ?? "") + best.text)
            candidates = candidates.compactMap { $0.updated(afterChoosing: best) }
        }
        return chosen
    }

    /// The reciprocal of the minimum share of a group's texts that must contain a phrase. A phrase must also
    /// occur in at least two texts.
    private static let minimumPhraseFraction = 50

    /// Returns the weights of phrases, and of the words that do not mostly occur in one of these phrases.
    private static func withPhrases(
        _ weights: [(word: String, weight: Double)], _ group: WordCounts, without common: Set<String>
    ) -> [(word: String, weight: Double)] {
        let weightOf = Dictionary(weights.map { ($0.word, $0.weight) }) { first, _ in first }
        var found: [(words: [String], weight: Double, count: Int)] = []
        for (phrase, texts) in group.phraseTexts
        where texts >= max(2, group.textCount / minimumPhraseFraction) {
            let words = phrase.split(separator: " ").map(String.init)
            // Phrases of four words and phrases in scripts without spaces are used only for labels.
            guard (2...3).contains(words.count) else { continue }
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
        // Longer phrases come first, and among phrases of equal length the more frequent ones.
        found.sort {
            ($1.words.count, $1.count, $0.words.joined(separator: " "))
                < ($0.words.count, $0.count, $1.words.joined(separator: " "))
        }
        var taken = Set<String>()
        var result: [(word: String, weight: Double)] = []
        for phrase in found where taken.isDisjoint(with: phrase.words) {
            // Words that occur more often outside the phrase than in it remain separate candidates.
            taken.formUnion(phrase.words.filter { 2 * phrase.count >= group.representative[$0, default: 0] })
            result.append((phrase.words.joined(separator: " "), phrase.weight))
        }
        result += weights.filter { !taken.contains($0.word) }
        return result.sorted { ($1.weight, $0.word) < ($0.weight, $1.word) }
    }

    /// Returns whether words occur together often enough to form a phrase. The phrase must account for at
    /// least half of the occurrences of its most frequent word. A phrase of three words must also account for
    /// at least two thirds of the occurrences of its more frequent pair.
    ///
    /// - Parameters:
    ///   - count: The number of occurrences of the phrase.
    ///   - words: The number of occurrences of each of its words.
    ///   - pairs: The number of occurrences of each pair of adjacent words.
    private static func formPhrase(_ count: Int, words: [Int], pairs: [Int]) -> Bool {
        2 * count >= words.max() ?? 0 && (words.count == 2 || 3 * count >= 2 * (pairs.max() ?? 0))
    }
}
