import RoostText

/// Counts the words and phrases in groups of texts. Words are numbered, so a phrase is represented by four
/// numbers and can be counted without creating a string.
struct WordTally: Sendable {
    private static let phraseWords = 4
    /// The number of bytes at the start of a text that are searched for phrases, which limits the time for long texts.
    private static let phraseBytes = 4000

    private struct Spellings: Sendable {
        var count: Int32 = 0
        /// The number of occurrences in each spelling that is not in lower case.
        var cased: [String: Int32] = [:]

        /// The most frequent spelling that is not in lower case, if most occurrences are not.
        var usual: String? {
            guard 2 * cased.values.reduce(0, +) > count else { return nil }
            return cased.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        }
    }

    /// The properties of a word that do not depend on its context.
    private struct Term: Sendable {
        var text: String
        var isWord: Bool
        var isJoining: Bool
        var isSeparateWord: Bool
        var script: WordScript
        /// The number of the clue to the language (``LanguageEvidence``).
        var clue: UInt16
        /// The spellings within sentences, and as first words of sentences, which all have a capital letter.
        var inside = Spellings()
        var first = Spellings()

        /// The spelling that people use, such as "PostgreSQL".
        var spelling: String { (inside.count > 0 ? inside.usual : first.usual) ?? text }
    }

    private struct Count: Sendable {
        var texts: Int32 = 0
        var titles: Int32 = 0
        var representative: Int32 = 0
        var (latestText, latestTitle): (Int32, Int32) = (0, 0)
    }

    private struct Group: Sendable {
        var words: [Int32: Count] = [:]
        /// The counts of phrases. A phrase is represented by the number of each word plus 1, padded with zeros.
        var phrases: [SIMD4<Int32>: Count] = [:]
        var textCount: Int32 = 0
        var languages: [TextLanguage: Int] = [:]
        var evidence = LanguageEvidence()
    }

    private var groups: [Group]
    private var textCount: Int32 = 0
    private var terms: [Term] = []
    private var numbers: [String: Int32] = [:]
    private let stopWords: Set<String>

    /// - Parameter excluded: Words in lower case that do not occur in labels.
    init(groups: Int, excluded: Set<String> = []) {
        self.groups = Array(repeating: Group(), count: groups)
        stopWords = StopWords.english.union(excluded)
    }

    /// Returns the number of representative texts of each group: about 20,000 in total, which limits the memory for
    /// phrases.
    static func representativeTextCount(forGroups groups: Int) -> Int {
        min(200, max(20, 20_000 / max(1, groups)))
    }

    /// Counts the words of a text that belongs to a group, and its phrases if it is representative.
    ///
    /// Addresses, markup, numbers and identifiers such as hashes are not counted.
    ///
    /// - Parameters:
    ///   - title: The title of the text; `nil` for its first sentence.
    ///   - folders: The names of the folders that contain the text. They count like words of its title.
    mutating func add(
        _ text: String, title: String? = nil, to group: Int, isRepresentative: Bool = false,
        folders: [String] = []
    ) {
        groups[group].textCount += 1
        textCount += 1
        let latest = textCount
        let language = countWords(MarkupMask.masked(Array(text.utf8)), group, isRepresentative)
        let title = title ?? TextTitle.firstSentence(of: text)
        let titles = title.map { [MarkupMask.masked(Array($0.utf8))] } ?? []
        for title in titles + folders.map({ Array($0.utf8) }) {
            for word in Words.divided(title) {
                let number = number(word.content(in: language, of: title))
                guard terms[Int(number)].isWord else { continue }
                var count = groups[group].words[number, default: Count()]
                if count.latestTitle < latest { count.titles += 1 }
                count.latestTitle = latest
                groups[group].words[number] = count
            }
        }
    }

    private struct TextWord {
        /// The word without what is written together with it (``Elision``).
        var word: Words.Word
        var number: Int32
        /// The range of the word with what is written together with it.
        var whole: Range<Int>
    }

