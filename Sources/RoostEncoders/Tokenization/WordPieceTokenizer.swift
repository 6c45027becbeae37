import Foundation
import RoostModel

/// Splits texts into WordPiece tokens (Devlin et al. 2019) exactly like Hugging Face's tokenizers.
struct WordPieceTokenizer: ModelTokenizer {
    let vocabulary: WordPieceVocabulary
    let normalizer: BERTNormalizer
    let unknown: Int32
    /// The id of `[CLS]`; -1 if the tokenizer adds no special tokens.
    let start: Int32
    /// The id of `[SEP]`; -1 if the tokenizer adds no special tokens.
    let end: Int32
    /// The special tokens that are recognized when they occur literally in a text.
    private let special: [(utf8: [UInt8], id: Int32)]

    /// The maximum number of characters in a word; a longer word becomes one unknown token, as in BERT.
    private static let maximumWordLength = 100

    init(vocabulary: WordPieceVocabulary, options: BERTNormalizer.Options, addsSpecialTokens: Bool = true)
        throws
    {
        self.vocabulary = vocabulary
        normalizer = BERTNormalizer(options: options)
        func id(_ piece: String) throws -> Int32 {
            guard let id = vocabulary.id(of: piece) else {
                throw EmbedderError(.damagedModel, "the vocabulary lacks the token \(piece)")
            }
            return id
        }
        unknown = try id("[UNK]")
        start = addsSpecialTokens ? try id("[CLS]") : -1
        end = addsSpecialTokens ? try id("[SEP]") : -1
        special = ["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"].compactMap { piece in
            vocabulary.id(of: piece).map { (Array(piece.utf8), $0) }
        }
    }

    func tokenize(_ text: String) -> TokenSequence {
        var text = text
        return text.withUTF8 { utf8 in
            var scan = Scan(tokenizer: self, utf8: utf8)
            scan.run()
            normalizer.keep(scan.found)
            return scan.tokens
        }
    }

    var count: Int { vocabulary.count }

    private struct Scan {
        let tokenizer: WordPieceTokenizer
        let utf8: UnsafeBufferPointer<UInt8>
        private(set) var tokens = TokenSequence()
        /// A copy of the shared cache. New results go to `found`, because changing the table would copy its
        /// memory.
        private let table: [UInt32: [BERTNormalizer.Piece]]
        private(set) var found: [UInt32: [BERTNormalizer.Piece]] = [:]
        /// The current word in its normalized form, and for each of its bytes the offset in the original
        /// text. Characters beyond the maximum length are only counted, because the memory of a word such as
        /// encoded data could have many times the size of the text.
        private var word: [UInt8] = []
        private var origins: [Int] = []
        private var characters = 0
        private var wordEnd = 0

        init(tokenizer: WordPieceTokenizer, utf8: UnsafeBufferPointer<UInt8>) {
            (self.tokenizer, self.utf8) = (tokenizer, utf8)
            table = tokenizer.normalizer.table()
        }

        mutating func run() {
            let options = tokenizer.normalizer.options
            var offset = 0
            while offset < utf8.count {
                let byte = utf8[offset]
                if byte >= 0x80 {
                    offset = readScalar(at: offset)
                    continue
                }
                if byte == UInt8(ascii: "["), let special = special(at: offset) {
                    finishWord()
                    tokens.append(special.id, offset..<offset + special.utf8.count)
                    offset += special.utf8.count
                    continue
                }
                switch byte {
                case 9, 10, 13, 32, 11, 12:
                    // Vertical tab and form feed do not end a word: they are control characters, which BERT
                    // removes before it recognizes white space.
                    if byte != 11 && byte != 12 { finishWord() }
                case 0...31, 127: break
                case 33...47, 58...64, 91...96, 123...126: appendAlone([byte], offset..<offset + 1)
                case 65...90: appendLetter(options.lowercases ? byte + 32 : byte, offset)
                default: appendLetter(byte, offset)
                }
                offset += 1
            }
            finishWord()
        }

        private mutating func readScalar(at offset: Int) -> Int {
            // The bytes are valid UTF-8, so the first byte of a character determines its length.
            let lead = utf8[offset]
            let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
            var value = UInt32(lead) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
            for index in 1..<length { value = value << 6 | UInt32(utf8[offset + index] & 0x3F) }
            let pieces: [BERTNormalizer.Piece]
            if let known = table[value] ?? found[value] {
                pieces = known
            } else {
                pieces = Unicode.Scalar(value).map { tokenizer.normalizer.pieces(of: $0) } ?? []
                found[value] = pieces
            }
            for piece in pieces {
                switch piece.kind {
                case .space: finishWord()
                case .alone: appendAlone(piece.utf8, offset..<offset + length)
                case .letter:
                    characters += 1
                    wordEnd = offset + length
                    guard characters <= WordPieceTokenizer.maximumWordLength else { continue }
                    for byte in piece.utf8 {
                        word.append(byte)
                        origins.append(offset)
                    }
                }
            }
            return offset + length
        }

        private func special(at offset: Int) -> (utf8: [UInt8], id: Int32)? {
            tokenizer.special.first { candidate in
                offset + candidate.utf8.count <= utf8.count
                    && candidate.utf8.indices.allSatisfy { candidate.utf8[$0] == utf8[offset + $0] }
            }
        }

        @inline(__always)
        private mutating func appendLetter(_ byte: UInt8, _ offset: Int) {
            characters += 1
            wordEnd = offset + 1
            guard characters <= WordPieceTokenizer.maximumWordLength else { return }
            word.append(byte)
            origins.append(offset)
        }

        private mutating func appendAlone(_ bytes: [UInt8], _ range: Range<Int>) {
            finishWord()
            word = bytes
            origins = Array(repeating: range.lowerBound, count: bytes.count)
            characters = 1
            wordEnd = range.upperBound
            finishWord()
        }

        private mutating func finishWord() {
            guard !word.isEmpty else { return }
            defer {
                word.removeAll(keepingCapacity: true)
                origins.removeAll(keepingCapacity: true)
                characters = 0
            }
            guard characters <= WordPieceTokenizer.maximumWordLength else {
                tokens.append(tokenizer.unknown, origins[0]..<wordEnd)
                return
            }
            let first = tokens.ids.count
            let isComplete = word.withUnsafeBufferPointer { bytes in
                var start = 0
                while start < bytes.count {
                    guard let piece = tokenizer.vocabulary.longestPiece(bytes, from: start) else {
                        return false
                    }
                    tokens.append(
                        piece.id, origins[start]..<(piece.end < bytes.count ? origins[piece.end] : wordEnd))
                    start = piece.end
                }
                return true
            }
            if !isComplete {
                tokens.removeAll(from: first)
                tokens.append(tokenizer.unknown, origins[0]..<wordEnd)
            }
        }
    }
}
