import Foundation
import RoostModel

/// Splits text into the tokens that a BERT model was trained on (WordPiece; Devlin et al. 2019), the same
/// as Hugging Face's tokenizers.
struct WordPieceTokenizer: Sendable {
    /// Tokens of a text, without special ones around them.
    struct Tokens: Sendable {
        var ids: [Int32] = []
        /// The UTF-8 bytes of the text that each token covers: ascending and disjoint.
        var ranges: [Range<Int>] = []
    }

    let vocabulary: WordPieceVocabulary
    let normalizer: BERTNormalizer
    let unknown: Int32
    let start: Int32
    let end: Int32
    /// Tokens that stand for themselves where a text has them literally.
    private let special: [(utf8: [UInt8], id: Int32)]

    /// A word of more characters than this is one unknown token.
    private static let longestWord = 100

    init(vocabulary: WordPieceVocabulary, options: BERTNormalizer.Options, marks: Bool = true) throws {
        self.vocabulary = vocabulary
        normalizer = BERTNormalizer(options: options)
        func id(_ piece: String) throws -> Int32 {
            guard let id = vocabulary.id(of: piece) else {
                throw EmbedderError(.damagedModel, "the vocabulary has no token \(piece)")
            }
            return id
        }
        unknown = try id("[UNK]")
        start = marks ? try id("[CLS]") : -1
        end = marks ? try id("[SEP]") : -1
        special = ["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"].compactMap { piece in
            vocabulary.id(of: piece).map { (Array(piece.utf8), $0) }
        }
    }

    func tokenize(_ text: String) -> Tokens {
        var text = text
        return text.withUTF8 { utf8 in
            var scan = Scan(tokenizer: self, utf8: utf8)
            scan.run()
            normalizer.keep(scan.found)
            return scan.tokens
        }
    }

    /// One pass over a text.
    private struct Scan {
        let tokenizer: WordPieceTokenizer
        let utf8: UnsafeBufferPointer<UInt8>
        var tokens = Tokens()
        /// Only read: what this text adds is kept apart, so that no text copies the table.
        private let table: [UInt32: [BERTNormalizer.Piece]]
        private(set) var found: [UInt32: [BERTNormalizer.Piece]] = [:]
        /// The word being read, normalised, and where each of its bytes came from.
        private var word: [UInt8] = []
        private var origins: [Int] = []
        private var characters = 0
        private var wordEnd = 0

        init(tokenizer: WordPieceTokenizer, utf8: UnsafeBufferPointer<UInt8>) {
            self.tokenizer = tokenizer
            self.utf8 = utf8
            table = tokenizer.normalizer.table()
        }

        mutating func run() {
            let options = tokenizer.normalizer.options
            var place = 0
            while place < utf8.count {
                let byte = utf8[place]
                if byte >= 0x80 {
                    place = readScalar(at: place)
                    continue
                }
                if byte == UInt8(ascii: "["), let special = special(at: place) {
                    finishWord()
                    append(special.id, place..<place + special.utf8.count)
                    place += special.utf8.count
                    continue
                }
                switch byte {
                case 9, 10, 13, 32, 11, 12:
                    // Vertical tab and form feed are control characters, which are dropped before white
                    // space is seen.
                    if byte != 11 && byte != 12 { finishWord() }
                case 0...31, 127: break
                case 33...47, 58...64, 91...96, 123...126: appendAlone([byte], place..<place + 1)
                case 65...90: appendLetter(options.lowercases ? byte + 32 : byte, place)
                default: appendLetter(byte, place)
                }
                place += 1
            }
            finishWord()
        }

        private mutating func readScalar(at place: Int) -> Int {
            // The bytes are valid UTF-8: the leading one tells the length.
            let lead = utf8[place]
            let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
            var value = UInt32(lead) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
            for offset in 1..<length { value = value << 6 | UInt32(utf8[place + offset] & 0x3F) }
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
                case .alone: appendAlone(piece.utf8, place..<place + length)
                case .letter:
                    for byte in piece.utf8 {
                        word.append(byte)
                        origins.append(place)
                    }
                    characters += 1
                    wordEnd = place + length
                }
            }
            return place + length
        }

        private func special(at place: Int) -> (utf8: [UInt8], id: Int32)? {
            tokenizer.special.first { candidate in
                place + candidate.utf8.count <= utf8.count
                    && candidate.utf8.indices.allSatisfy { candidate.utf8[$0] == utf8[place + $0] }
            }
        }

        @inline(__always)
        private mutating func appendLetter(_ byte: UInt8, _ place: Int) {
            word.append(byte)
            origins.append(place)
            characters += 1
            wordEnd = place + 1
        }

        private mutating func appendAlone(_ bytes: [UInt8], _ range: Range<Int>) {
            finishWord()
            word = bytes
            origins = Array(repeating: range.lowerBound, count: bytes.count)
            characters = 1
            wordEnd = range.upperBound
            finishWord()
        }

        private mutating func append(_ id: Int32, _ range: Range<Int>) {
            tokens.ids.append(id)
            // Two tokens of one character (a decomposed ligature) share its bytes: the second covers none.
            let start = max(range.lowerBound, tokens.ranges.last?.upperBound ?? 0)
            tokens.ranges.append(start..<max(start, range.upperBound))
        }

        private mutating func finishWord() {
            guard !word.isEmpty else { return }
            defer {
                word.removeAll(keepingCapacity: true)
                origins.removeAll(keepingCapacity: true)
                characters = 0
            }
            guard characters <= WordPieceTokenizer.longestWord else {
                append(tokenizer.unknown, origins[0]..<wordEnd)
                return
            }
            let mark = tokens.ids.count
            let isWhole = word.withUnsafeBufferPointer { bytes in
                var start = 0
                while start < bytes.count {
                    guard let piece = tokenizer.vocabulary.longestPiece(bytes, from: start) else {
                        return false
                    }
                    append(
                        piece.id, origins[start]..<(piece.end < bytes.count ? origins[piece.end] : wordEnd))
                    start = piece.end
                }
                return true
            }
            if !isWhole {
                tokens.ids.removeSubrange(mark...)
                tokens.ranges.removeSubrange(mark...)
                append(tokenizer.unknown, origins[0]..<wordEnd)
            }
        }
    }
}
