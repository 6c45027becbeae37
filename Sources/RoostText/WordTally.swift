/// Counts the words and phrases in groups of texts. Words are numbered, so a phrase is represented by four
/// numbers and can be counted without creating a string.
struct WordTally: Sendable {
    /// The maximum number of words in a phrase.
    static let phraseWords = 4
    /// The number of bytes at the start of a text that are searched for phrases, which limits the time for
    /// long texts.
    private static let phraseBytes = 4000
    /// In groups with fewer texts than this, the text is recorded for each word that only one text contains.
    /// In larger groups, a word with few occurrences is not used in any form.
    private static let singleTextLimit = 100

    /// The properties of a word that do not depend on its context.
    private struct Term: Sendable {
        var text: String
        var isWord: Bool
        var isJoining: Bool
        var isParticle: Bool
        /// Whether the word is a stop word that can be part of a name (``NamePrefixes``).
        var isNamePart: Bool
        var isSeparateWord: Bool
        var languages: [Int]
        var script: WordScript
        /// The number of the clue to the language (``LanguageEvidence``).
        var clue: UInt16
        /// The number of occurrences in all groups whose spelling is informative (``SentenceSpelling``).
        var spelled: Int32 = 0
        /// The number of these occurrences that are not in lower case.
        var cased: Int32 = 0
        /// The number of informative occurrences within names, such as "de" in "Simone de Beauvoir".
        var inNames: Int32 = 0
        /// The number of occurrences whose spelling is uncertain.
        var uncertain: Int32 = 0
        /// The number of these occurrences that are not in lower case.
        var uncertainCased: Int32 = 0
        /// The spellings other than the text itself, and the number of occurrences of each.
        var spellings: [String: Int32] = [:]
        /// The same for the occurrences whose spelling is uncertain.
        var uncertainSpellings: [String: Int32] = [:]
    }

    private struct Count: Sendable {
        var occurrences: Int32 = 0
        var texts: Int32 = 0
        var titles: Int32 = 0
        var representative: Int32 = 0
        /// The number of occurrences whose spelling is significant (``SentenceSpelling``), and the number of
        /// these that are not in lower case.
        var (spelled, cased): (Int32, Int32) = (0, 0)
        /// The numbers of the latest text and the latest title that were counted.
        var (latestText, latestTitle): (Int32, Int32) = (0, 0)
    }

    /// A phrase and which of its words are not in lower case.
    private struct CasedPhrase: Sendable, Hashable {
        var phrase: SIMD4<Int32>
        /// A bit for each word.
        var cased: UInt8
    }

    private struct Group: Sendable {
        var words: [Int32: Count] = [:]
        /// The counts of phrases. A phrase is represented by the number of each word plus 1, padded with
        /// zeros.
        var phrases: [SIMD4<Int32>: Count] = [:]
        /// The numbers of occurrences of phrases in each spelling that is not in lower case.
        var casedPhrases: [CasedPhrase: Int32] = [:]
        /// The stop words before each phrase or single word.
        var prefixes: [SIMD4<Int32>: NamePrefixes] = [:]
        var textCount: Int32 = 0
        var languages = LanguageCounts()
        var evidence = LanguageEvidence()
    }

    private var groups: [Group]
    /// The number of texts of all groups.
    private var textCount: Int32 = 0
    private var terms: [Term] = []
    private var numbers: [String: Int32] = [:]
    private let stopWords: Set<String>

    init(groups: Int, stopWords: Set<String>) {
        self.groups = Array(repeating: Group(), count: groups)
        self.stopWords = stopWords
    }

    /// Counts the words of a text that belongs to a group, and its phrases if it is representative.
    ///
    /// - Parameter folders: The names of the folders that contain the text.
    mutating func add(_ text: String, to group: Int, isRepresentative: Bool, folders: [String] = []) {
        groups[group].textCount += 1
        textCount += 1
        let latest = textCount
        let language = countWords(MarkupMask.masked(Array(text.utf8)), group, isRepresentative)
        let titles = [TextTitle.title(of: text, as: .words)].compactMap(\.self) + folders
        for title in titles.map({ Array($0.utf8) }) {
            for word in Words(utf8: title) {
                let number = number(word.content(in: language, of: title))
                guard terms[Int(number)].isWord else { continue }
                let update: (inout Count) -> Void = { count in
                    if count.latestTitle < latest { count.titles += 1 }
                    count.latestTitle = latest
                }
                update(&groups[group].words[number, default: Count()])
            }
        }
    }