    /// Returns the words of a text and its language. Adds the evidence for the language to that of the group.
    private mutating func words(
        of utf8: [UInt8], _ group: Int
    ) -> (words: [TextWord], language: TextLanguage) {
        var evidence = LanguageEvidence()
        var hasApostrophes = false
        var words: [TextWord] = []
        for word in Words.divided(utf8) {
            let number = number(word)
            words.append(TextWord(word: word, number: number, whole: word.utf8Range))
            evidence.add(terms[Int(number)].clue)
            if word.folded.utf8.contains(UInt8(ascii: "'")) { hasApostrophes = true }
        }
        groups[group].evidence.add(evidence)
        let language = evidence.best(.latin, default: .english)
        groups[group].languages[language, default: 0] += 1
        guard hasApostrophes, language != .english else { return (words, language) }
        for index in words.indices {
            let content = words[index].word.content(in: language, of: utf8)
            guard content != words[index].word else { continue }
            (words[index].word, words[index].number) = (content, number(content))
        }
        return (words, language)
    }

    private mutating func countWords(
        _ utf8: [UInt8], _ group: Int, _ isRepresentative: Bool
    ) -> TextLanguage {
        let latest = textCount
        // The numbers of the most recent consecutive words that may form a phrase, the end offset of the last
        // one, and that of the last word.
        var (run, end, last): ([Int32], Int, Int) = ([], -2, 0)
        let (words, language) = words(of: utf8, group)
        for item in words {
            let (word, number) = (item.word, item.number)
            // A copy of the term would count the references to its spellings.
            let (isWord, isJoining) = (terms[Int(number)].isWord, terms[Int(number)].isJoining)
            let isSearched = isRepresentative && word.utf8Range.upperBound <= Self.phraseBytes
            if isWord { Self.count(&groups[group].words[number, default: Count()], latest, isSearched) }
            guard isSearched else { continue }
            let isFirst = last == 0 || utf8[last..<item.whole.lowerBound].contains(where: Self.endsSentence)
            if isWord { countSpelling(number, utf8[word.utf8Range], isFirst: isFirst) }
            last = item.whole.upperBound
            let start = word.utf8Range.lowerBound
            let followsRun =
                (end == start - 1 && (utf8[end] == UInt8(ascii: " ") || utf8[end] == UInt8(ascii: "-")))
                || (end == start && terms[Int(number)].isSeparateWord)
            // "of" may follow the first word of a phrase, as in "proof of identity".
            guard isWord || (followsRun && !run.isEmpty && isJoining) else {
                run.removeAll(keepingCapacity: true)
                continue
            }
            if !followsRun { run.removeAll(keepingCapacity: true) }
            if run.count == Self.phraseWords { run.removeFirst() }
            run.append(number)
            end = word.utf8Range.upperBound
            guard run.count > 1, isWord else { continue }
            for first in 0..<(run.count - 1) where !terms[Int(run[first])].isJoining {
                var phrase = SIMD4<Int32>()
                for index in first..<run.count { phrase[index - first] = run[index] + 1 }
                Self.count(&groups[group].phrases[phrase, default: Count()], latest, true)
            }
        }
        return language
    }

