/// A text in the Latin script that was decoded with one of several possible encodings, and its agreement with
/// the alphabets of the languages that use this encoding.
struct LatinText {
    /// The decoded text.
    let text: String
    /// The largest share, over these languages, of letters of the language among the letters outside of ASCII
    /// and the misplaced signs; 1 if there are neither. Rare letters count less. Signs where texts have them
    /// do not count.
    let share: Double
    /// The share of these letters among all letters.
    let density: Double
    /// The number of different small letters outside of ASCII.
    let letterCount: Int

    /// The small letters outside of ASCII of a language.
    private struct Alphabet {
        /// The letters of ordinary words, and those of loan words and names.
        let common, rare: Set<Unicode.Scalar>

        init(_ common: String, _ rare: String = "") {
            self.common = Set(common.unicodeScalars)
            self.rare = Set(rare.unicodeScalars)
        }

        /// The weight of a letter.
        func weight(of letter: Unicode.Scalar) -> Double {
            common.contains(letter) ? 1 : rare.contains(letter) ? LatinText.weightOfRareLetters : 0
        }
    }

    /// A text with rare letters of one language is more probably in another language, in which they are
    /// common.
    private static let weightOfRareLetters = 0.7

    /// The alphabets of the languages for which an encoding is used.
    private static let alphabets: [String: [Alphabet]] = {
        let central = [
            Alphabet("ąćęłńóśźż", "éöü"), Alphabet("áčéěířšúůýžňť", "ďóöü"),
            Alphabet("áäčéíľňôšťúýž", "ďĺóŕöü"), Alphabet("áéíóöőúüű", "ä"), Alphabet("čćđšž", "éáöü"),
            Alphabet("ăâîşţ", "éáöü"),
        ]
        let western = [
            Alphabet("äöüß", "éèàáç"), Alphabet("àâçéèêîôùûïœë", "æüÿöä"), Alphabet("áéíñóú", "üçªº"),
            Alphabet("áâãàçéêíóôõú", "üªº"), Alphabet("àèéìòù", "íîóúâçü"), Alphabet("æøåé", "èüòóôöä"),
            Alphabet("åäö", "éàüèš"), Alphabet("áðéíóúýþæö", "øå"), Alphabet("éëïóöü", "èêáíúäç"),
            Alphabet("àçéèíïòóú", "ü"), Alphabet("äöüõ", "šž"),
        ]
        return [
            "windows-1252": western, "windows-1250": central, "ISO-8859-2": central,
            "windows-1254": [Alphabet("çğı\u{307}öşü", "âîû")],
        ]
    }()
    /// Signs that stand between letters without being mistakes of the encoding.
    private static let signsWithin = Set("\u{A0}\u{AD}’‘–—…·´".unicodeScalars)
    /// Signs that texts have before or after words.
    private static let signsBefore = Set("„“”‚‘«»‹›¿¡§©†‡•£€".unicodeScalars)
    private static let signsAfter = Set("“”‘«»‹›²³¹ªº°®™©†‡•€£¢".unicodeScalars)

    /// Decodes bytes; `nil` if some are invalid in the encoding.
    init?(_ bytes: [UInt8], _ encoding: String) {
        guard let text = EncodingDetector.decoded(bytes, encoding) else { return nil }
        self.text = text
        var counts: [Unicode.Scalar: Int] = [:]
        var (other, asciiLetters) = (0, 0)
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            guard !scalar.isASCII else {
                if scalar.properties.isAlphabetic { asciiLetters += 1 }
                continue
            }
            let previous = index > 0 ? scalars[index - 1] : " "
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            if scalar.properties.isAlphabetic {
                // Capitals do not follow small letters.
                if scalar.properties.isUppercase && previous.properties.isLowercase {
                    other += 1
                } else {
                    counts[Self.smallLetter(scalar), default: 0] += 1
                }
            } else if !Self.isPlausible(scalar, previous, next) {
                other += 1
            }
        }
        let letters = counts.values.reduce(0, +)
        let covered =
            Self.alphabets[encoding, default: []].map { alphabet in
                counts.reduce(0) { $0 + alphabet.weight(of: $1.key) * Double($1.value) }
            }.max() ?? 0
        share = letters + other == 0 ? 1 : covered / Double(letters + other)
        letterCount = counts.count
        density = Double(letters) / Double(max(1, letters + asciiLetters))
    }

    private static func smallLetter(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        // The small letter of İ consists of two characters.
        scalar == "İ" ? "\u{307}" : scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    }

    /// Returns whether texts have a sign between two characters.
    private static func isPlausible(
        _ sign: Unicode.Scalar, _ previous: Unicode.Scalar, _ next: Unicode.Scalar
    ) -> Bool {
        switch (previous.properties.isAlphabetic, next.properties.isAlphabetic) {
        case (false, false): true
        case (true, true): signsWithin.contains(sign)
        case (true, false): signsWithin.contains(sign) || signsAfter.contains(sign)
        case (false, true): signsWithin.contains(sign) || signsBefore.contains(sign)
        }
    }
}