    /// A word of a text.
    private struct TextWord {
        /// The word without what is written together with it (``Elision``).
        var word: Words.Word
        /// The number of the word.
        var number: Int32
        /// The range of the word with what is written together with it.
        var whole: Range<Int>
    }

    /// Returns the words of a text and its language. Adds the evidence for the language to that of the group.
    private mutating func words(
        of utf8: [UInt8], _ group: Int
    ) -> (words: [TextWord], language: TextLanguage) {
        var (evidence, languages) = (LanguageEvidence(), LanguageCounts.Text())
        var hasApostrophes = false
        var words: [TextWord] = []
        for word in Words(utf8: utf8) {
            let number = number(word)
            words.append(TextWord(word: word, number: number, whole: word.utf8Range))
            languages.add(terms[Int(number)].languages)
            evidence.add(terms[Int(number)].clue)
            if word.folded.utf8.contains(UInt8(ascii: "'")) { hasApostrophes = true }
        }
        groups[group].languages.add(languages)
        groups[group].evidence.add(evidence)
        let language = evidence.best(.latin, default: .english)
        guard hasApostrophes, language != .english else { return (words, language) }
        for index in words.indices {
            let content = words[index].word.content(in: language, of: utf8)
            guard content != words[index].word else { continue }
            (words[index].word, words[index].number) = (content, number(content))
        }
        return (words, language)
    }

    /// Counts the words and phrases of a text.
    ///
    /// - Returns: The language of the text.
    private mutating func countWords(
        _ utf8: [UInt8], _ group: Int, _ isRepresentative: Bool
    ) -> TextLanguage {
        let latest = textCount
        // The numbers of the most recent consecutive words that may form a phrase, and the end offset of the
        // last one.
        var (run, end): ([Int32], Int) = ([], -2)
        let (words, language) = words(of: utf8, group)
        var sentence = SentenceSpelling(in: language)
        for item in words {
            let (word, number) = (item.word, item.number)
            if isRepresentative, word.utf8Range.upperBound <= Self.phraseBytes {
                countSpellings(sentence.add(number, word, whole: item.whole, in: utf8), group)
            }
            let (isWord, isJoining, isParticle, isSeparateWord) = (
                terms[Int(number)].isWord, terms[Int(number)].isJoining, terms[Int(number)].isParticle,
                terms[Int(number)].isSeparateWord
            )
            let isSearched = isRepresentative && word.utf8Range.upperBound <= Self.phraseBytes
            if isWord { Self.count(&groups[group].words[number, default: Count()], latest, isSearched) }
            guard isSearched else { continue }
            let start = word.utf8Range.lowerBound
            let followsRun =
                (end == start - 1 && (utf8[end] == UInt8(ascii: " ") || utf8[end] == UInt8(ascii: "-")))
                || (end == start && isSeparateWord)
            // A short word may follow the first word of a phrase, as in "top up" and "proof of identity".
            guard isWord || (followsRun && !run.isEmpty && isJoining) else {
                run.removeAll(keepingCapacity: true)
                continue
            }
            if !followsRun { run.removeAll(keepingCapacity: true) }
            if run.count == Self.phraseWords { run.removeFirst() }
            run.append(number)
            end = word.utf8Range.upperBound
            guard run.count > 1, isWord || isParticle else { continue }
            for first in 0..<(run.count - 1) where !terms[Int(run[first])].isJoining {
                var phrase = SIMD4<Int32>()
                for index in first..<run.count { phrase[index - first] = run[index] + 1 }
                Self.count(&groups[group].phrases[phrase, default: Count()], latest, true)
            }
        }
        countSpellings(sentence.finish(), group)
        return language
    }

    /// Counts the spellings of the words of one sentence.
    private mutating func countSpellings(_ words: [SentenceSpelling.Word], _ group: Int) {
        for word in words where terms[Int(word.number)].isWord {
            let index = Int(word.number)
            if word.isUncertain {
                terms[index].uncertain += 1
                guard let spelling = word.spelling else { continue }
                terms[index].uncertainCased += 1
                terms[index].uncertainSpellings[spelling, default: 0] += 1
            } else {
                groups[group].words[word.number, default: Count()].spelled += 1
                terms[index].spelled += 1
                guard let spelling = word.spelling else { continue }
                groups[group].words[word.number, default: Count()].cased += 1
                terms[index].cased += 1
                terms[index].spellings[spelling, default: 0] += 1
            }
        }
        countPhraseSpellings(words, group)
        countNameParticles(words)
    }

