/// Finds the words of a collection that a misspelled word may stand for.
///
/// A word that no text contains is replaced with the word at the smallest distance that most texts contain.
struct SpellingCorrector {
    private let parts: [TextPart]
    /// The texts whose words may be suggested; `nil` for all.
    private let visible: VisibleDocuments?

    /// The minimum length of a word that is corrected, and the length from which two errors are corrected.
    /// Below, another word is more likely than an error.
    private static let (minimumLength, lengthForTwo) = (4, 8)
    /// Longer words are data.
    private static let maximumLength = 40

    init(_ parts: [TextPart], among visible: VisibleDocuments?) {
        (self.parts, self.visible) = (parts, visible)
    }

    /// A word of the texts.
    private struct Candidate {
        var word: [UInt8]
        /// The number of texts that contain the word.
        var frequency = 0
        var distance: Int

        func isBetter(than other: Candidate) -> Bool {
            if distance != other.distance { return distance < other.distance }
            if frequency != other.frequency { return frequency > other.frequency }
            return word.lexicographicallyPrecedes(other.word)
        }
    }

    /// Returns the correction of a word that no text contains.
    ///
    /// - Parameter word: The UTF-8 of the word in lower case without diacritics.
    /// - Returns: `nil` if no word is similar enough.
    func correction(of word: [UInt8]) -> [UInt8]? {
        let letters = Self.letters(word)
        guard (Self.minimumLength...Self.maximumLength).contains(letters.count),
            letters.allSatisfy(Self.isLetter)
        else { return nil }
        var found: [[UInt8]: Candidate] = [:]
        for (number, part) in parts.enumerated() {
            part.index.reading {
                let words = part.index.words
                var edits = SpellingEdits(
                    of: letters, maximumDistance: letters.count < Self.lengthForTwo ? 1 : 2)
                Self.visit(words, &edits) { index, word, distance in
                    found[word, default: Candidate(word: word, distance: distance)].frequency +=
                        part.textCount(ofWord: index) { visible?.contains(number, $0) ?? true }
                }
            }
        }
        return found.values.filter { $0.frequency > 0 }.min { $0.isBetter(than: $1) }?.word
    }

    private static func letters(_ word: [UInt8]) -> [UInt32] {
        String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
    }

    private static func isLetter(_ value: UInt32) -> Bool {
        if value < 128 { return (97...122).contains(value) || value == 39 }
        guard let scalar = Unicode.Scalar(value) else { return false }
        return CharacterClass.ofNonASCII(scalar) == .word && scalar.properties.numericType == nil
    }

    /// Calls `body` with the words within the maximum distance.
    private static func visit(
        _ words: InvertedIndex.Dictionary, _ edits: inout SpellingEdits,
        _ body: (_ index: Int, _ word: [UInt8], _ distance: Int) -> Void
    ) {
        var index = 0
        while index < words.count {
            let bytes = Array(Term.word(ofListing: words[index]))
            let word = letters(bytes)
            switch edits.compare(word) {
            case .distance(let distance):
                if distance > 0, word.allSatisfy(isLetter) { body(index, bytes, distance) }
                index += 1
            case .distant: index += 1
            case .distantPrefix(let length):
                let prefix = String(decoding: bytes, as: UTF8.self).unicodeScalars.prefix(length)
                index = words.firstIndex(after: index, notBeginningWith: Array(String(prefix).utf8))
            }
        }
    }
}

extension InvertedIndex.Dictionary {
    /// Returns the index of the first string after `index` that does not begin with a prefix with which the
    /// string at `index` begins.
    func firstIndex(after index: Int, notBeginningWith prefix: [UInt8]) -> Int {
        var (low, step) = (index, 1)
        while low + step < count, self[low + step].starts(with: prefix) {
            low += step
            step *= 2
        }
        return (low + 1..<min(count, low + step)).partitioningIndex { !self[$0].starts(with: prefix) }
    }
}

extension TextPart {
    /// Returns the number of texts that contain a word in any field.
    fileprivate func textCount(ofWord word: Int, where isVisible: (_ document: Int) -> Bool) -> Int {
        var documents = Set<Int>()
        index.forEachFieldPosting(ofWord: word) { document, _ in documents.insert(document) }
        index.forEachPosting(ofWord: word) { document, _ in documents.insert(document) }
        return documents.count { !isRemoved($0) && isVisible($0) }
    }
}