    private static func endsSentence(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "\n"),
            UInt8(ascii: "\r"), UInt8(ascii: "\""), UInt8(ascii: "|"):
            true
        // The first byte of typographic quotation marks, dashes and bullets.
        case 0xE2: true
        default: false
        }
    }

    private mutating func countSpelling(_ number: Int32, _ bytes: ArraySlice<UInt8>, isFirst: Bool) {
        let path = isFirst ? \Term.first : \Term.inside
        terms[Int(number)][keyPath: path].count += 1
        guard bytes.contains(where: { (65...90).contains($0) || $0 >= 0x80 }) else { return }
        var text = String(decoding: bytes, as: UTF8.self)
        guard text.contains(where: \.isUppercase) else { return }
        for ending in ["'s", "\u{2019}s"] where text.hasSuffix(ending) { text.removeLast(2) }
        terms[Int(number)][keyPath: path].cased[text, default: 0] += 1
    }

    private static func count(_ count: inout Count, _ latest: Int32, _ isRepresentative: Bool) {
        if isRepresentative { count.representative += 1 }
        if count.latestText < latest { count.texts += 1 }
        count.latestText = latest
    }

    private mutating func number(_ word: Words.Word) -> Int32 {
        var term = word.folded
        if term.hasSuffix("'s") { term.removeLast(2) }
        if let number = numbers[term] { return number }
        let number = Int32(terms.count)
        let spelling = WordFolding(term.utf8).spelling
        terms.append(
            Term(
                text: term,
                isWord: !stopWords.contains(term) && KeywordRules.isSignificant(term),
                isJoining: KeywordRules.joiningWords.contains(term),
                isSeparateWord: KeywordRules.isSeparateWord(term),
                script: WordScript.script(of: spelling), clue: LanguageEvidence.number(of: spelling)))
        numbers[term] = number
        return number
    }

    // MARK: Results

    /// Returns the vocabularies of the groups, from which keywords and labels are chosen.
    ///
    /// - Parameter parents: The parent of each group, or an empty array if the groups do not form a
    ///   hierarchy. A parent group uses the texts of its descendants and is compared with other parents.
    func vocabularies(parents: [Int?] = []) -> GroupVocabularies {
        var spellings: [String: String] = [:]
        for term in terms where term.spelling != term.text { spellings[term.text] = term.spelling }
        return GroupVocabularies(
            groups.map(counts), parents: parents, languages: languages, spellings: spellings)
    }

    /// The languages of the words whose language is not the usual one of their alphabet
    /// (``TextLanguages/init()``). The language of a word is that of most of the texts that contain it. The
    /// language of a text is that of its group, because a short text has too little evidence of its own.
    private var languages: [String: TextLanguage] {
        let (usual, found) = (TextLanguages(), groups.map(\.evidence.languages))
        var texts: [Int32: [TextLanguage: Int]] = [:]
        for (group, languages) in zip(groups, found) where languages != usual {
            for number in group.words.keys {
                let script = terms[Int(number)].script
                if languages[script] != usual[script] { texts[number] = [:] }
            }
        }
        guard !texts.isEmpty else { return [:] }
        for (group, languages) in zip(groups, found) {
            for (number, count) in group.words where texts[number] != nil {
                let language = languages[terms[Int(number)].script]
                texts[number]?[language, default: 0] += max(1, Int(count.texts))
            }
        }
        var result: [String: TextLanguage] = [:]
        for (number, counts) in texts {
            let best = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
            result[terms[Int(number)].text] = best?.key
        }
        return result
    }

    private func counts(_ group: Group) -> WordCounts {
        var result = WordCounts()
        (result.textCount, result.languages) = (Int(group.textCount), group.languages)
        for script in WordScript.allCases {
            let language = group.evidence.best(script, default: .unstemmed)
            result.languages[language, default: 0] += result.textCount
        }
        for (number, count) in group.words {
            let word = terms[Int(number)].text
            // A word may have been counted only in titles, if its other occurrences are within markup.
            if count.texts > 0 { result.texts[word] = Int(count.texts) }
            if count.titles > 0 { result.titles[word] = Int(count.titles) }
            if count.representative > 0 { result.representative[word] = Int(count.representative) }
        }
        for (phrase, count) in group.phrases where count.texts > 1 {
            let text = joined(phrase)
            result.representative[text, default: 0] += Int(count.representative)
            result.phraseTexts[text, default: 0] += Int(count.texts)
        }
        return result
    }

    private func joined(_ phrase: SIMD4<Int32>) -> String {
        var result = ""
        for index in 0..<Self.phraseWords where phrase[index] > 0 {
            let term = terms[Int(phrase[index] - 1)]
            if !result.isEmpty, !term.isSeparateWord { result += " " }
            result += term.text
        }
        return result
    }
}
