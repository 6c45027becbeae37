import CUchardet
import Foundation

/// Determines the encoding of texts that do not state it, and are not in UTF-8.
///
/// The library uchardet proposes an encoding. It is accepted only if it is one of the common encodings below
/// and the decoded text is plausible: uchardet also proposes encodings that hardly any text has, in
/// particular for short texts of Western Europe. Decision 25 lists measurements.
enum EncodingDetector {
    /// The number of bytes that are examined, in addition to the rest of a line.
    private static let sampleLength = 1 << 17
    /// The minimum share of plausible characters for a proposed Latin encoding.
    private static let minimumShare = 0.9
    /// The minimum share for an encoding in another script or that uchardet does not propose, and the minimum
    /// distance of the latter to that of windows-1252.
    fileprivate static let (minimumClearShare, minimumDistance) = (0.95, 0.05)
    /// The minimum share of letters outside of ASCII in the languages of Central Europe and in Turkish, about
    /// a third of the measured one. Texts in Dutch, Italian and English have fewer.
    private static let minimumDensity = 0.02
    /// The minimum number of different letters outside of ASCII. In many short texts in French or Spanish,
    /// all of these are one letter, such as `è`.
    private static let minimumLetterCount = 2

    /// The encodings to try for a proposal of uchardet, in the order of preference.
    private static let latinEncodings = [
        "ISO-8859-2": ["ISO-8859-2", "windows-1250"], "WINDOWS-1250": ["windows-1250", "ISO-8859-2"],
        // The letters of Romanian have the same numbers in these encodings.
        "ISO-8859-16": ["windows-1250", "ISO-8859-2"], "ISO-8859-9": ["windows-1254"],
    ]
    private static let allLatinEncodings = ["windows-1250", "ISO-8859-2", "windows-1254"]
    private static let otherEncodings = [
        "WINDOWS-1251": ["windows-1251"], "KOI8-R": ["KOI8-R", "KOI8-U"], "ISO-8859-5": ["ISO-8859-5"],
        "IBM866": ["IBM866"],
        // Most of the small letters have the same numbers, and texts from old Macintosh systems are rare.
        "MAC-CYRILLIC": ["windows-1251"],
        "ISO-8859-7": ["windows-1253", "ISO-8859-7"], "WINDOWS-1253": ["windows-1253", "ISO-8859-7"],
        "WINDOWS-1255": ["windows-1255"], "ISO-8859-8": ["windows-1255"],
        "WINDOWS-1256": ["windows-1256"], "TIS-620": ["windows-874"], "SHIFT_JIS": ["CP932"],
        "EUC-JP": ["EUC-JP"], "GB18030": ["GB18030"], "BIG5": ["BIG5-HKSCS"], "EUC-KR": ["CP949"],
        "UHC": ["CP949"],
    ]

    /// Returns the text of bytes that are not UTF-8, and the name of its encoding; `nil` if the encoding
    /// cannot be determined or some bytes are invalid in it. A short or ambiguous text is in windows-1252 if
    /// this is probable (``LatinText/isProbable``).
    static func decode(_ data: Data) -> (text: String, encodingName: String)? {
        guard let name = encoding(of: data), let text = decoded([UInt8](data), name) else { return nil }
        return (text, name)
    }

    /// Returns the name of the encoding of bytes that are not UTF-8; `nil` if it cannot be determined.
    static func encoding(of data: Data) -> String? {
        guard !isBinaryOrUTF8(data) else { return nil }
        let sample = sample(of: [UInt8](data))
        // uchardet does not know the characters that Microsoft added to Shift JIS, such as ① and ㈱.
        if let text = decoded(sample, "CP932"), ScriptText.isJapanese(text) { return "CP932" }
        let proposal = proposal(for: sample)
        let western = LatinText(sample, "windows-1252")
        let (share, isWestern) = (western?.share ?? 0, western?.isProbable ?? false)
        if let names = latinEncodings[proposal] {
            let others = allLatinEncodings.filter { !names.contains($0) }
            if let best = best(names + others, sample), best.text.share >= minimumShare,
                best.text.text != western?.text,
                best.text.share > share || best.text.share == share && isTypical(best.text)
            {
                return best.name
            }
        }
        if !isWestern, let name = script(proposal, sample) { return name }
        if let best = best(allLatinEncodings, sample), best.text.share >= minimumClearShare,
            best.text.share > share + minimumDistance
        {
            return best.name
        }
        return isWestern ? "windows-1252" : nil
    }

