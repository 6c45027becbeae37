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
    private static let (minimumClearShare, minimumDistance) = (0.95, 0.05)
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
    /// ``Windows1252`` finds this probable.
    ///
    /// - Complexity: O(length of data).
    static func decode(_ data: Data) -> (text: String, encodingName: String)? {
        guard let name = encoding(of: data), let text = decoded([UInt8](data), name) else { return nil }
        return (text, name)
    }

    /// Returns the name of the encoding of bytes that are not UTF-8; `nil` if it cannot be determined.
    static func encoding(of data: Data) -> String? {
        guard !Windows1252.isBinaryOrUTF8(data) else { return nil }
        let sample = sample(of: [UInt8](data))
        let isWestern = Windows1252.isProbable(data)
        let proposal = proposal(for: sample)
        let western = LatinText(sample, "windows-1252")
        let share = western?.share ?? 0
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
        if encoding == "windows-1252" { return String(data: Data(bytes), encoding: .windowsCP1252) }
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

    /// Returns the most plausible encoding for a proposal in another script; `nil` if there is none.
    private static func script(_ proposal: String, _ sample: [UInt8]) -> String? {
        var best: (name: String, share: Double)?
        for name in otherEncodings[proposal, default: []] {
            let share = decoded(sample, name).map(ScriptText.plausibleShare) ?? 0
            if share >= minimumClearShare, share > best?.share ?? 0 { best = (name, share) }
        }
        return best?.name
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
