import RoostModel

protocol ModelTokenizer: Sendable {
    var count: Int { get }
    /// The id of the token that stands for unknown words or characters.
    var unknown: Int32 { get }
    /// The id of the token before each sequence, such as `[CLS]`; -1 if no special tokens are added.
    var start: Int32 { get }
    /// The id of the token after each sequence, such as `[SEP]`; -1 if no special tokens are added.
    var end: Int32 { get }

    /// Returns the tokens of a text, without `start` and `end`.
    func tokenize(_ text: String) -> TokenSequence
}

/// An unknown token of more characters than this counts as one character. It is the length of the longest
/// word that BERT's tokenizer divides.
private let maximumWordLength = 100

extension ModelTokenizer {
    /// Returns whether a text is one token of the vocabulary, other than the token of unknown words.
    func isSingleToken(_ text: String) -> Bool {
        let ids = tokenize(text).ids
        return ids.count == 1 && ids[0] != unknown
    }

    /// Returns how many of the characters of a text's words are in tokens that stand for them, and not for an
    /// unknown word. An unknown word that is too long for the vocabulary, such as encoded data, counts as one
    /// character.
    ///
    /// Tokens are not counted, because an unknown word is one token, however long, and a known word of a
    /// script with few entries in the vocabulary is as many tokens as it has letters.
    func knownCharacters(in text: String) -> (known: Int, total: Int) {
        var text = text
        let tokens = tokenize(text)
        return text.withUTF8 { utf8 in
            var (known, total) = (0, 0)
            for (id, range) in zip(tokens.ids, tokens.ranges) {
                let count = utf8[range].count { $0 & 0xC0 != 0x80 }
                let isUnknown = id == unknown
                total += isUnknown && count > maximumWordLength ? 1 : count
                known += isUnknown ? 0 : count
            }
            return (known, total)
        }
    }
}

/// The tokens of a text, without the special tokens before and after them.
struct TokenSequence: Sendable {
    private(set) var ids: [Int32] = []
    /// The UTF-8 range of each token in the text. The ranges are ascending and disjoint.
    private(set) var ranges: [Range<Int>] = []

    /// Adds a token at the end.
    ///
    /// Two tokens may come from one character, such as a decomposed ligature; the second gets an empty range.
    mutating func append(_ id: Int32, _ range: Range<Int>) {
        ids.append(id)
        let start = max(range.lowerBound, ranges.last?.upperBound ?? 0)
        ranges.append(start..<max(start, range.upperBound))
    }

    mutating func removeAll(from index: Int) {
        ids.removeSubrange(index...)
        ranges.removeSubrange(index...)
    }
}

extension ModelFolder {
    /// Creates the tokenizer of the model: a unigram model if `tokenizer.json` has one and there is no
    /// `vocab.txt`, otherwise WordPiece.
    ///
    /// - Parameter addsSpecialTokens: Whether the vocabulary must have tokens for the beginning and the end
    ///   of a sequence.
    func tokenizer(addsSpecialTokens: Bool = true) throws -> any ModelTokenizer {
        if !has("vocab.txt") {
            // The file of SentencePiece itself, such as `sentencepiece.bpe.model`, is not supported.
            guard has("tokenizer.json") else { throw missing("vocab.txt or tokenizer.json") }
            let file = try TokenizerFile(self)
            if try file.decodeFromModel(String.self, "type") == "Unigram" {
                return try UnigramTokenizer(file, addsSpecialTokens: addsSpecialTokens)
            }
        }
        return try WordPieceTokenizer(self, addsSpecialTokens: addsSpecialTokens)
    }
}