    /// Returns the decoded bytes; `nil` if some are invalid.
    static func decoded(_ bytes: [UInt8], _ encoding: String) -> String? {
        guard let converted = TextConverter.convert(bytes, from: encoding),
            let text = String(validating: converted, as: UTF8.self)
        else { return nil }
        // The converter marks invalid bytes; C1 controls are undefined bytes of an encoding.
        let isInvalid = text.unicodeScalars.contains { $0 == "\u{FFFD}" || (0x80...0x9F).contains($0.value) }
        return isInvalid ? nil : text
    }

    /// Returns whether a text has enough letters outside of ASCII for a language of Central Europe or
    /// Turkish.
    private static func isTypical(_ text: LatinText) -> Bool {
        text.density >= minimumDensity && text.letterCount >= minimumLetterCount
    }

    /// Returns the candidate with the largest share of plausible characters; the first one if several have.
    private static func best(_ names: [String], _ sample: [UInt8]) -> (name: String, text: LatinText)? {
        var best: (name: String, text: LatinText)?
        for name in names {
            guard let text = LatinText(sample, name), text.share > best?.text.share ?? -1 else { continue }
            best = (name, text)
        }
        return best
    }

    /// Returns the most plausible encoding for a proposal in another script; `nil` without one.
    private static func script(_ proposal: String, _ sample: [UInt8]) -> String? {
        var best: (name: String, share: Double)?
        for name in otherEncodings[proposal, default: []] {
            let share = decoded(sample, name).map(ScriptText.plausibleShare) ?? 0
            if share >= minimumClearShare, share > best?.share ?? 0 { best = (name, share) }
        }
        return best?.name
    }

    /// Returns whether bytes contain control characters, or are probably damaged UTF-8: at least half of the
    /// bytes above 127 belong to characters in UTF-8.
    private static func isBinaryOrUTF8(_ data: Data) -> Bool {
        let bytes = [UInt8](data)
        var high = 0
        for byte in bytes {
            switch byte {
            case 0x00...0x08, 0x0E...0x1A, 0x1C...0x1F, 0x7F: return true
            case 0x80...: high += 1
            default: break
            }
        }
        return bytesOfCharactersInUTF8(bytes) * 2 > high
    }

