/// Finds the words of a store that a misspelled word of a query probably stands for.
struct SpellingCorrector {
    private let parts: [TextPart]
    private let languages: Set<TextLanguage>
    private let visible: VisibleDocuments?

    /// - Parameters:
    ///   - languages: The languages of the texts.
    ///   - visible: The documents from which corrections are taken; `nil` for all.
    init(_ parts: [TextPart], languages: Set<TextLanguage>, among visible: VisibleDocuments? = nil) {
        self.parts = parts
        self.visible = visible
        self.languages = languages.union([.english])
    }

    /// A word of the store that is similar to a misspelled word.
    struct Candidate: Sendable {
        /// The UTF-8 of the word in lower case without diacritics.
        var word: [UInt8]
        /// The number of texts that contain it.
        var frequency: Int
        var distance: Int
    }

    /// The minimum lengths, in letters, of words in which one error and two errors are corrected. In shorter
    /// words, corrections are unreliable, because too many words are similar to each other.
    private static let (minimumLength, lengthForTwo) = (3, 8)
    /// The maximum length of a word that is corrected.
    private static let maximumLength = 40
    /// The length of words in which only a missing letter and a transposition are corrected.
    private static let shortLength = 3
    /// The minimum number of texts with a word from which a short word lacks a letter. Nearly every short
    /// word becomes some word of the texts if a letter is added (`git`, German "gibt"), but seldom a frequent
    /// one.
    private static let minimumFrequencyOfLonger = 10
    /// The minimum sum of the logarithms of frequency and likelihood for a word with fewer letters than
    /// `lengthForTwo`. Many short names are similar to some word of the store: "redis" is not a misspelled
    /// "reds", which one text contains.
    private static let minimumScore = -1.5

    /// Returns the most likely word, or `nil` if no word is similar enough.
    ///
    /// - Parameters:
    ///   - word: The UTF-8 of the misspelled word in lower case without diacritics.
    ///   - language: The language of the query; `nil` if it is not known. Words with fewer letters than
    ///     `lengthForTwo` are corrected only to words of this language, because by chance they are similar to
    ///     some word of another one.
    /// - Complexity: Proportional to the number of words with a similar beginning.
    func correction(of word: [UInt8], in language: TextLanguage? = nil) -> Candidate? {
        let letters = Self.letters(word)
        guard (Self.minimumLength...Self.maximumLength).contains(letters.count),
            letters.allSatisfy(Self.isLetter)
        else { return nil }
        let isShort = letters.count < Self.lengthForTwo
        let nearest = similar(
            to: letters, maximumDistance: 1, equalPrefix: 0, in: isShort ? language : nil)
        if let best = best(nearest, letters) { return best }
        guard !isShort else { return nil }
        // Nearly all of the many words with another first letter would be wrong.
        return best(similar(to: letters, maximumDistance: 2, equalPrefix: 1), letters)
    }

    /// Returns whether a text contains the word itself, also as a part of an identifier, and not only another
    /// form of it.
    ///
    /// - Parameter word: The UTF-8 of a word in lower case without diacritics.
    func isKnown(_ word: [UInt8]) -> Bool {
        let partOfIdentifier = Term(.part, word).listing(in: .english)
        return parts.enumerated().contains { number, part in
            part.index.reading {
                part.index.words.indices(beginningWith: word).contains { index in
                    let listed = part.index.words[index]
                    guard
                        Term.word(ofListing: listed)?.elementsEqual(word) == true
                            || listed.elementsEqual(partOfIdentifier)
                    else { return false }
                    return part.textCount(ofWord: index) { visible?.contains(number, $0) ?? true } > 0
                }
            }
        }
    }

    /// Returns the most frequent English word with the same stem from which a word differs by one error, or
    /// `nil` if the word may be an inflected form.
    ///
    /// Texts with "example" are found by "exampl" as well, because both have one stem, but a model does not
    /// recognize the misspelled word.
    ///
    /// - Parameter word: The UTF-8 of a word in lower case without diacritics that no text contains.
    /// - Complexity: Proportional to the number of words that begin with the same letters.
    func correctionWithEqualStem(of word: [UInt8]) -> Candidate? {
        let letters = Self.letters(word)
        guard (Self.lengthOfEqualPrefix + 1...Self.maximumLength).contains(letters.count),
            letters.allSatisfy({ (97...122).contains($0) })
        else { return nil }
        let stem = Term(.word, word).key(in: .english)
        let found = similar(
            to: letters, maximumDistance: 1, equalPrefix: Self.lengthOfEqualPrefix, in: .english
        ).values.filter { $0.frequency > 0 && Term(.word, $0.word).key(in: .english) == stem }
        guard !found.contains(where: { RegularForms.areRelated($0.word, word) }) else { return nil }
        return found.max {
            $0.frequency < $1.frequency
                || ($0.frequency == $1.frequency && $1.word.lexicographicallyPrecedes($0.word))
        }
    }

    /// The number of letters at the beginning of a word that belong to its stem in any case.
    private static let lengthOfEqualPrefix = 3

