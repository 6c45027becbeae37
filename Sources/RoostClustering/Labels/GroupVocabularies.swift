import RoostText
import RoostVectors

/// The words and phrases of groups of texts, from which keywords and labels are made.
///
/// The method follows the keyphrase selectors of Toponymy (information-weighted, saturated coverage). The
/// weight of a word is its information times its saturated coverage: log(1 + c / b) · c / (c + s). Here c is
/// the share of the group's texts that contain any form of the word, b is the same share for all texts, and s
/// is a constant. A title counts as half a text.
package struct GroupVocabularies: Sendable {
    /// The counts of each group, including its descendants.
    let totals: [WordCounts]
    /// Whether each group has only the texts of its descendants.
    let isParent: [Bool]
    /// The parent of each group; empty without a hierarchy.
    let parents: [Int?]
    /// The languages of the words whose language is not the usual one of their alphabet.
    private let languages: [String: TextLanguage]
    /// The spellings of the words that are usually not in lower case.
    private let spellings: [String: String]

    /// The constants of the weight formula, and the thresholds for phrases.
    private enum Limit {
        /// The constant s: the coverage c at which the factor c / (c + s) of a word's weight is one half.
        static let saturation = 1.0
        /// The minimum share of a group's texts that must contain a word.
        static let minimumCoverage = 0.02
        /// The ratio of a word's share in the group to its share in all texts, above which the word
        /// distinguishes the group from other groups.
        static let minimumLift = 1.15
        /// The share of a word's occurrences that must be part of a phrase for the phrase to replace the word.
        static let phraseShare = 0.5
        /// The share of the occurrences of an earlier, single word that must be part of a phrase for the
        /// phrase to replace the word.
        static let replacingShare = 1.0 / 3
        /// The minimum number of a group's texts that must contain a phrase. It is more than two because two texts can
        /// be copies of each other. In groups with fewer texts than ``smallGroup``, two texts are enough.
        static let (minimumPhraseTexts, smallGroup) = (3, 10)
    }

    /// Adds the counts of each group to those of its ancestors.
    init(
        _ groups: [WordCounts], parents: [Int?], languages: [String: TextLanguage],
        spellings: [String: String]
    ) {
        (self.parents, self.languages, self.spellings) = (parents, languages, spellings)
        isParent = groups.map { $0.textCount == 0 }
        var totals = groups
        for group in parents.indices where groups[group].textCount > 0 {
            for parent in sequence(first: group, next: { parents[$0] }).dropFirst() {
                totals[parent].add(groups[group])
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

    private func stem(_ word: String, _ stems: inout [String: String]) -> String {
        if let stem = stems[word] { return stem }
        let stem = stem(of: word)
        stems[word] = stem
        return stem
    }

    /// A word with all of its forms.
    private struct Candidate {
        /// The most frequent form.
        var word: String
        /// Twice the number of texts that contain any form of the word, plus the number of titles that do.
        var texts = 0
        /// The number of texts or titles that contain the most frequent form.
        var formTexts = 0
        var weight = 0.0
        var lift = 0.0
    }

    /// Returns the words and phrases from which the keywords and the label of each group are made, the
    /// highest weight first.
    func labelPhrases(limit: Int) -> [[LabelPhrase]] {
        var stems: [String: String] = [:]
        let candidates = totals.map { self.candidates($0, &stems) }
        var result = [[LabelPhrase]](repeating: [], count: totals.count)
        // Parent groups contain only the texts of their children, so they are compared with each other and
        // not with their children.
        for areParents in [true, false] {
            let indices = totals.indices.filter { isParent[$0] == areParents }
            let textCount = indices.reduce(0) { $0 + totals[$1].textCount }
            var texts: [String: Int] = [:]
            for group in indices {
                for (stem, candidate) in candidates[group] { texts[stem, default: 0] += candidate.texts }
            }
            for group in indices {
                let excluded = totals[group].stopWords.union(KeywordRules.quantities)
                let words = candidates[group].compactMap { stem, candidate -> (String, Candidate)? in
                    guard !excluded.contains(candidate.word) else { return nil }
                    var candidate = candidate
                    (candidate.weight, candidate.lift) = Self.weight(
                        candidate.texts, of: totals[group].textCount, all: texts[stem, default: 1],
                        of: textCount, isOnlyGroup: indices.count == 1)
                    return candidate.weight > 0 ? (stem, candidate) : nil
                }.sorted { ($1.1.weight, $0.0) < ($0.1.weight, $1.0) }
                result[group] = phrases(words.prefix(limit).map(\.1), totals[group], excluded, &stems)
            }
        }
        return result
    }

    /// Returns the weight of a word, and the ratio of its shares in the group and in all texts. The weight is
    /// 0 if too few texts of the group contain the word, or if the word is about as frequent in other groups.
    private static func weight(
        _ texts: Int, of textCount: Int, all: Int, of allCount: Int, isOnlyGroup: Bool
    ) -> (weight: Double, lift: Double) {
        let coverage = Double(texts) / Double(3 * max(1, textCount))
        let base = Double(all) / Double(3 * max(1, allCount))
        guard coverage >= Limit.minimumCoverage, isOnlyGroup || coverage > Limit.minimumLift * base else {
            return (0, 0)
        }
        let weight = naturalLogarithm(1 + coverage / base) * coverage / (coverage + Limit.saturation)
        return (weight, coverage / base)
    }

    /// Returns the candidates of a group, keyed by stem or, in scripts without spaces, by phrase. In a group
    /// of at least three texts, at least two texts or titles must contain the word.
    private func candidates(_ group: WordCounts, _ stems: inout [String: String]) -> [String: Candidate] {
        var result: [String: Candidate] = [:]
        var occurrences: [String: Int] = [:]
        let minimum = group.textCount < 3 ? 1 : 2
        let stopWords = group.stopWords
        let counts = group.texts.merging(group.titles, uniquingKeysWith: max)
        // A function word can have the stem of another word, such as "para" and "parar".
        for (word, count) in counts where !KeywordRules.isSeparateWord(word) && !stopWords.contains(word) {
            let stem = stem(word, &stems)
            let titles = group.titles[word, default: 0]
            if KeywordRules.isAbbreviation(word), titles < minimum { continue }
            var candidate = result[stem] ?? Candidate(word: word)
            candidate.texts += 2 * group.texts[word, default: 0] + titles
            occurrences[stem, default: 0] += count
            // Of equally frequent forms, the shortest one is usually the one that a dictionary has.
            if (count, candidate.word.count, candidate.word) > (candidate.formTexts, word.count, word)
                || candidate.formTexts == 0
            {
                (candidate.word, candidate.formTexts) = (word, count)
            }
            result[stem] = candidate
        }
        // In a script without spaces, a phrase is treated as a word, unless it mostly occurs in a longer phrase.
        for phrase in group.wholeCompounds(without: stopWords) {
            let count = group.phraseTexts[phrase] ?? group.texts[phrase, default: 0]
            occurrences[phrase] = count
            result[phrase] = Candidate(word: phrase, texts: 3 * count, formTexts: count)
        }
        return result.filter { occurrences[$0.key, default: 0] >= minimum }
    }

    /// Returns phrases for words in descending order of their weights. A word that mostly occurs in one
    /// phrase is replaced with that phrase.
    private func phrases(
        _ words: [Candidate], _ group: WordCounts, _ excluded: Set<String>, _ stems: inout [String: String]
    ) -> [LabelPhrase] {
        let longer = Self.longerPhrases(Set(words.map(\.word)), group, excluded)
        var (result, taken): ([LabelPhrase], Set<String>) = ([], [])
        for word in words where !taken.contains(stem(word.word, &stems)) {
            let occurrences = Double(group.representative[word.word, default: 0])
            let best = longer[word.word, default: []].filter {
                Double($0.count) > Limit.phraseShare * occurrences
            }.max {
                ($0.phrase.count, $0.count, $1.phrase.joined()) < (
                    $1.phrase.count, $1.count, $0.phrase.joined()
                )
            }
            let parts = best?.phrase ?? [word.word]
            // In a script without spaces, the chosen phrases must not share characters, so each character
            // counts as a part.
            let isCompound = KeywordRules.isSeparateWord(word.word)
            let partStems = isCompound ? word.word.map(String.init) : parts.map { stem($0, &stems) }
            if isCompound, !taken.isDisjoint(with: partStems) { continue }
            let known = Set(partStems).intersection(taken)
            taken.formUnion(partStems)
            let maximum = Double(best?.count ?? 0) / Limit.replacingShare
            // A phrase replaces an earlier single word that it contains, unless the word mostly has another
            // subject: "United States", not "United, States". If it repeats a word of a longer phrase, only
            // its new word is used.
            let earlier = result.firstIndex { other in
                known == [other.stem] && parts.contains(other.text)
                    && Double(group.representative[other.text, default: 0]) <= maximum
            }
            if let earlier {
                let (weight, lift) = (result[earlier].weight, result[earlier].lift)
                result[earlier] = phrase(parts, weight: weight, lift: lift, &stems)
            } else {
                let used = known.isEmpty ? parts : [word.word]
                result.append(phrase(used, weight: word.weight, lift: word.lift, &stems))
            }
        }
        return result
    }

    private func phrase(
        _ words: [String], weight: Double, lift: Double, _ stems: inout [String: String]
    ) -> LabelPhrase {
        let text = words.joined(separator: " ")
        return LabelPhrase(
            text: text, stem: words.count > 1 ? text : stem(text, &stems),
            spelling: words.map { spellings[$0] ?? $0 }.joined(separator: " "), weight: weight, lift: lift)
    }

    /// Returns, for each wanted word, the phrases with this word that occur in enough texts, with the numbers
    /// of their occurrences.
    private static func longerPhrases(
        _ wanted: Set<String>, _ group: WordCounts, _ excluded: Set<String>
    ) -> [String: [(phrase: [String], count: Int)]] {
        var longer: [String: [(phrase: [String], count: Int)]] = [:]
        let minimumTexts = group.textCount < Limit.smallGroup ? 2 : Limit.minimumPhraseTexts
        for (phrase, texts) in group.phraseTexts where texts >= minimumTexts {
            let parts = phrase.split(separator: " ").map(String.init)
            guard parts.count > 1, Set(parts).count == parts.count, excluded.isDisjoint(with: parts) else {
                continue
            }
            let count = group.representative[phrase, default: 0]
            for part in parts where wanted.contains(part) { longer[part, default: []].append((parts, count)) }
        }
        return longer
    }
}
