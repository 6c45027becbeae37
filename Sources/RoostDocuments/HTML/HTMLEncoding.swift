import Foundation

/// Determines the character encoding of a page and converts the page to UTF-8.
enum HTMLEncoding {
    /// The number of bytes at the beginning of a page that may contain the declaration of its encoding.
    private static let declarationLength = 4096

    /// Converts a page to UTF-8.
    ///
    /// A byte order mark takes precedence over the server's statement, which takes precedence over a `meta`
    /// element. A page without any of these, or with a wrong statement of UTF-8, is read as UTF-8 if it is
    /// valid, and as windows-1252 otherwise. Invalid sequences become U+FFFD.
    /// - Parameters:
    ///   - data: The bytes of the page.
    ///   - stated: The name of the encoding that a server stated; `nil` if it stated none.
    static func convert(_ data: Data, stated: String?) -> [UInt8] {
        ControlCharacters.repaired(decoded(data, stated: stated))
    }

    private static func decoded(_ data: Data, stated: String?) -> [UInt8] {
        let bytes = [UInt8](data)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
        if bytes.starts(with: [0x3C, 0x00]) { return utf16(bytes[...], isBigEndian: false) }
        if bytes.starts(with: [0x00, 0x3C]) { return utf16(bytes[...], isBigEndian: true) }
        let name = (stated ?? declared(bytes.prefix(declarationLength))).map(canonicalName)
        if let name, name != "utf-8", let converted = TextConverter.convert(bytes, from: name) {
            return converted
        }
        if isUTF8(bytes) { return bytes }
        // A few invalid bytes in a page that states UTF-8 are errors of the page, not another encoding.
        if name == "utf-8", invalidShare(bytes) < 0.01 { return bytes }
        return TextConverter.convert(bytes, from: "windows-1252") ?? latin1(bytes)
    }

    /// Returns the name of the encoding that a `meta` element or an XML declaration states.
    static func declared(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.map { $0 < 0x80 ? $0 : 0x20 }, as: UTF8.self).lowercased()
        for key in ["charset", "encoding"] {
            var rest = text[...]
            while let range = rest.range(of: key) {
                rest = rest[range.upperBound...]
                let value = rest.drop { $0.isWhitespace }
                guard value.first == "=" else { continue }
                let name = value.dropFirst().drop { " \t\r\n\"'".contains($0) }
                    .prefix { $0.isLetter || $0.isNumber || "-_:.".contains($0) }
                if !name.isEmpty { return String(name) }
            }
        }
        return nil
    }

    /// Returns the name of the encoding that browsers use for a stated name (WHATWG Encoding Standard).
    private static func canonicalName(_ name: String) -> String {
        let name = name.lowercased().trimmingCharacters(in: .whitespaces)
        return switch name {
        case "utf8", "unicode-1-1-utf-8", "utf-16", "utf-16le", "utf-16be", "unicode": "utf-8"
        case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii", "iso_8859-1", "cp1252":
            "windows-1252"
        case "iso-8859-9", "latin5": "windows-1254"
        case "iso-8859-11", "tis-620": "windows-874"
        case "shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j": "cp932"
        case "gb2312", "gbk", "gb_2312-80", "x-gbk": "gb18030"
        case "euc-kr", "ks_c_5601-1987", "korean": "cp949"
        case "big5": "big5-hkscs"
        case "x-mac-roman", "macintosh": "macintosh"
        default: name
        }
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// Returns the share of the characters that are not valid.
    private static func invalidShare(_ bytes: [UInt8]) -> Double {
        let sample = bytes.prefix(1 << 20)
        let invalid = String(decoding: sample, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" }
        return Double(invalid) / Double(max(1, sample.count { $0 >= 0x80 }))
    }

    private static func latin1(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for index in stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2) {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
