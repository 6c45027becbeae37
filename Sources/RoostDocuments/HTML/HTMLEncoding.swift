import Foundation

/// Determines the character encoding of a page and converts the page to UTF-8.
enum HTMLEncoding {
    /// The number of bytes at the beginning of a page that may contain the declaration of its encoding.
    private static let declarationLength = 4096

    /// Converts a page to UTF-8.
    ///
    /// A byte order mark takes precedence over the server's statement, which takes precedence over a `meta`
    /// element. Programs that save pages often convert them to UTF-8 without changing this element, so a page
    /// that is valid in UTF-8 is read as such in spite of these statements. Any other page without one of
    /// them, or with a wrong one, is read in the encoding that ``EncodingDetector`` determines from its text,
    /// or else in windows-1252. Single bytes of windows-1252 in a page in UTF-8 are converted, too. Other
    /// invalid sequences become U+FFFD.
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
        if let name, name != "utf-8", isConverted(bytes, from: name) { return bytes }
        let converted = name == "utf-8" ? nil : name.flatMap { TextConverter.convert(bytes, from: $0) }
        if let converted, !isWrong(converted) { return converted }
        if isUTF8(bytes) { return bytes }
        if name == nil || name == "utf-8", let mixed = MixedEncoding.repaired(bytes) { return mixed }
        // A few invalid bytes in a page that states UTF-8 are errors of the page, not another encoding.
        if name == "utf-8", !isWrong(bytes) { return bytes }
        if let detected = EncodingDetector.encoding(of: Data(text(of: bytes))),
            let result = TextConverter.convert(bytes, from: detected)
        {
            return result
        }
        return converted ?? TextConverter.convert(bytes, from: "windows-1252") ?? latin1(bytes)
    }

    /// Returns the bytes of a page without its elements and scripts, which consist of ASCII in any language.
    private static func text(of bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            result += rest[..<start] + [0x20]
            rest = rest[start...]
            let name = String(decoding: rest.dropFirst().prefix(6), as: UTF8.self).lowercased()
            let isScript = name.hasPrefix("script") || name.hasPrefix("style")
            let end = isScript ? endOfScript(rest.dropFirst()) : rest.firstIndex(of: UInt8(ascii: ">"))
            guard let end else { return result }
            rest = rest[(end + 1)...]
        }
        return result + rest
    }

    /// Returns the index of the last byte of the element that ends a script or style sheet.
    private static func endOfScript(_ bytes: ArraySlice<UInt8>) -> Int? {
        let slash = UInt8(ascii: "/")
        let end = bytes.indices.dropLast().first { index in
            bytes[index] == UInt8(ascii: "<") && bytes[index + 1] == slash
                && [UInt8(ascii: "s"), UInt8(ascii: "S")].contains(
                    bytes.dropFirst(index + 2 - bytes.startIndex).first)
        }
        return end.flatMap { bytes[$0...].firstIndex(of: UInt8(ascii: ">")) }
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

    /// The encodings in which most characters outside of ASCII have several bytes.
    private static let multibyteEncodings: Set = ["cp932", "euc-jp", "gb18030", "cp949", "big5-hkscs"]
    /// The minimum number of characters outside of ASCII of a page in UTF-8 that states one of these.
    private static let minimumCharacters = 10

    /// Returns whether a page that states another encoding is in UTF-8. The bytes of texts in other encodings
    /// are valid in UTF-8 by chance only in very short texts.
    private static func isConverted(_ bytes: [UInt8], from name: String) -> Bool {
        let minimum = multibyteEncodings.contains(name) ? minimumCharacters : 1
        return bytes.lazy.filter { $0 >= 0xC2 }.prefix(minimum).count { _ in true } == minimum
            && isUTF8(bytes)
    }

    /// Returns whether at least 1% of the bytes outside of ASCII of a text in UTF-8 are invalid.
    private static func isWrong(_ bytes: [UInt8]) -> Bool {
        let sample = bytes.prefix(1 << 20)
        let invalid = String(decoding: sample, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" }
        return Double(invalid) / Double(max(1, sample.count { $0 >= 0x80 })) >= 0.01
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
