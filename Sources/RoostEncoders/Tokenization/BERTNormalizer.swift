import Foundation
import Synchronization

/// Normalizes single characters in the same way as BERT's tokenizer.
///
/// Follows `BertNormalizer` and `BertPreTokenizer` of Hugging Face's tokenizers (clean text, Chinese
/// characters, NFD without accents, lower case), all of which process each character independently.
struct BERTNormalizer: Sendable {
    struct Options: Sendable, Hashable {
        var lowercases = true
        var stripsAccents = true
        var separatesChinese = true
    }

    /// The role of a character when a text is split into words.
    enum Class: UInt8, Sendable {
        case space
        /// A character that forms a word by itself, such as a punctuation mark.
        case alone
        case letter
    }

    struct Piece: Sendable {
        var kind: Class
        var utf8: [UInt8]
    }

    let options: Options
    private let cache = Cache()

    /// Caches the results for non-ASCII characters. Most texts contain only a few distinct ones.
    private final class Cache: Sendable {
        let known = Mutex<[UInt32: [Piece]]>([:])
        static let limit = 1 << 16
    }

    /// Returns a copy of the cached results, which can be used without locking while a text is tokenized.
    func table() -> [UInt32: [Piece]] { cache.known.withLock { $0 } }

    func keep(_ found: [UInt32: [Piece]]) {
        guard !found.isEmpty else { return }
        cache.known.withLock { known in
            if known.count + found.count <= Cache.limit { known.merge(found) { old, _ in old } }
        }
    }

    /// Returns the pieces that a character is normalized to, or an empty array if the normalization removes
    /// the character.
    func pieces(of scalar: Unicode.Scalar) -> [Piece] {
        if scalar.value == 0 || scalar.value == 0xFFFD { return [] }
        // Checks for control characters before white space, because U+0085 is both and must be removed.
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

    /// Returns the category of a character in Unicode 8.0, which Hugging Face's tables use. During the
    /// training of the models, characters that are not in Unicode 8.0 were treated as letters, regardless of
    /// their category in later versions.
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
