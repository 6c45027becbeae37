import CUchardet
import Foundation

/// Determines the encoding of texts that do not state it, and are not in UTF-8.
///
/// The library uchardet proposes an encoding. It is accepted if it is one of the common encodings below and
/// all bytes are valid in it. Every other text is in windows-1252, which contains the printable characters of
/// ISO 8859-1, if its bytes permit it. Decision 25 lists measurements.
enum EncodingDetector {
    /// The number of bytes that are examined, in addition to the rest of a line.
    private static let sampleLength = 1 << 17

    /// The names for iconv of the encodings that uchardet proposes.
    private static let encodings = [
        "ISO-8859-2": "ISO-8859-2", "WINDOWS-1250": "windows-1250", "ISO-8859-9": "windows-1254",
        "WINDOWS-1251": "windows-1251", "KOI8-R": "KOI8-R", "ISO-8859-5": "ISO-8859-5", "IBM866": "IBM866",
        "MAC-CYRILLIC": "windows-1251", "ISO-8859-7": "windows-1253", "WINDOWS-1253": "windows-1253",
        "WINDOWS-1255": "windows-1255", "ISO-8859-8": "windows-1255", "WINDOWS-1256": "windows-1256",
        "TIS-620": "windows-874", "SHIFT_JIS": "CP932", "EUC-JP": "EUC-JP", "GB18030": "GB18030",
        "BIG5": "BIG5-HKSCS", "EUC-KR": "CP949", "UHC": "CP949",
    ]

    /// Returns the text of bytes that are not UTF-8, and the name of its encoding; `nil` if the encoding
    /// cannot be determined or some bytes are invalid in it.
    ///
    /// - Complexity: O(length of data).
    static func decode(_ data: Data) -> (text: String, encodingName: String)? {
        guard let name = encoding(of: data), let text = decoded([UInt8](data), name) else { return nil }
        return (text, name)
    }

    /// Returns the name of the encoding of bytes that are not UTF-8; `nil` if it cannot be determined.
    static func encoding(of data: Data) -> String? {
        let bytes = [UInt8](data)
        guard !isBinaryOrDamagedUTF8(bytes) else { return nil }
        let sample = sample(of: bytes)
        if let name = encodings[proposal(for: sample)], decoded(sample, name) != nil { return name }
        let undefined: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D]
        let high = bytes.count { $0 >= 0x80 }
        return high * 2 <= bytes.count && !bytes.contains(where: undefined.contains) ? "windows-1252" : nil
    }

    /// Returns the decoded bytes; `nil` if some are invalid.
    static func decoded(_ bytes: [UInt8], _ encoding: String) -> String? {
        if encoding == "windows-1252" { return String(data: Data(bytes), encoding: .windowsCP1252) }
        guard let converted = TextConverter.convert(bytes, from: encoding),
            let text = String(validating: converted, as: UTF8.self)
        else { return nil }
        // The converter marks invalid bytes; C1 controls are undefined bytes of an encoding.
        let isInvalid = text.unicodeScalars.contains { $0 == "\u{FFFD}" || (0x80...0x9F).contains($0.value) }
        return isInvalid ? nil : text
    }

    /// Returns whether bytes contain control characters, or are probably damaged UTF-8: at least half of the
    /// bytes above 127 belong to characters in UTF-8.
    private static func isBinaryOrDamagedUTF8(_ bytes: [UInt8]) -> Bool {
        var high = 0
        for byte in bytes {
            switch byte {
            case 0x00...0x08, 0x0E...0x1A, 0x1C...0x1F, 0x7F: return true
            case 0x80...: high += 1
            default: break
            }
        }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var count = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let character): if character.count > 1 { count += character.count }
            case .error: break
            case .emptyInput: return count * 2 > high
            }
        }
    }

    /// Returns the part of a text that is examined: whole lines, which cut no character, from the line with
    /// the first byte above 127.
    private static func sample(of bytes: [UInt8]) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        let first = bytes.firstIndex { $0 >= 0x80 } ?? 0
        let start = bytes[..<first].lastIndex(of: newline).map { $0 + 1 } ?? 0
        let rest = bytes[min(first + sampleLength, bytes.count)...]
        return Array(bytes[start..<(rest.firstIndex(of: newline) ?? bytes.count)])
    }

    /// Returns the name that uchardet proposes; empty if it proposes none.
    private static func proposal(for sample: [UInt8]) -> String {
        guard !sample.isEmpty, let detector = uchardet_new() else { return "" }
        defer { uchardet_delete(detector) }
        let status = sample.withUnsafeBytes { bytes in
            uchardet_handle_data(
                detector, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard status == 0 else { return "" }
        uchardet_data_end(detector)
        return uchardet_get_charset(detector).map { String(cString: $0).uppercased() } ?? ""
    }
}
