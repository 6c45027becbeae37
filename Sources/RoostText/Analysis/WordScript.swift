/// The alphabet of a word, as far as it matters for the choice of a stemmer.
package enum WordScript: UInt8, Sendable, Hashable, CaseIterable {
    case latin, cyrillic, greek, arabic, hebrew, devanagari, armenian, tamil, other

    /// Returns the script of a character; `nil` if it is not a letter of one of these alphabets.
    package static func script(of scalar: Unicode.Scalar) -> WordScript? {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0xAA, 0xBA, 0xC0...0x24F, 0x1E00...0x1EFF, 0xFB00...0xFB06: .latin
        case 0xFF21...0xFF3A, 0xFF41...0xFF5A: .latin
        case 0x370...0x3FF, 0x1F00...0x1FFF: .greek
        case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: .cyrillic
        case 0x531...0x587, 0xFB13...0xFB17: .armenian
        case 0x591...0x5F4, 0xFB1D...0xFB4F: .hebrew
        case 0x600...0x6FF, 0x750...0x77F, 0x8A0...0x8FF, 0xFB50...0xFDFF, 0xFE70...0xFEFC: .arabic
        case 0x900...0x97F: .devanagari
        case 0xB80...0xBFF: .tamil
        default: nil
        }
    }

    /// Returns the script of a word: that of its first letter with a known script.
    package static func script(of utf8: some Sequence<UInt8>) -> WordScript {
        var hasLetters = false
        for byte in utf8 {
            if byte >= 0x80 {
                hasLetters = true
                break
            }
            if (65...90).contains(byte & 0xDF) { return .latin }
        }
        guard hasLetters else { return .latin }
        return String(decoding: Array(utf8), as: UTF8.self).unicodeScalars.lazy.compactMap(script).first
            ?? .other
    }
}
