import Foundation

/// Folds the texts and words that `roost pick` compares, so that case, diacritics and normalization do not
/// matter.
///
/// Foundation folds a text of a thousand characters in a quarter of a millisecond, which is seconds for all
/// entries of a list. The folded form of each character is therefore kept.
struct PickFolding {
    private var known: [Unicode.Scalar: [CChar]] = [:]

    /// Returns the folded form of a text as a C string.
    mutating func folded(_ text: String) -> [CChar] {
        // File names of macOS are decomposed. Without accents, only these characters have to be composed.
        let isDecomposed = text.unicodeScalars.contains { Self.isPart($0) }
        let text = isDecomposed ? text.precomposedStringWithCanonicalMapping : text
        var result: [CChar] = []
        result.reserveCapacity(text.utf8.count + 1)
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0: result.append(0x20)
            case 0x41...0x5A: result.append(CChar(scalar.value | 0x20))
            case ..<0x80: result.append(CChar(scalar.value))
            // Combining accents.
            case 0x300...0x36F: continue
            // Kana, Chinese characters and Hangul syllables have no other form.
            case 0x3041...0x30FE, 0x3400...0x9FFF, 0xAC00...0xD7A3:
                for byte in UTF8.encode(scalar) ?? .init() { result.append(CChar(bitPattern: byte)) }
            default: result += bytes(of: scalar)
            }
        }
        result.append(0)
        return result
    }

    private mutating func bytes(of scalar: Unicode.Scalar) -> [CChar] {
        if let bytes = known[scalar] { return bytes }
        let text = String(scalar).precomposedStringWithCanonicalMapping.folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        let bytes = text.utf8.map { CChar(bitPattern: $0) }
        known[scalar] = bytes
        return bytes
    }

    /// Returns whether a character is a part of a Hangul syllable, or the mark of a preceding kana.
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x11FF, 0x3099, 0x309A: true
        default: false
        }
    }
}