    /// Counts the function words of other languages between words with capital letters.
    private mutating func countNameParticles(_ words: [SentenceSpelling.Word]) {
        func isParticle(_ word: SentenceSpelling.Word) -> Bool {
            let term = terms[Int(word.number)]
            return word.spelling == nil && term.isWord && !term.languages.isEmpty
        }
        guard words.count > 2 else { return }
        for index in 1..<(words.count - 1) where isParticle(words[index]) && !words[index].isUncertain {
            let (previous, next) = (words[index - 1], words[index + 1])
            let isInName =
                (previous.spelling != nil && (next.spelling != nil || isParticle(next)))
                || (isParticle(previous) && next.spelling != nil)
            if isInName { terms[Int(words[index].number)].inNames += 1 }
        }
    }

    /// Counts the spellings of the phrases of one sentence. Those with a word whose spelling is uncertain do
    /// not count.
    private mutating func countPhraseSpellings(_ words: [SentenceSpelling.Word], _ group: Int) {
        for first in words.indices where terms[Int(words[first].number)].isWord {
            var key = CasedPhrase(phrase: SIMD4(), cased: 0)
            let prefix = namePrefix(words, before: first)
            for (index, word) in words[first...].prefix(Self.phraseWords).enumerated() {
                guard !word.isUncertain else { break }
                key.phrase[index] = word.number + 1
                if word.spelling != nil { key.cased |= 1 << UInt8(index) }
                let isPhrase = index > 0 && groups[group].phrases[key.phrase] != nil
                if let prefix, isPhrase || index == 0 {
                    groups[group].prefixes[key.phrase, default: NamePrefixes()]
                        .add(prefix.spelling, isCertain: prefix.isCertain)
                }
                guard isPhrase else { continue }
                groups[group].phrases[key.phrase]?.spelled += 1
                guard key.cased != 0 else { continue }
                groups[group].phrases[key.phrase]?.cased += 1
                groups[group].casedPhrases[key, default: 0] += 1
            }
        }
    }

    /// Returns the spelling of a stop word with a capital letter directly before a word that has one too, or
    /// of one that is an abbreviation, such as "US"; otherwise `nil`.
    private func namePrefix(
        _ words: [SentenceSpelling.Word], before index: Int
    ) -> (spelling: String, isCertain: Bool)? {
        guard index > 0, words[index].isAdjacent, let spelling = words[index - 1].spelling,
            terms[Int(words[index - 1].number)].isNamePart
        else { return nil }
        let isAbbreviation = words[index - 1].isUppercase
        guard isAbbreviation || words[index].spelling != nil else { return nil }
        return (spelling, isAbbreviation || !words[index - 1].isUncertain)
    }

    private static func count(_ count: inout Count, _ latest: Int32, _ isRepresentative: Bool) {
        count.occurrences += 1
        if isRepresentative { count.representative += 1 }
        if count.latestText < latest { count.texts += 1 }
        count.latestText = latest
    }

    /// Returns the number of a word.
    private mutating func number(_ word: Words.Word) -> Int32 {
        var term = word.folded
        if term.hasSuffix("'s") { term.removeLast(2) }
        if let number = numbers[term] { return number }
        let number = Int32(terms.count)
        let spelling = WordFolding(term.utf8).spelling
        let languages = KeywordRules.languagesOfStopWords[term] ?? []
        terms.append(
            Term(
                text: term, isWord: !stopWords.contains(term) && KeywordRules.isSignificant(term),
                isJoining: KeywordRules.joiningWords.contains(term),
                isParticle: KeywordRules.particles.contains(term),
                isNamePart: (stopWords.contains(term) || !languages.isEmpty)
                    && !KeywordRules.namelessStopWords.contains(term),
                isSeparateWord: KeywordRules.isSeparateWord(term),
                languages: languages, script: WordScript.script(of: spelling),
                clue: LanguageEvidence.number(of: spelling)))
        numbers[term] = number
        return number
    }

    // MARK: Results

