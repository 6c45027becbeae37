/// Repairs of the control characters U+0080 to U+009F, which are the traces of wrong conversions.
///
/// No page contains these characters on purpose. A program that read UTF-8 as ISO 8859-1 and wrote UTF-8
/// changed U+2019, the apostrophe, into U+00E2 U+0080 U+0099. A program that read windows-1252 as ISO 8859-1
/// changed it into U+0092.
enum ControlCharacters {
    /// The numbers of the control characters.
    private static let controls: ClosedRange<UInt8> = 0x80...0x9F
    /// The characters of windows-1252 with these numbers, in UTF-8. Five are undefined, and U+0085 is a line
    /// break.
    private static let replacements =
        "€\u{FFFD}‚ƒ„\n†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ".unicodeScalars
        .map { Array(String($0).utf8) }

    /// Returns a text in UTF-8 without the traces of wrong conversions.
    ///
    /// Characters up to U+00FF that are the bytes of a character in UTF-8, and contain a control character,
    /// are replaced with it. If there are more of them than characters outside of ASCII that are no such
    /// bytes, the page was encoded twice, and all characters that are such bytes are replaced. A correct page
    /// can contain them: `ß«`. The characters of windows-1252 replace the other control characters, except
    /// for U+0085, which is a line break.
    ///
    /// - Complexity: O(length of text).
    static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        guard zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0xC2 && controls.contains($1) }) else {
            return bytes
        }
        var sequences: [(range: Range<Int>, hasControl: Bool)] = []
        var others = 0
        var index = 0
        while index < bytes.count {
            if let range = originalCharacter(at: index, in: bytes) {
                sequences.append((range, numbers(of: range, in: bytes).contains(where: controls.contains)))
                index = range.upperBound
            } else {
                // The first byte of a character outside of ASCII.
                if bytes[index] >= 0xC0 { others += 1 }
                index += 1
            }
        }
        let isEncodedTwice = sequences.count(where: \.hasControl) > others
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        for sequence in sequences where sequence.hasControl || isEncodedTwice {
            result += withoutControls(bytes[end..<sequence.range.lowerBound])
            result += numbers(of: sequence.range, in: bytes)
            end = sequence.range.upperBound
        }
        return result + withoutControls(bytes[end...])
    }

    /// Returns the number of the character from U+0080 to U+00FF at an index; `nil` for other characters.
    private static func number(at index: Int, in bytes: [UInt8]) -> UInt8? {
        guard index + 1 < bytes.count, bytes[index] == 0xC2 || bytes[index] == 0xC3,
            bytes[index + 1] & 0xC0 == 0x80
        else { return nil }
        return bytes[index] << 6 | bytes[index + 1] & 0x3F
    }

    private static func numbers(of sequence: Range<Int>, in bytes: [UInt8]) -> [UInt8] {
        stride(from: sequence.lowerBound, to: sequence.upperBound, by: 2).compactMap {
            number(at: $0, in: bytes)
        }
    }

    /// Returns the range of the characters at an index whose numbers are the bytes of one character in UTF-8;
    /// `nil` if there are none.
    private static func originalCharacter(at index: Int, in bytes: [UInt8]) -> Range<Int>? {
        let length =
            switch number(at: index, in: bytes) {
            case .some(0xC2...0xDF): 2
            case .some(0xE0...0xEF): 3
            case .some(0xF0...0xF4): 4
            default: 0
            }
        guard length > 0, index + 2 * length <= bytes.count else { return nil }
        let range = index..<index + 2 * length
        let numbers = numbers(of: range, in: bytes)
        return numbers.count == length && String(validating: numbers, as: UTF8.self) != nil ? range : nil
    }

    private static func withoutControls(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let next = index + 1
            if bytes[index] == 0xC2, next < bytes.endIndex, controls.contains(bytes[next]) {
                result += replacements[Int(bytes[next] - controls.lowerBound)]
                index += 2
            } else {
                result.append(bytes[index])
                index = next
            }
        }
        return result
    }
}
