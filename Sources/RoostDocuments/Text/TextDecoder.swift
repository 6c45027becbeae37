package import Foundation

/// Decodes the bytes of text files.
package enum TextDecoder {
    /// The message for bytes that ``decode(_:)`` cannot decode.
    static let failureText =
        "its encoding is not recognized; convert it to UTF-8 first, for example with iconv"

    /// Returns the text of bytes without its byte order mark, and the name of the encoding if it is not
    /// UTF-8; `nil` if the bytes are not text.
    ///
    /// A byte order mark determines the encoding. ``EncodingDetector`` determines that of other bytes that
    /// are not UTF-8. All bytes are valid in the encoding. If the lines end with carriage returns alone, as
    /// in files of old Macintosh programs, these are replaced by line feeds; no other character is replaced.
    package static func decode(_ data: Data) -> (text: String, encodingName: String?)? {
        guard let (text, encodingName) = decodeCharacters(data) else { return nil }
        return (withLineFeeds(text), encodingName)
    }

    private static func withLineFeeds(_ text: String) -> String {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        guard !text.utf8.contains(lineFeed), text.utf8.contains(carriageReturn) else { return text }
        return String(decoding: text.utf8.map { $0 == carriageReturn ? lineFeed : $0 }, as: UTF8.self)
    }

    private static func decodeCharacters(_ data: Data) -> (text: String, encodingName: String?)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) {
            return String(validating: data.dropFirst(3), as: UTF8.self).map { ($0, nil) }
        }
        // The mark of UTF-16 is the beginning of that of UTF-32 in little-endian order. A text in UTF-16 does
        // not begin with a null character.
        if data.starts(with: [0xFF, 0xFE, 0, 0]) || data.starts(with: [0, 0, 0xFE, 0xFF]) {
            return decodeUTF32(data)
        }
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) { return decodeUTF16(data) }
        if let text = String(validating: data, as: UTF8.self) { return (text, nil) }
        return EncodingDetector.decode(data)
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

    private static func decodeUTF32(_ data: Data) -> (text: String, encodingName: String?)? {
        let isLittleEndian = data.first == 0xFF
        guard data.count % 4 == 0 else { return nil }
        let units = data.dropFirst(4).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).map { index in
                let unit = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
                return isLittleEndian ? UInt32(littleEndian: unit) : UInt32(bigEndian: unit)
            }
        }
        guard !units.contains(0), let text = String(validating: units, as: UTF32.self) else { return nil }
        return (text, isLittleEndian ? "UTF-32LE" : "UTF-32BE")
    }
}
