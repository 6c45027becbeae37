/// Finds the words and phrases from which labels are made.
///
/// The method follows the keyphrase selectors of Toponymy (information-weighted, saturated coverage). The
/// weight of a word is its information times its saturated coverage: log(1 + c / b) · c / (c + s). Here c is
/// the share of the group's texts that contain any form of the word, b is the same share for all texts, and s
/// is a constant. A title counts as half a text.
extension GroupVocabularies {
    /// The constants of the weight formula, and the thresholds for phrases.
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
        /// The share of the occurrences of an earlier, single word that must be part of a phrase for the
        /// phrase to replace the word.
        static let replacingShare = 1.0 / 3
        /// The minimum number of a group's texts that must contain a phrase for the phrase to be used in the
        /// label. It is more than two because two texts can be copies of each other. In groups with fewer
        /// texts than ``smallGroup``, two texts are enough.
        static let (minimumPhraseTexts, smallGroup) = (3, 10)
    }

    /// A word with all of its forms.
    private struct Candidate {
        /// The most frequent form.
        var word: String
        /// Twice the number of texts that contain any form of the word, plus the number of titles that do.
        var texts = 0
        /// The number of texts or titles that contain the most frequent form.
        var formTexts = 0
        /// Whether at least two texts, or titles, contain a form of the word.
        var isRepeated = false
        /// The text that contains the word if there is only one.
        var singleText: Int?
        var weight = 0.0
        var lift = 0.0
    }

    /// Returns the words and phrases from which the label of each group can be made, the highest weight
    /// first.
    ///
    /// - Parameter limit: The maximum number of words and phrases per group.
    /// - Complexity: O(words of all groups).
    package func labelPhrases(limit: Int) -> [[LabelPhrase]] {
        var stems: [String: String] = [:]
        let candidates = totals.map { self.candidates($0, &stems) }
        let common = commonWords()
        var result = [[LabelPhrase]](repeating: [], count: totals.count)
        for isParent in [true, false] {
            let indices = totals.indices.filter { (groups[$0].textCount == 0) == isParent }
            let textCount = indices.reduce(0) { $0 + totals[$1].textCount }
            var texts: [String: Int] = [:]
            for group in indices {
                for (stem, candidate) in candidates[group] { texts[stem, default: 0] += candidate.texts }
            }
            for group in indices {
                let excluded = common.union(totals[group].languages.stopWords)
                    .union(KeywordRules.quantities)
                let words = candidates[group].compactMap { stem, candidate -> (String, Candidate)? in
                    guard !excluded.contains(candidate.word),
                        !totals[group].nameParticles.contains(candidate.word)
                    else { return nil }
                    var candidate = candidate
                    (candidate.weight, candidate.lift) = Self.weight(
                        candidate.texts, of: totals[group].textCount, all: texts[stem, default: 1],
                        of: textCount, isOnlyGroup: indices.count == 1)
                    return candidate.weight > 0 ? (stem, candidate) : nil
                }.sorted { ($1.1.weight, $0.0) < ($0.1.weight, $1.0) }
                let correct = Self.withoutMisspellings(words.prefix(limit).map(\.1))
                result[group] = phrases(correct, totals[group], excluded, &stems)
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
        let weight = logarithm(1 + coverage / base) * coverage / (coverage + Limit.saturation)
        return (weight, coverage / base)
    }

    /// Returns the candidates of a group, keyed by stem or, in scripts without spaces, by phrase.
    private func candidates(
        _ group: WordCounts, _ stems: inout [String: String]
    ) -> [String: Candidate] {
        var result: [String: Candidate] = [:]
        let minimum = group.textCount < 3 ? 1 : 2
        let stopWords = group.languages.stopWords
        let counts = group.texts.merging(group.titles, uniquingKeysWith: max)
        // A function word can have the stem of another word, such as "para" and "parar".
        for (word, count) in counts where !KeywordRules.isSeparateWord(word) && !stopWords.contains(word) {
            let stem = stem(word, &stems)
            let titles = group.titles[word, default: 0]
            if KeywordRules.isAbbreviation(word), titles < minimum { continue }
            let texts = 2 * group.texts[word, default: 0] + titles
            var candidate = result[stem] ?? Candidate(word: word)
            candidate.texts += texts
            if count > 1 {
                candidate.isRepeated = true
            } else if let text = group.singleTexts[word] {
                candidate.isRepeated = candidate.isRepeated || text != candidate.singleText ?? text
                candidate.singleText = text
            }
            // Of equally frequent forms, the shortest one is usually the one that a dictionary has.
            if (count, candidate.word.count, candidate.word) > (candidate.formTexts, word.count, word)
                || candidate.formTexts == 0
            {
                (candidate.word, candidate.formTexts) = (word, count)
            }
            result[stem] = candidate
        }
        // In a script without spaces, a phrase is treated as a word, unless it mostly occurs in a longer
        // phrase.
        for phrase in group.wholeCompounds(without: stopWords).keys {
            let count = group.phraseTexts[phrase, default: 0]
            result[phrase] = Candidate(
                word: phrase, texts: 3 * count, formTexts: count, isRepeated: count > 1)
        }
        return group.textCount < 3 ? result : result.filter(\.value.isRepeated)
    }

    private func stem(_ word: String, _ stems: inout [String: String]) -> String {
        if let stem = stems[word] { return stem }
        let stem = stem(of: word)
        stems[word] = stem
        return stem
    }

    /// The thresholds for misspelled words.
    private enum Misspelling {
        /// The minimum number of letters. Shorter words are often similar to another word.
        static let minimumLength = 6
        /// The minimum number of texts with the correct word for each text with a misspelling. Two words of
        /// a subject, such as "contract" and "contact", are often about equally frequent.
        static let minimumRatio = 3
    }

    /// Returns the words that are not misspellings of a much more frequent word among them. Otherwise, a
    /// misspelling would have a high weight, because other groups rarely contain it. A word with digits, such
    /// as "python3", is another name than one without them.
    private static func withoutMisspellings(_ words: [Candidate]) -> [Candidate] {
        let letters = words.map { $0.word.unicodeScalars.map(\.value) }
        return words.indices.filter { typed in
            guard letters[typed].count >= Misspelling.minimumLength else { return true }
            var edits = SpellingEdits(of: letters[typed], maximumDistance: 1)
            return !words.indices.contains { word in
                guard words[word].texts >= Misspelling.minimumRatio * words[typed].texts,
                    letters[word].first == letters[typed].first,
                    abs(letters[word].count - letters[typed].count) <= 1,
                    !words[word].word.contains(where: \.isNumber),
                    case .distance(1) = edits.compare(letters[word])
                else { return false }
                return true
            }
        }.map { words[$0] }
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
                result[earlier] = phrase(parts, group, weight: weight, lift: lift, &stems)
            } else {
                let used = known.isEmpty ? parts : [word.word]
                result.append(phrase(used, group, weight: word.weight, lift: word.lift, &stems))
            }
        }
        return result
    }

    /// Returns the phrase of some words.
    private func phrase(
        _ words: [String], _ group: WordCounts, weight: Double, lift: Double, _ stems: inout [String: String]
    ) -> LabelPhrase {
        let text = words.joined(separator: " ")
        let prefix = group.namePrefixes[text]?.usual.map { $0 + " " } ?? ""
        let isPhrase = words.count > 1 || !prefix.isEmpty
        return LabelPhrase(
            text: prefix.lowercased() + text,
            stem: isPhrase ? prefix.lowercased() + text : stem(text, &stems),
            spelling: prefix + group.spelling(ofPhrase: words), weight: weight, lift: lift)
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
            guard parts.count > 1, Set(parts).count == parts.count, excluded.isDisjoint(with: parts),
                group.nameParticles.isDisjoint(with: [parts[0], parts[parts.count - 1]])
            else { continue }
            let count = group.representative[phrase, default: 0]
            for part in parts where wanted.contains(part) { longer[part, default: []].append((parts, count)) }
        }
        return longer
    }
}

extension WordCounts {
    /// Returns a phrase as it is most often written in the texts, which can differ from how its words are
    /// written elsewhere. If its own spelling is never significant, each word is written as usual.
    fileprivate func spelling(ofPhrase words: [String]) -> String {
        let found = words.count > 1 ? phraseSpellings[words.joined(separator: " ")] : nil
        // Of equally frequent spellings, the one with fewer capital letters is used.
        let best = found?.max { ($0.value, $0.key) < ($1.value, $1.key) }
        return best?.key ?? words.map { spelling(of: $0) }.joined(separator: " ")
    }

    /// Returns a word as it is usually written in the texts.
    fileprivate func spelling(of word: String) -> String {
        guard let spelling = spellings[word] else { return spellingsElsewhere[word] ?? word }
        return spelling.isUsual ? spelling.text : word
    }
}
