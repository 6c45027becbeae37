import Foundation

struct TextCounts: Sendable {
    var words = 0
    var letters = 0
    var digits = 0
    var sentenceEnds = 0
    var symbols = 0

    init() {}

    /// Counts the words of a text: runs of letters and digits. In scripts without spaces between words, two
    /// ideographs or syllables, or five letters of a Southeast Asian script, count as a further word.
    init(_ text: String) {
        var isInWord = false
        var ideographs = 0
        var unspacedLetters = 0
        for scalar in text.unicodeScalars {
            let value = scalar.value
            if value < 0x80 ? Self.isWordByte(UInt8(value)) : Self.isWordScalar(value) {
                if !isInWord { words += 1 }
                isInWord = true
                letters += 1
                if value >= 0x30 && value <= 0x39 { digits += 1 }
                if value >= 0x2E80 && value <= 0xD7FF { ideographs += 1 }
                if Self.isUnspacedLetter(value) { unspacedLetters += 1 }
                continue
            }
            isInWord = false
            switch value {
            case 0x20, 0x0A, 0x09, 0x0D, 0x2C, 0x3B, 0xFF0C, 0x3001, 0x060C, 0x104A: break
            case 0x2000...0x200F, 0x2028...0x202F: break  // Spaces, joiners and marks of direction
            case _ where Self.endsSentence(value): sentenceEnds += 1
            default: symbols += 1
            }
        }
        words += ideographs / 2 + unspacedLetters / 5
    }

    private static func isUnspacedLetter(_ value: UInt32) -> Bool {
        switch value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
        default: false
        }
    }

    /// Returns whether a character ends a sentence: the full stop, exclamation mark or question mark of
    /// Latin, Chinese, Japanese or Arabic texts, or the full stop of Devanagari, Burmese or Khmer.
    static func endsSentence(_ value: UInt32) -> Bool {
        switch value {
        case 0x2E, 0x21, 0x3F, 0x3002, 0xFF01, 0xFF1F, 0x061F, 0x06D4, 0x0964, 0x104B, 0x17D4: true
        default: false
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A) || byte == 0x5F
    }

    /// Returns whether a character outside of ASCII belongs to a word: all but spaces, punctuation and
    /// symbols.
    private static func isWordScalar(_ value: UInt32) -> Bool {
        switch value {
        case 0x060C, 0x061B, 0x061F, 0x06D4, 0x0964, 0x0965, 0x104A, 0x104B, 0x17D4, 0x17D5: false
        case 0x80...0xA9, 0xAB...0xB4, 0xB6...0xB9, 0xBB...0xBF, 0xD7, 0xF7: false
        case 0x2000...0x2BFF, 0x3000...0x3004, 0x3007...0x303F, 0xFE00...0xFE0F, 0xFF00...0xFF0F: false
        case 0xFF1A...0xFF20, 0xFFFD, 0x1F000...0x1FAFF, 0xE000...0xF8FF: false
        default: true
        }
    }
}

/// A text in which one space replaces each run of white space, as in a browser.
struct CollapsedText {
    private(set) var bytes: [UInt8] = []
    private var hasPendingSpace = false
    /// The number of bytes after which the rest of the text is ignored.
    private let maximumBytes: Int

    init(maximumBytes: Int = .max) { self.maximumBytes = maximumBytes }

    var isFull: Bool { bytes.count >= maximumBytes }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a separator between words.
    mutating func appendSpace() { hasPendingSpace = !bytes.isEmpty }

    private mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < source.count, !isFull {
            let byte = source[index]
            if byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) {
                appendSpace()
            } else if byte == 0xC2, index + 1 < source.count, source[index + 1] == 0xA0 {
                appendSpace()  // A no-break space
                index += 1
            } else if let length = Self.invisibleLength(source, index) {
                index += length - 1
            } else {
                if hasPendingSpace { bytes.append(0x20) }
                hasPendingSpace = false
                bytes.append(byte)
            }
            index += 1
        }
    }

    /// Returns the number of bytes of a character that only allows a line break or joins letters: a soft
    /// hyphen, a zero-width space, a byte order mark or a grapheme joiner; `nil` for other characters, and
    /// for a zero-width space that separates words, as in Khmer and Thai.
    private static func invisibleLength(_ source: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        func matches(_ second: UInt8, _ third: UInt8? = nil) -> Bool {
            guard index + 1 < source.count, source[index + 1] == second else { return false }
            guard let third else { return true }
            return index + 2 < source.count && source[index + 2] == third
        }
        switch source[index] {
        case 0xC2 where matches(0xAD), 0xCD where matches(0x8F): return 2
        case 0xE2 where matches(0x80, 0x8B):
            // The letters of these scripts have three bytes in UTF-8.
            let isBetweenLetters =
                index > 0 && source[index - 1] >= 0x80 && index + 3 < source.count
                && source[index + 3] >= 0xE0
            return isBetweenLetters ? nil : 3
        case 0xEF where matches(0xBB, 0xBF): return 3
        default: return nil
        }
    }
}

enum HTMLText {
    /// Returns the text of markup, such as `Q&amp;A`; a text without markup is unchanged.
    static func plain(_ markup: String) -> String {
        guard markup.contains("&") || markup.contains("<") else { return markup }
        let page = HTMLPage(Data(markup.utf8), encodingName: "utf-8")
        return page.blocks.map(\.text).joined(separator: " ")
    }
}