    /// Returns the number of bytes above 127 that belong to well-formed characters in UTF-8, or to one that
    /// the end of the bytes cuts.
    private static func bytesOfCharactersInUTF8(_ bytes: [UInt8]) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var (count, cutLength) = (0, 0)
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let character):
                if character.count > 1 { count += character.count }
                cutLength = 0
            case .error(let length): cutLength = length > 1 ? length : 0
            case .emptyInput: return count + cutLength
            }
        }
    }

    /// Returns the part of a text that is examined: whole lines, which cut no character, from the line with
    /// the first byte above 127.
    private static func sample(of bytes: [UInt8]) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        let first = bytes.firstIndex { $0 >= 0x80 } ?? 0
        let start = bytes[..<first].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let rest = bytes[min(first + sampleLength, bytes.count)...]
        return Array(bytes[start..<(rest.firstIndex(of: newline) ?? bytes.count)])
    }

    /// Returns the name that uchardet proposes; empty if it proposes none.
    private static func proposal(for sample: [UInt8]) -> String {
        guard !sample.isEmpty, let detector = uchardet_new() else { return "" }
        defer { uchardet_delete(detector) }
        let status = sample.withUnsafeBytes { bytes in
            uchardet_handle_data(
                detector, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard status == 0 else { return "" }
        uchardet_data_end(detector)
        return uchardet_get_charset(detector).map { String(cString: $0).uppercased() } ?? ""
    }
}

/// Recognizes text that was decoded with a wrong encoding in scripts other than Latin.
enum ScriptText {
    /// Returns the share of the characters outside of ASCII that are plausible: letters of one script in a
    /// word, no capital after a small letter, and signs that texts contain.
    static func plausibleShare(_ text: String) -> Double {
        var (plausible, all) = (0, 0)
        var previous: Unicode.Scalar = " "
        // Whether the previous character is a sign that follows a letter, and may not precede one.
        var isAfterWord = false
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            let script = script(of: scalar)
            if isAfterWord, script != nil { plausible -= 1 }
            isAfterWord = false
            guard !scalar.isASCII else { continue }
            all += 1
            if isEastAsian(scalar) || isPunctuation(scalar) {
                plausible += 1
            } else if isSign(scalar) {
                plausible += 1
                isAfterWord = Self.script(of: previous) != nil
            } else if let script, Self.script(of: previous) ?? script == script, !isASCIILetter(previous),
                !(scalar.properties.isUppercase && previous.properties.isLowercase)
            {
                plausible += 1
            }
        }
        return all == 0 ? 0 : Double(plausible) / Double(all)
    }

    /// Returns whether a text consists of plausible characters, among them the syllables that all texts in Japanese have.
    static func isJapanese(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.filter { !$0.isASCII }
        let syllables = scalars.count { (0x3041...0x30FE).contains($0.value) }
        return syllables * 20 >= scalars.count && syllables > 1
            && plausibleShare(text) >= EncodingDetector.minimumClearShare
    }

    private static func isASCIILetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isAlphabetic
    }

    /// Whether a character belongs to the usual ones of Chinese, Japanese and Korean. The half-width letters
    /// and the rare ideographs, which wrong encodings produce, do not.
    private static func isEastAsian(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3000...0x30FF, 0x3200...0x33FF, 0x4E00...0x9FFF, 0xFA0E...0xFA2D, 0xAC00...0xD7A3,
            0x3131...0x318E,
            0xFF01...0xFF60, 0xFFE0...0xFFE6:
            true
        default: false
        }
    }

    /// Whether a character is punctuation that can stand between two letters.
    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xA0, 0xAB, 0xAD, 0xB7, 0xBB, 0x2010...0x2044: true
        default: false
        }
    }

    /// Whether a character is another sign of texts: symbols, currencies, arrows, boxes and similar ones.
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xA2...0xBF, 0xD7, 0xF7, 0x20A0...0x20BF, 0x2100...0x2193, 0x2460...0x27BF: true
        default: false
        }
    }

    /// Returns a number for the script of a letter; `nil` for other characters and for other scripts.
    private static func script(of scalar: Unicode.Scalar) -> Int? {
        switch scalar.value {
        case 0x370...0x3FF: 1
        case 0x400...0x45F, 0x490...0x491: 2
        case 0x5B0...0x5EA: 3
        case 0x60C...0x6F9: 4
        case 0xE01...0xE5B: 5
        default: nil
        }
    }
}

/// A text in the Latin script that was decoded with one of several possible encodings, and its agreement with
/// the alphabets of the languages that use this encoding.
struct LatinText {
    let text: String
    /// The largest share, over these languages, of letters of the language among the letters outside of ASCII
    /// and the misplaced signs; 1 if there are neither. Rare letters count less. Signs where texts have them
    /// do not count.
    let share: Double
    let density: Double
    let letterCount: Int
    /// Whether the text is probably in this encoding, whatever its language: at most half of its characters are
    /// outside of ASCII, and three quarters of these are letters and signs where words have them.
    let isProbable: Bool

    /// The small letters outside of ASCII of a language.
    private struct Alphabet {
        /// The letters of ordinary words, and those of loan words and names.
        let common, rare: Set<Unicode.Scalar>

        init(_ common: String, _ rare: String = "") {
            self.common = Set(common.unicodeScalars)
            self.rare = Set(rare.unicodeScalars)
        }

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

    init?(_ bytes: [UInt8], _ encoding: String) {
        guard let text = EncodingDetector.decoded(bytes, encoding) else { return nil }
        self.text = text
        var counts: [Unicode.Scalar: Int] = [:]
        var (other, asciiLetters, all, plausible, run) = (0, 0, 0, 0, 0)
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            guard !scalar.isASCII else {
                if scalar.properties.isAlphabetic { asciiLetters += 1 }
                run = 0
                continue
            }
            all += 1
            let previous = index > 0 ? scalars[index - 1] : " "
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            // Words rarely contain more than two of these characters in a row, as in "Grüße". Lines can.
            if scalar != previous { run += 1 }
            let isLetter = scalar.properties.isAlphabetic
            // Capitals do not follow small letters.
            let isMisplaced =
                isLetter
                ? scalar.properties.isUppercase && previous.properties.isLowercase
                : !Self.isPlausible(scalar, previous, next)
            if isMisplaced { other += 1 } else if run <= 2 { plausible += 1 }
            if isLetter, !isMisplaced { counts[Self.smallLetter(scalar), default: 0] += 1 }
        }
        isProbable = all > 0 && all * 2 <= scalars.count && plausible * 4 >= all * 3
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
