/// A text in which one space replaces each run of white space, as in a browser.
struct CollapsedText {
    /// The text without white space at its beginning.
    private(set) var bytes: [UInt8] = []
    private var hasPendingSpace = false
    /// The number of bytes after which the rest of the text is ignored.
    private let maximumBytes: Int

    init(maximumBytes: Int = .max) { self.maximumBytes = maximumBytes }

    var isFull: Bool { bytes.count >= maximumBytes }

    /// The text without white space at its beginning and end.
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
