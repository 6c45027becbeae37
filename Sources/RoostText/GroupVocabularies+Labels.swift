/// Chooses labels. A label is a few words and phrases that occur in most texts of a group but not in the
/// texts of other groups.
///
/// The method follows the keyphrase selectors of Toponymy (information-weighted, saturated coverage). The
/// weight of a word is its information times its saturated coverage: log(1 + c / b) · c / (c + s). Here c is
/// the share of the group's texts that contain any form of the word, b is the same share for all texts, and s
/// is a constant. A title counts as half a text.
extension GroupVocabularies {
    /// The constants of the weight formula, and the limits of a label.
    private enum Limit {
        /// The constant s: the coverage c at which the factor c / (c + s) of a word's weight is one half.
        static let saturation = 1.0
        /// The minimum share of a group's texts that must contain a word for the word to be used in the
        /// label.
        static let minimumCoverage = 0.02
        /// The ratio of a word's share in the group to its share in all texts, above which the word
        /// distinguishes the group from other groups.
        static let minimumLift = 1.15
        /// The share of a word's occurrences that must be part of a phrase for the phrase to replace the
        /// word.
        static let phraseShare = 0.5
        /// The minimum number of a group's texts that must contain a phrase for the phrase to be used in the
        /// label. It is more than two because two texts can be copies of each other. In groups with fewer
        /// texts than ``smallGroup``, two texts are enough.
        static let (minimumPhraseTexts, smallGroup) = (3, 10)
        /// The maximum numbers of phrases, words and characters in a label.
        static let (phrases, words, characters) = (3, 6, TextTitle.displayLength)
        /// The number of best phrases among which each phrase of a previous label must be for the label to be
        /// kept.
        static let keptCandidates = 8
        /// The number of words per group from which labels are formed.
        static let candidates = 24
    }

    /// A word with all of its forms.
    private struct Candidate {
        /// The most frequent form.
        var word: String
        /// Twice the number of texts that contain any form of the word, plus the number of titles that do.
        var texts = 0
        /// The number of texts that contain the most frequent form.
        var formTexts = 0
        var weight = 0.0
    }

    /// Returns a label for each group. No two groups have the same label.
    ///
    /// - Parameters:
    ///   - titles: For each group, titles of its entries, the most central first. If no word distinguishes
    ///     the group, one of them becomes the label.
    ///   - previous: For each group, the label that it had before its texts changed slightly. The label is
    ///     kept while its phrases are still among the best, so that it does not alternate between words of
    ///     similar weight.
    /// - Complexity: O(words of all groups).
    package func labels(titles: [[String]], previous: [String?] = []) -> [String] {
        var stems: [String: String] = [:]
        let candidates = totals.map { Self.candidates($0, &stems) }
        var labels = [String](repeating: "", count: totals.count)
        var used = Set<String>()
        let common = commonWords()
        for isParent in [true, false] {
            let indices = totals.indices.filter { (groups[$0].textCount == 0) == isParent }
            let textCount = indices.reduce(0) { $0 + totals[$1].textCount }
            var texts: [String: Int] = [:]
            for group in indices {
                for (stem, candidate) in candidates[group] { texts[stem, default: 0] += candidate.texts }
            }
            // Larger groups choose their labels first.
            let order = indices.sorted {
                (totals[$1].textCount, $0) < (totals[$0].textCount, $1)
            }
            for group in order {
                let excluded = common.union(totals[group].stopWordsOfLanguages)
                    .union(KeywordRules.quantities)
                let words = candidates[group].compactMap { stem, candidate -> (String, Candidate)? in
                    guard !excluded.contains(candidate.word) else { return nil }
                    var candidate = candidate
                    candidate.weight = Self.weight(
                        candidate.texts, of: totals[group].textCount, all: texts[stem, default: 1],
                        of: textCount, isOnlyGroup: indices.count == 1)
                    return candidate.weight > 0 ? (stem, candidate) : nil
                }.sorted { ($1.1.weight, $0.0) < ($0.1.weight, $1.0) }
                let phrases = Self.phrases(
                    words.prefix(Limit.candidates).map(\.1), totals[group], excluded, &stems)
                let titles = titles.indices.contains(group) ? titles[group] : []
                let previous = previous.indices.contains(group) ? previous[group] : nil
                if let previous, Self.isStillGood(previous, phrases, titles),
                    used.insert(Self.key(previous)).inserted
                {
                    labels[group] = previous
                } else {
                    labels[group] = Self.choose(phrases, titles, &used)
                }
            }
        }
        return labels
    }

    /// Returns the weight of a word. The weight is 0 if too few texts of the group contain the word, or if
    /// the word is about as frequent in other groups.
    private static func weight(
        _ texts: Int, of textCount: Int, all: Int, of allCount: Int, isOnlyGroup: Bool
    ) -> Double {
        let coverage = Double(texts) / Double(3 * max(1, textCount))
        let base = Double(all) / Double(3 * max(1, allCount))
        guard coverage >= Limit.minimumCoverage, isOnlyGroup || coverage > Limit.minimumLift * base else {
            return 0
        }
        return logarithm(1 + coverage / base) * coverage / (coverage + Limit.saturation)
    }

