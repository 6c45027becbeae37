package import Foundation

extension DocumentInput {
    /// Returns the text of a file, and the name of its encoding if it is not UTF-8.
    func text() throws(DocumentError) -> (text: String, encodingName: String?) {
        guard let decoded = TextDecoder.decode(data) else {
            throw .unsupported(
                "its encoding is not recognized; convert it to UTF-8 first, for example with iconv")
        }
        return decoded
    }
}

package enum TextDecoder {
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

    /// Returns the assumption with which a text was decoded; `nil` if its bytes determine the encoding.
    package static func notice(about encodingName: String?) -> String? {
        if encodingName == LatinRepair.encodingName { return LatinRepair.notice }
        return encodingName.flatMap { $0.hasPrefix("UTF-") ? nil : "its encoding is guessed: \($0)" }
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
        if data.starts(with: [0xFF, 0xFE, 0, 0]) { return decode(data, as: UTF32.self, "UTF-32LE") }
        if data.starts(with: [0, 0, 0xFE, 0xFF]) { return decode(data, as: UTF32.self, "UTF-32BE") }
        if data.starts(with: [0xFF, 0xFE]) { return decode(data, as: UTF16.self, "UTF-16LE") }
        if data.starts(with: [0xFE, 0xFF]) { return decode(data, as: UTF16.self, "UTF-16BE") }
        if let text = String(validating: data, as: UTF8.self) {
            return LatinRepair.repaired([text]).map { ($0[0], LatinRepair.encodingName) } ?? (text, nil)
        }
        return EncodingDetector.decode(data)
    }

    private static func decode<Encoding: Unicode.Encoding>(
        _ data: Data, as encoding: Encoding.Type, _ name: String
    ) -> (text: String, encodingName: String?)? where Encoding.CodeUnit: FixedWidthInteger {
        let size = MemoryLayout<Encoding.CodeUnit>.size
        guard data.count % size == 0 else { return nil }
        let units = data.dropFirst(size).withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: size).map { index in
                let unit = bytes.loadUnaligned(fromByteOffset: index, as: Encoding.CodeUnit.self)
                return name.hasSuffix("LE")
                    ? Encoding.CodeUnit(littleEndian: unit) : Encoding.CodeUnit(bigEndian: unit)
            }
        }
        guard !units.contains(0), let text = String(validating: units, as: encoding) else { return nil }
        return (text, name)
    }
}

/// The repair of texts in UTF-8 that a program read as ISO 8859-1 or windows-1252 and wrote again, so that each letter
/// outside of ASCII became two or more, such as `Ã«` for `ë`.
package enum LatinRepair {
    static let encodingName = "UTF-8 that was read as Latin-1"
    /// The message about a repair.
    package static let notice = "its text was UTF-8 that another program had read as Latin-1; it was repaired"

    /// The minimum number of repaired letters. A text about this fault can contain one.
    private static let minimumCount = 2
    /// The bytes of the characters that windows-1252 has in place of control characters.
    private static let bytes: [Unicode.Scalar: UInt8] = Dictionary(
        (UInt8(0x80)...0x9F).compactMap { byte in
            String(data: Data([byte]), encoding: .windowsCP1252)?.unicodeScalars.first.map { ($0, byte) }
        }, uniquingKeysWith: { first, _ in first })

    /// Returns the repaired texts of a file; `nil` if not all of their characters outside of ASCII are parts of such
    /// letters, or if there are too few of them.
    package static func repaired(_ texts: [String]) -> [String]? {
        var count = 0
        let repaired = texts.map { text -> String? in
            guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
            var bytes: [UInt8] = []
            for scalar in text.unicodeScalars {
                guard let byte = UInt8(exactly: scalar.value) ?? Self.bytes[scalar] else { return nil }
                bytes.append(byte)
                // The first byte of a character in UTF-8
                if byte >= 0xC0 { count += 1 }
            }
            return String(validating: bytes, as: UTF8.self)
        }
        let all = repaired.compactMap { $0 }
        return count >= minimumCount && all.count == texts.count ? all : nil
    }
}

extension DocumentContents {
    /// Creates the contents of a text file, with a notice if its text was repaired or its encoding was guessed.
    init(_ document: Document, encodingName: String?) {
        self.init([document])
        notices = [TextDecoder.notice(about: encodingName)].compactMap(\.self)
    }
}
