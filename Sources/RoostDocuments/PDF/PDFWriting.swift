import Foundation

/// The direction of writing in PDF documents, and the normalization of ligatures, presentation forms and
/// accents.
enum PDFWriting {
    /// Returns whether the reading order must be computed from the positions: most lines have only one or two
    /// characters, as in vertical writing, or many letters are written from right to left.
    static func needsPositions(_ output: Data) -> Bool {
        let sample = String(decoding: output.prefix(1 << 16), as: UTF8.self)
        var (letters, rightToLeft) = (0, 0)
        for scalar in sample.unicodeScalars where scalar.properties.isAlphabetic {
            letters += 1
            let isHebrewOrArabic = (0x0590...0x08FF).contains(scalar.value)
            let isPresentationForm =
                (0xFB1D...0xFDFF).contains(scalar.value) || (0xFE70...0xFEFF).contains(scalar.value)
            if isHebrewOrArabic || isPresentationForm { rightToLeft += 1 }
        }
        if rightToLeft * 5 > letters { return true }
        let lines = sample.split(whereSeparator: { $0.isNewline || $0 == "\u{C}" })
        let short = lines.count { $0.count <= 2 && $0.contains { !$0.isNumber } }
        return lines.count > 4 && short * 2 > lines.count
    }

    private static let forms: [Unicode.Scalar: String] = [
        "\u{FB00}": "ff", "\u{FB01}": "fi", "\u{FB02}": "fl", "\u{FB03}": "ffi", "\u{FB04}": "ffl",
        "\u{FB05}": "st", "\u{FB06}": "st", "\u{FE10}": "，", "\u{FE11}": "、", "\u{FE12}": "。",
        "\u{FE13}": "：", "\u{FE14}": "；", "\u{FE15}": "！", "\u{FE16}": "？", "\u{FE19}": "…",
        "\u{202A}": "", "\u{202B}": "", "\u{202C}": "", "\u{202D}": "", "\u{202E}": "", "\u{0}": "",
    ]

    /// The letters without a dot that fonts of TeX use below accents.
    private static let dotless: [Unicode.Scalar: Unicode.Scalar] = ["\u{131}": "i", "\u{237}": "j"]

    private static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        (0x300...0x36F).contains(scalar.value)
    }

    /// Returns a text with letters in place of ligatures, ordinary punctuation in place of the forms for
    /// vertical writing, letters with accents in place of letters and accents, and without marks of
    /// direction, so that its words can be found.
    static func normalized(_ text: String) -> String {
        let hasAccents = text.unicodeScalars.contains(where: isAccent)
        guard hasAccents || text.unicodeScalars.contains(where: { forms[$0] != nil }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isAccent(scalar), let last = result.last, let letter = dotless[last] {
                result.removeLast()
                result.append(letter)
            }
            if let form = forms[scalar] {
                result.append(contentsOf: form.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return hasAccents ? String(result).precomposedStringWithCanonicalMapping : String(result)
    }
}