    private static func letters(_ word: [UInt8]) -> [UInt32] {
        word.contains { $0 >= 128 }
            ? String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value) : word.map(UInt32.init)
    }

    private static func isLetter(_ value: UInt32) -> Bool {
        if value < 128 { return (97...122).contains(value) || value == 39 }
        guard let scalar = Unicode.Scalar(value) else { return false }
        return CharacterClass.ofNonASCII(scalar) == .word && scalar.properties.numericType == nil
    }

    private func best(_ found: [[UInt8]: Candidate], _ typed: [UInt32]) -> Candidate? {
        func score(_ candidate: Candidate) -> Double {
            logarithm(Double(candidate.frequency))
                + TypingErrors.likelihood(
                    of: typed, for: Self.letters(candidate.word), distance: candidate.distance)
        }
        let allowed = found.values.filter {
            // A stop word matches most texts, and its high frequency would outweigh the intended word.
            guard $0.frequency > 0, !StopWords.contains($0.word, in: languages) else { return false }
            let length = Self.letters($0.word).count
            guard typed.count <= Self.shortLength else { return true }
            return length > typed.count
                ? $0.frequency >= Self.minimumFrequencyOfLonger
                : Self.letters($0.word).sorted() == typed.sorted()
        }
        // In Arabic and other languages with other letters, similar words are often forms of one word.
        let isShort = typed.count < Self.lengthForTwo && typed.allSatisfy { $0 < 128 }
        let minimum = isShort ? Self.minimumScore : -.infinity
        return allowed.map { (candidate: $0, score: score($0)) }
            .filter { $0.score >= minimum }
            .max {
                $0.score < $1.score
                    || ($0.score == $1.score
                        && $1.candidate.word.lexicographicallyPrecedes($0.candidate.word))
            }?.candidate
    }

    // MARK: Lookup

    /// Returns the words within a distance of a misspelled word.
    ///
    /// - Parameters:
    ///   - equalPrefix: The number of letters at the beginning that must be equal.
    ///   - language: The language as whose words they are listed; `nil` for all.
    private func similar(
        to letters: [UInt32], maximumDistance: Int, equalPrefix: Int, in language: TextLanguage? = nil
    ) -> [[UInt8]: Candidate] {
        var found: [[UInt8]: Candidate] = [:]
        var prefix = String.UnicodeScalarView()
        prefix.append(contentsOf: letters.prefix(equalPrefix).compactMap(Unicode.Scalar.init))
        let beginning = Array(String(prefix).utf8)
        for (number, part) in parts.enumerated() {
            part.index.reading {
                let words = part.index.words
                let range = words.indices(beginningWith: beginning)
                var edits = SpellingEdits(of: letters, maximumDistance: maximumDistance)
                Self.visit(words, range, &edits) { index, word, distance in
                    if let language, !words[index].elementsEqual(Term(.word, word).listing(in: language)) {
                        return
                    }
                    let count = part.textCount(ofWord: index) { visible?.contains(number, $0) ?? true }
                    found[word, default: Candidate(word: word, frequency: 0, distance: distance)]
                        .frequency += count
                }
            }
        }
        return found
    }

    /// Calls `body` with the words within the distance.
    private static func visit(
        _ words: InvertedIndex.Dictionary, _ range: Range<Int>, _ edits: inout SpellingEdits,
        _ body: (_ index: Int, _ word: [UInt8], _ distance: Int) -> Void
    ) {
        var index = range.lowerBound
        while index < range.upperBound {
            guard let bytes = Term.word(ofListing: words[index]) else {
                index += 1
                continue
            }
            let word = letters(bytes)
            switch edits.compare(word) {
            case .distance(let distance):
                if distance > 0, word.allSatisfy(isLetter) { body(index, Array(bytes), distance) }
                index += 1
            case .distant: index += 1
            case .distantPrefix(let length):
                index = words.firstIndex(
                    after: index, notBeginningWith: Self.prefix(bytes, length), limit: range.upperBound)
            }
        }
    }

    private static func letters(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt32] {
        var letters: [UInt32] = []
        letters.reserveCapacity(bytes.count)
        var offset = 0
        while offset < bytes.count {
            let (scalar, width) = UTF8Decoding.scalar(bytes, offset)
            letters.append(scalar.value)
            offset += width
        }
        return letters
    }

    /// Returns the first letters of a word.
    private static func prefix(_ bytes: UnsafeBufferPointer<UInt8>, _ length: Int) -> [UInt8] {
        var offset = 0
        for _ in 0..<length where offset < bytes.count { offset += UTF8Decoding.scalar(bytes, offset).width }
        return Array(bytes.prefix(offset))
    }
}

extension InvertedIndex.Dictionary {
    /// Returns the index of the first string after an index that does not begin with a prefix.
    ///
    /// - Parameter index: The index of a string that begins with the prefix.
    /// - Complexity: O(log strings with the prefix).
    func firstIndex(after index: Int, notBeginningWith prefix: [UInt8], limit: Int) -> Int {
        var (low, step) = (index, 1)
        while low + step < limit, self[low + step].starts(with: prefix) {
            low += step
            step *= 2
        }
        return (low + 1..<min(limit, low + step)).partitioningIndex { !self[$0].starts(with: prefix) }
    }
}

extension TextPart {
    /// Returns the number of texts that contain a form of a word in any field, are visible and are not
    /// deleted.
    ///
    /// - Parameter word: The number of the form in the index.
    fileprivate func textCount(ofWord word: Int, where isVisible: (_ document: Int) -> Bool) -> Int {
        func isCounted(_ document: Int) -> Bool { !isRemoved(document) && isVisible(document) }
        var inFields: [Int] = []
        index.forEachFieldPosting(ofWord: word) { document, _ in
            if isCounted(document) { inFields.append(document) }
        }
        var (count, next) = (inFields.count, 0)
        index.forEachPosting(ofWord: word) { document, _ in
            while next < inFields.count, inFields[next] < document { next += 1 }
            let isKnown = next < inFields.count && inFields[next] == document
            if !isKnown, isCounted(document) { count += 1 }
        }
        return count
    }
}
