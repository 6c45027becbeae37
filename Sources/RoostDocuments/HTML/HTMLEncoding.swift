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
    /// or else in windows-1252. Invalid sequences become U+FFFD.
    static func convert(_ data: Data, stated: String?) -> [UInt8] {
        let bytes = [UInt8](data)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        let hasUTF16Mark = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        if hasUTF16Mark, let text = String(data: data, encoding: .utf16) { return Array(text.utf8) }
        let name = (stated ?? declared(bytes.prefix(declarationLength))).map(canonicalName)
        let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
        if isUTF8, name == nil || bytes.contains(where: { $0 >= 0x80 }) { return bytes }
        let converted = name == "utf-8" ? bytes : name.flatMap { TextConverter.convert(bytes, from: $0) }
        if let converted, !isWrong(converted) { return converted }
        let detected = EncodingDetector.encoding(of: Data(text(of: bytes)))
        return detected.flatMap { TextConverter.convert(bytes, from: $0) } ?? converted
            ?? TextConverter.convert(bytes, from: "windows-1252") ?? bytes
    }

    /// Returns whether at least 1% of the bytes outside of ASCII of a text in UTF-8 are invalid. A few are
    /// errors of the page, and not another encoding.
    private static func isWrong(_ bytes: [UInt8]) -> Bool {
        let sample = bytes.prefix(1 << 20)
        let invalid = String(decoding: sample, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" }
        return Double(invalid) / Double(max(1, sample.count { $0 >= 0x80 })) >= 0.01
    }

    /// Returns the bytes of a page without its elements and scripts, which consist of ASCII in any language.
    private static func text(of bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            result += rest[..<start] + [0x20]
            rest = rest[start...]
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return result }
            let name = String(decoding: rest.dropFirst().prefix(6), as: UTF8.self).lowercased()
            rest = rest[(end + 1)...]
            if name.hasPrefix("script") || name.hasPrefix("style") {
                guard let range = rest.firstRange(of: "</".utf8) else { return result }
                rest = rest[range.lowerBound...]
            }
        }
        return result + rest
    }

    /// Returns the name of the encoding that a `meta` element or an XML declaration states.
    private static func declared(_ bytes: ArraySlice<UInt8>) -> String? {
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
    static func canonicalName(_ name: String) -> String {
        let name = name.lowercased().trimmingCharacters(in: .whitespaces)
        return switch name {
        case "utf8", "unicode-1-1-utf-8", "utf-16", "utf-16le", "utf-16be", "unicode": "utf-8"
        case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii", "iso_8859-1", "cp1252":
            "windows-1252"
        case "iso-8859-9", "latin5": "windows-1254"
        case "shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j": "cp932"
        case "gb2312", "gbk", "gb_2312-80", "x-gbk": "gb18030"
        case "euc-kr", "ks_c_5601-1987", "korean": "cp949"
        case "big5": "big5-hkscs"
        default: name
        }
    }
}

/// Converts text to UTF-8 with the converter of the operating system.
package enum TextConverter {
    /// Converts bytes in an encoding to UTF-8. Invalid sequences become U+FFFD.
    ///
    /// Returns `nil` if the encoding is not supported.
    package static func convert(_ bytes: [UInt8], from encoding: String) -> [UInt8]? {
        #if canImport(Darwin)
            let constant = CFStringConvertIANACharSetNameToEncoding(encoding as CFString)
            guard constant != kCFStringEncodingInvalidId else { return nil }
            let native = String.Encoding(rawValue: CFStringConvertEncodingToNSStringEncoding(constant))
            return String(data: Data(bytes), encoding: native).map { Array($0.utf8) }
        #else
            guard encoding.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }) else { return nil }
            guard let converter = iconv_open("UTF-8", encoding), converter != iconv_t(bitPattern: -1) else {
                return nil
            }
            defer { iconv_close(converter) }
            return convert(bytes, with: converter)
        #endif
    }

    #if !canImport(Darwin)
        private static func convert(_ bytes: [UInt8], with converter: iconv_t) -> [UInt8] {
            var input = bytes
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + bytes.count / 2)
            var buffer = [CChar](repeating: 0, count: 1 << 16)
            input.withUnsafeMutableBytes { source in
                var next = source.baseAddress?.assumingMemoryBound(to: CChar.self)
                var remaining = source.count
                while remaining > 0 {
                    let (count, code) = buffer.withUnsafeMutableBufferPointer { target -> (Int, Int32) in
                        var output = target.baseAddress
                        var space = target.count
                        let status = iconv(converter, &next, &remaining, &output, &space)
                        return (target.count - space, status == -1 ? errno : 0)
                    }
                    result.append(contentsOf: buffer[..<count].lazy.map { UInt8(bitPattern: $0) })
                    if remaining > 0, code == EILSEQ || code == EINVAL {
                        result.append(contentsOf: [0xEF, 0xBF, 0xBD])
                        next = next?.advanced(by: 1)
                        remaining -= 1
                    }
                }
            }
            return result
        }
    #endif
}
