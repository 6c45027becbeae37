import Foundation
import Synchronization

/// The normalisation of single characters that BERT's tokenizer applies.
///
/// Follows `BertNormalizer` and `BertPreTokenizer` of Hugging Face's tokenizers (clean text, Chinese
/// characters, NFD without accents, lower case), all of which process each character independently.
struct BERTNormalizer: Sendable {
    /// The settings of `BertNormalizer`.
    struct Options: Sendable, Hashable {
        var lowercases = true
        var stripsAccents = true
        var separatesChinese = true
    }

    /// The role of a character in the division of a text into words.
    enum Class: UInt8, Sendable {
        /// Separates words.
        case space
        /// A word on its own, such as punctuation.
        case alone
        /// Part of a word.
        case letter
    }

    /// A character of the normalised text.
    struct Piece: Sendable {
        var kind: Class
        var utf8: [UInt8]
    }

    let options: Options
    private let cache = Cache()

    /// The results for characters outside ASCII. Most texts use few different ones.
    private final class Cache: Sendable {
        let known = Mutex<[UInt32: [Piece]]>([:])
        /// The maximum number of characters in the cache.
        static let limit = 1 << 16
    }

    /// Returns the cached results, for lookups without a lock while a text is tokenised.
    func table() -> [UInt32: [Piece]] { cache.known.withLock { $0 } }

    /// Adds results that were computed while a text was tokenised to the cache.
    func keep(_ found: [UInt32: [Piece]]) {
        guard !found.isEmpty else { return }
        cache.known.withLock { known in
            if known.count + found.count <= Cache.limit { known.merge(found) { old, _ in old } }
        }
    }

    /// Returns the pieces that a character is normalised to; none if it is removed.
    func pieces(of scalar: Unicode.Scalar) -> [Piece] {
        if scalar.value == 0 || scalar.value == 0xFFFD { return [] }
        // Control characters are removed before white space is recognised: U+0085 is both.
        switch Self.category(of: scalar) {
        case .control, .format, .privateUse, .surrogate: return []
        default: break
        }
        if scalar.properties.isWhitespace { return [Piece(kind: .space, utf8: [])] }
        let isChinese = options.separatesChinese && Self.isChinese(scalar.value)
        var text = String(scalar)
        if options.stripsAccents { text = text.decomposedStringWithCanonicalMapping }
        var pieces: [Piece] = []
        for part in text.unicodeScalars {
            if options.stripsAccents, Self.category(of: part) == .nonspacingMark { continue }
            let lowered = options.lowercases ? part.properties.lowercaseMapping : String(part)
            for result in lowered.unicodeScalars {
                let kind: Class =
                    result.properties.isWhitespace
                    ? .space
                    : isChinese || Self.isPunctuation(result) ? .alone : .letter
                pieces.append(Piece(kind: kind, utf8: kind == .space ? [] : Array(String(result).utf8)))
            }
        }
        return pieces
    }

    /// Returns the category of a character in Unicode 8.0, which Hugging Face's tables use. Models were
    /// trained with newer characters treated as letters, whatever their category is now.
    private static func category(of scalar: Unicode.Scalar) -> Unicode.GeneralCategory {
        switch scalar.value {
        case 0x166D, 0x111C9: return .otherPunctuation
        case 0x1734, 0x1171E: return .nonspacingMark
        case 0x1885, 0x1886, 0xA9BD: return .otherLetter
        default: break
        }
        guard let age = scalar.properties.age, (age.major, age.minor) <= (8, 0) else {
            return scalar.properties.generalCategory == .privateUse ? .privateUse : .unassigned
        }
        return scalar.properties.generalCategory
    }

    static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 33...47, 58...64, 91...96, 123...126: return true
        default: break
        }
        return switch category(of: scalar) {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    private static func isChinese(_ value: UInt32) -> Bool {
        switch value {
        case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x20000...0x2A6DF, 0x2A700...0x2B73F, 0x2B740...0x2B81F,
            0x2B920...0x2CEAF, 0xF900...0xFAFF, 0x2F800...0x2FA1F:
            true
        default: false
        }
    }
}
