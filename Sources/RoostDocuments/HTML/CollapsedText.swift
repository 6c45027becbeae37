/// A text in which one space replaces each run of white space, as in a browser.
struct CollapsedText {
    /// The text without white space at its beginning.
    private(set) var bytes: [UInt8] = []
    private var hasPendingSpace = false

    /// The text without white space at its beginning and end.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Appends a text.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a separator between words.
    mutating func appendSpace() { hasPendingSpace = !bytes.isEmpty }

    private mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < source.count {
            let byte = source[index]
            if byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) {
                appendSpace()
            } else if byte == 0xC2, index + 1 < source.count, source[index + 1] == 0xA0 {
                appendSpace()  // A no-break space
                index += 1
            } else {
                if hasPendingSpace { bytes.append(0x20) }
                hasPendingSpace = false
                bytes.append(byte)
            }
            index += 1
        }
    }
}
