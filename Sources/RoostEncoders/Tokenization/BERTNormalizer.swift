import Foundation
import Synchronization

/// How BERT's tokenizer sees one character: dropped, a space, a mark on its own, or letters of a word.
/// Follows `BertNormalizer` and `BertPreTokenizer` of Hugging Face's tokenizers (clean text, Chinese
/// characters, NFD without marks, lower case), which all work character by character.
struct BERTNormalizer: Sendable {
    struct Options: Sendable, Hashable {
        var lowercases = true
        var stripsAccents = true
        var separatesChinese = true
    }

    enum Class: UInt8, Sendable {
        case space, alone, letter
    }

    struct Piece: Sendable {
        var kind: Class
        var utf8: [UInt8]
    }

    let options: Options
    private let cache = Cache()

    /// Characters outside ASCII that have been seen; most texts use few.
    private final class Cache: Sendable {
        let known = Mutex<[UInt32: [Piece]]>([:])
        static let limit = 1 << 16
    }

    /// What is known of characters, to look them up in while one text is read.
    func table() -> [UInt32: [Piece]] { cache.known.withLock { $0 } }

    /// Remembers what was found out while a text was read.
    func keep(_ found: [UInt32: [Piece]]) {
        guard !found.isEmpty else { return }
        cache.known.withLock { known in
            if known.count + found.count <= Cache.limit { known.merge(found) { old, _ in old } }
        }
    }

    /// What a character becomes: no piece, or several.
    func pieces(of scalar: Unicode.Scalar) -> [Piece] {
        if scalar.value == 0 || scalar.value == 0xFFFD { return [] }
        // Control characters go before white space is looked for: U+0085 is both.
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

    /// The category that Hugging Face's tables give, which are those of Unicode 8.0: models were trained with
    /// what is newer taken for letters.
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