    /// Returns the candidates of a group, keyed by stem or, in scripts without spaces, by phrase.
    private static func candidates(
        _ group: WordCounts, _ stems: inout [String: String]
    ) -> [String: Candidate] {
        var result: [String: Candidate] = [:]
        let minimum = group.textCount < 3 ? 1 : 2
        for (word, count) in group.texts where !KeywordRules.isSeparateWord(word) {
            let stem = stem(word, &stems)
            let titles = group.titles[word, default: 0]
            if KeywordRules.isAbbreviation(word), titles < minimum { continue }
            let texts = 2 * count + titles
            var candidate = result[stem] ?? Candidate(word: word)
            candidate.texts += texts
            if (count, candidate.word) > (candidate.formTexts, word) || candidate.formTexts == 0 {
                (candidate.word, candidate.formTexts) = (word, count)
            }
            result[stem] = candidate
        }
        // In a script without spaces, a phrase is treated as a word, unless it mostly occurs in a longer
        // phrase.
        let compounds = group.compounds
        var parts = Set<String>()
        for (phrase, count) in compounds {
            for part in [String(phrase.dropLast()), String(phrase.dropFirst())] {
                let isPart = Double(count) >= Limit.phraseShare * Double(compounds[part, default: 0])
                if isPart { parts.insert(part) }
            }
        }
        for phrase in compounds.keys where !parts.contains(phrase) {
            let count = group.phraseTexts[phrase, default: 0]
            result[phrase] = Candidate(word: phrase, texts: 3 * count, formTexts: count)
        }
        return result.filter { $0.value.formTexts >= minimum }
    }

    private static func stem(_ word: String, _ stems: inout [String: String]) -> String {
        if let stem = stems[word] { return stem }
        let stem = EnglishStemmer.stem(of: word)
        stems[word] = stem
        return stem
    }

    /// Returns the words, best first. A word that mostly occurs in one phrase is replaced with that phrase.
    private static func phrases(
        _ words: [Candidate], _ group: WordCounts, _ excluded: Set<String>, _ stems: inout [String: String]
    ) -> [String] {
        let wanted = Set(words.map(\.word))
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
        var (result, taken): ([String], Set<String>) = ([], [])
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
            // If a phrase repeats a word of an earlier phrase, only its new word is used.
            let isNew = taken.isDisjoint(with: partStems)
            result.append(isNew ? parts.joined(separator: " ") : word.word)
            taken.formUnion(partStems)
        }
        return result
    }

    /// Returns whether a previous label can be kept: its phrases are still among the best or, if there are no
    /// phrases, it is one of the titles.
    private static func isStillGood(_ label: String, _ phrases: [String], _ titles: [String]) -> Bool {
        if phrases.isEmpty { return titles.contains { TextTitle.shortened($0) == label } }
        let best = Set(phrases.prefix(Limit.keptCandidates))
        return best.isSuperset(of: label.split(separator: ", ").map(String.init))
    }

    /// Returns a label made of the first phrases that fit and form a label that no other group has.
    private static func choose(_ phrases: [String], _ titles: [String], _ used: inout Set<String>) -> String {
        // Each attempt omits the last phrase of the previous attempt.
        var skipped = Set<Int>()
        for _ in 0..<max(1, phrases.count) {
            var (chosen, words, characters): ([Int], Int, Int) = ([], 0, 0)
            for (index, phrase) in phrases.enumerated() where !skipped.contains(index) {
                let count = phrase.split(separator: " ").count
                guard chosen.count < Limit.phrases, words + count <= Limit.words,
                    characters + phrase.count + 2 <= Limit.characters + 2
                else { continue }
                chosen.append(index)
                (words, characters) = (words + count, characters + phrase.count + 2)
            }
            guard let last = chosen.last else { break }
            let label = chosen.map { phrases[$0] }
            if used.insert(key(label.joined(separator: ", "))).inserted {
                return label.joined(separator: ", ")
            }
            skipped.insert(last)
        }
        for title in titles {
            let label = TextTitle.shortened(title)
            if used.insert(key(label)).inserted { return label }
        }
        let name = titles.first.map { TextTitle.shortened($0) } ?? wordless
        var number = 2
        if titles.isEmpty, used.insert(key(name)).inserted { return name }
        while !used.insert(key("\(name) (\(number))")).inserted { number += 1 }
        return "\(name) (\(number))"
    }

    /// The label of a group whose texts have no usable words and no titles.
    package static let wordless = "texts without words"

    /// Returns a key that is equal for labels with the same words, regardless of order and case.
    private static func key(_ label: String) -> String {
        label.lowercased().split { $0 == " " || $0 == "," }.sorted().joined(separator: " ")
    }
}
