package import Foundation

/// Decodes the bytes of text files.
package enum TextDecoder {
    /// Returns the text of bytes without its byte order mark, and the name of the encoding if it is not
    /// UTF-8; `nil` if the bytes are not text.
    ///
    /// A byte order mark determines the encoding. Bytes that are not UTF-8 are decoded as windows-1252, which
    /// includes the printable characters of ISO 8859-1, if they contain no control characters and most bytes
    /// above 127 can be letters of words.
    package static func decode(_ data: Data) -> (text: String, encodingName: String?)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: data.dropFirst(3), as: UTF8.self).map { ($0, nil) }
        }
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) { return decodeUTF16(data) }
        if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
        guard isWindows1252(data), let text = String(data: data, encoding: .windowsCP1252) else { return nil }
        return (text, "windows-1252")
    }

    private static func decodeUTF16(_ data: Data) -> (text: String, encodingName: String?)? {
        let isLittleEndian = data.first == 0xFF
        guard data.count % 2 == 0 else { return nil }
        let units = data.dropFirst(2).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 2).map { index in
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                return isLittleEndian ? second << 8 | first : first << 8 | second
            }
        }
        guard !units.contains(0), let text = String(validating: units, as: UTF16.self) else { return nil }
        return (text, isLittleEndian ? "UTF-16LE" : "UTF-16BE")
    }

    /// Returns whether bytes are probably text in windows-1252: they contain no control characters and no
    /// undefined bytes, at most half of them are above 127, and at least three quarters of the latter follow
    /// letters or spaces, or are punctuation.
    private static func isWindows1252(_ data: Data) -> Bool {
        var (high, nearLetters, run) = (0, 0, 0)
        var previous: UInt8 = 0x20
        for byte in data {
            switch byte {
            case 0x00...0x08, 0x0E...0x1A, 0x1C...0x1F, 0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D: return false
            case 0x80...:
                high += 1
                run += 1
                let isLetter = byte >= 0xC0 && byte != 0xD7 && byte != 0xF7
                // Words rarely contain more than two of these letters in a row, as in "Grüße".
                let follows = run <= 2 && (previous >= 0x80 || previous <= 0x20 || isASCIILetter(previous))
                if follows || (!isLetter && byte < 0xC0) { nearLetters += 1 }
            default: run = 0
            }
            previous = byte
        }
        return high > 0 && nearLetters * 4 >= high * 3 && high * 2 <= data.count
    }

    private static func isASCIILetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte & 0xDF)
    }
}