    /// The languages of the words whose language is not the usual one of their alphabet
    /// (``TextLanguages/init()``). The language of a word is that of most of its occurrences. The language of
    /// an occurrence is that of its group, because a short text has too little evidence of its own.
    var languages: [String: TextLanguage] {
        let (usual, found) = (TextLanguages(), groups.map(\.evidence.languages))
        var occurrences: [Int32: [TextLanguage: Int]] = [:]
        for (group, languages) in zip(groups, found) where languages != usual {
            for number in group.words.keys {
                let script = terms[Int(number)].script
                if languages[script] != usual[script] { occurrences[number] = [:] }
            }
        }
        guard !occurrences.isEmpty else { return [:] }
        for (group, languages) in zip(groups, found) {
            for (number, count) in group.words where occurrences[number] != nil {
                let language = languages[terms[Int(number)].script]
                occurrences[number]?[language, default: 0] += max(1, Int(count.occurrences))
            }
        }
        var result: [String: TextLanguage] = [:]
        for (number, counts) in occurrences {
            let best = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
            result[terms[Int(number)].text] = best?.key
        }
        return result
    }

    /// The counts of each group.
    var counts: [WordCounts] { groups.map(counts) }

    private func counts(_ group: Group) -> WordCounts {
        var result = WordCounts()
        (result.textCount, result.languages) = (Int(group.textCount), group.languages)
        for (number, count) in group.words {
            let word = terms[Int(number)].text
            // A word may have been counted only in titles, if its other occurrences are within markup.
            if count.occurrences > 0 {
                result.words[word] = Int(count.occurrences)
                result.texts[word] = Int(count.texts)
                result.wordCount += Int(count.occurrences)
            }
            if count.titles > 0 { result.titles[word] = Int(count.titles) }
            if max(count.texts, count.titles) == 1, group.textCount < Self.singleTextLimit {
                result.singleTexts[word] = Int(count.texts > 0 ? count.latestText : count.latestTitle)
            }
            let usual = spelling(of: terms[Int(number)])
            if var usual, count.cased > 0 {
                (usual.cased, usual.count) = (Int(count.cased), Int(count.spelled))
                result.spellings[word] = usual
            } else if let usual, count.spelled == 0, usual.isUsual {
                result.spellingsElsewhere[word] = usual.text
            }
            if 2 * terms[Int(number)].inNames > terms[Int(number)].spelled {
                result.nameParticles.insert(word)
            }
            if count.representative > 0 { result.representative[word] = Int(count.representative) }
        }
        for (phrase, count) in group.phrases where count.texts > 1 {
            let text = joined(phrase)
            result.representative[text, default: 0] += Int(count.representative)
            result.phraseTexts[text, default: 0] += Int(count.texts)
            if count.spelled > 0 { result.phraseSpellings[text] = [text: Int(count.spelled - count.cased)] }
        }
        for (phrase, prefixes) in group.prefixes {
            var prefixes = prefixes
            let count = phrase[1] == 0 ? group.words[phrase[0] - 1] : group.phrases[phrase]
            prefixes.occurrences = Int(count?.spelled ?? 0)
            result.namePrefixes[joined(phrase), default: NamePrefixes()].add(prefixes)
        }
        for (key, count) in group.casedPhrases where (group.phrases[key.phrase]?.texts ?? 0) > 1 {
            result.phraseSpellings[joined(key.phrase), default: [:]][
                joined(key.phrase, cased: key.cased), default: 0] += Int(count)
        }
        return result
    }

    /// Returns the most frequent spelling that is not in lower case, with the counts of all groups;
    /// otherwise `nil`.
    private func spelling(of term: Term) -> WordSpelling? {
        // A word that is never written in lower case where its spelling is certain is probably a name.
        let (spellings, cased, count) =
            term.spelled > 0
            ? (term.spellings, term.cased, term.spelled)
            : (term.uncertainSpellings, term.uncertainCased, term.uncertain)
        let best = spellings.max { ($0.value, $1.key) < ($1.value, $0.key) }
        return best.map { WordSpelling(text: $0.key, cased: Int(cased), count: Int(count)) }
    }

    /// Returns the words of a phrase with spaces, except in scripts without them.
    ///
    /// - Parameter cased: A bit for each word that is not in lower case.
    private func joined(_ phrase: SIMD4<Int32>, cased: UInt8 = 0) -> String {
        var result = ""
        for index in 0..<Self.phraseWords where phrase[index] > 0 {
            let term = terms[Int(phrase[index] - 1)]
            if !result.isEmpty, !term.isSeparateWord { result += " " }
            let isCased = cased & 1 << UInt8(index) != 0
            result += isCased ? spelling(of: term)?.text ?? term.text : term.text
        }
        return result
    }
}
