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

    /// A table to look characters up in while one text is read; put back by `keep(_:)`.
    func table() -> [UInt32: [Piece]] { cache.known.withLock { $0 } }

    func keep(_ table: [UInt32: [Piece]]) {
        cache.known.withLock { known in
            if table.count > known.count, table.count <= Cache.limit { known = table }
        }
    }

    /// What a character becomes: no piece, or several.
    func pieces(of scalar: Unicode.Scalar) -> [Piece] {
        let properties = scalar.properties
        if scalar.value == 0 || scalar.value == 0xFFFD { return [] }
        if properties.isWhitespace { return [Piece(kind: .space, utf8: [])] }
        switch properties.generalCategory {
        case .control, .format, .privateUse, .surrogate: return []
        default: break
        }
        let isChinese = options.separatesChinese && Self.isChinese(scalar.value)
        var text = String(scalar)
        if options.stripsAccents { text = text.decomposedStringWithCanonicalMapping }
        var pieces: [Piece] = []
        for part in text.unicodeScalars {
            if options.stripsAccents, part.properties.generalCategory == .nonspacingMark { continue }
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

    static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 33...47, 58...64, 91...96, 123...126: return true
        default: break
        }
        return switch scalar.properties.generalCategory {
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
