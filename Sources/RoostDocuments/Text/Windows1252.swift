import Foundation

/// Recognizes text in windows-1252, which contains the printable characters of ISO 8859-1.
enum Windows1252 {
    /// Letters below 0xC0: Š, Œ, Ž, š, œ, ž, Ÿ.
    private static let lowLetters: Set<UInt8> = [0x8A, 0x8C, 0x8E, 0x9A, 0x9C, 0x9E, 0x9F]
    private static let lowCapitals: Set<UInt8> = [0x8A, 0x8C, 0x8E, 0x9F]
    /// Signs that stand between letters: … ’ – —, the no-break space, the soft hyphen, ´ and ·.
    private static let signsWithin: Set<UInt8> = [0x85, 0x92, 0x96, 0x97, 0xA0, 0xAD, 0xB4, 0xB7]
    /// Other signs that directly follow a word: † ‡ ‹ ‘ “ ” ™ › ¢ © ª « ® ° ² ³ ¹ º ».
    private static let signsAfter: Set<UInt8> = [
        0x86, 0x87, 0x8B, 0x91, 0x93, 0x94, 0x99, 0x9B, 0xA2, 0xA9, 0xAA, 0xAB, 0xAE, 0xB0, 0xB2, 0xB3, 0xB9,
        0xBA, 0xBB,
    ]
    /// Other signs that directly precede a word: ‚ „ † ‡ ‹ ‘ “ ” • › ¡ § © « ° µ » ¿.
    private static let signsBefore: Set<UInt8> = [
        0x82, 0x84, 0x86, 0x87, 0x8B, 0x91, 0x93, 0x94, 0x95, 0x9B, 0xA1, 0xA7, 0xA9, 0xAB, 0xB0, 0xB5, 0xBB,
        0xBF,
    ]

    /// Signs of ASCII that directly precede a word, as in `l'été`.
    private static let signsBeforeWords = Set("\"'()*,-./:;>[_{|".utf8)

    /// The letters that are Ğ, İ, Ş, ğ, ı and ş in the Turkish encoding: Ð, Ý, Þ, ð, ý, þ.
    private static let turkishLetters: Set<UInt8> = [0xD0, 0xDD, 0xDE, 0xF0, 0xFD, 0xFE]
    /// Letters of the languages with Ð, Ý and Þ that Turkish lacks: Á, Æ, Í, Ó, Ú, á, æ, í, ó, ú.
    private static let northernLetters: Set<UInt8> = [
        0xC1, 0xC6, 0xCD, 0xD3, 0xDA, 0xE1, 0xE6, 0xED, 0xF3, 0xFA,
    ]

    /// Returns whether bytes are probably text in windows-1252, and not in another encoding.
    ///
    /// They contain no control characters and no undefined bytes. At most half of them are above 127. At
    /// least three quarters of the latter are letters and signs where words have them. The letters that
    /// differ in the Turkish encoding occur only with others of Icelandic or Faroese. The bytes are not
    /// damaged UTF-8, which ``isBinaryOrUTF8(_:)`` recognizes.
    ///
    /// - Complexity: O(length of data).
    static func isProbable(_ data: Data) -> Bool {
        let bytes = [UInt8](data)
        var (high, plausible, run, turkish, northern) = (0, 0, 0, 0, 0)
        var previous: UInt8 = 0x20
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 0x00...0x08, 0x0E...0x1A, 0x1C...0x1F, 0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D: return false
            case 0x80...:
                high += 1
                // Words rarely contain more than two of these bytes in a row, as in "Grüße". Lines can.
                if byte != previous { run += 1 }
                let next = index + 1 < bytes.count ? bytes[index + 1] : 0x20
                if run <= 2, isPlausible(byte, after: previous, before: next) { plausible += 1 }
                if turkishLetters.contains(byte) { turkish += 1 }
                if northernLetters.contains(byte) { northern += 1 }
            default: run = 0
            }
            previous = byte
        }
        return high > 0 && high * 2 <= bytes.count && plausible * 4 >= high * 3 && turkish <= 4 * northern
    }

    /// Returns whether bytes contain control characters, or are probably damaged UTF-8: at least half of the
    /// bytes above 127 belong to characters in UTF-8.
    ///
    /// - Complexity: O(length of data).
    static func isBinaryOrUTF8(_ data: Data) -> Bool {
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

    /// Returns whether a byte above 127 is probable between two others.
    private static func isPlausible(_ byte: UInt8, after previous: UInt8, before next: UInt8) -> Bool {
        if isLetter(byte) {
            let isCapital = lowCapitals.contains(byte) || (0xC0...0xDE).contains(byte)
            if isCapital, (0x61...0x7A).contains(previous) { return false }
            return previous >= 0x80 || previous <= 0x20 || previous.isASCIILetter
                || signsBeforeWords.contains(previous)
        }
        return switch (isLetter(previous), isLetter(next)) {
        case (false, false): true
        case (true, true): signsWithin.contains(byte)
        case (true, false): signsWithin.contains(byte) || signsAfter.contains(byte)
        case (false, true): signsWithin.contains(byte) || signsBefore.contains(byte)
        }
    }

    /// The letters do not include × and ÷.
    private static func isLetter(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || lowLetters.contains(byte) || (byte >= 0xC0 && byte != 0xD7 && byte != 0xF7)
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
}
