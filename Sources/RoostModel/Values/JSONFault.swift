import Foundation
import RoostFiles

/// The reason why a JSON text cannot be read, for messages.
///
/// `JSONDecoder` reports some faults with the wrong cause: a string with half of a surrogate pair, for
/// example, as a value of the wrong type. The scanner of this type finds such faults itself.
package enum JSONFault {
    /// The maximum nesting depth that `JSONDecoder` accepts.
    private static let maximumDepth = 512
    /// The maximum length of a number in a message.
    private static let maximumShownLength = 40

    /// Returns the reason why a text is not a JSON object with readable contents, as a clause for a message,
    /// such as `it is an array, not an object`.
    ///
    /// - Parameters:
    ///   - data: A text that could not be decoded.
    ///   - fallback: The reason to return if the text is an object without any of the known faults.
    package static func description(of data: some Collection<UInt8>, fallback: String) -> String {
        var scanner = Scanner(bytes: Array(data))
        if let fault = scanner.fault() { return fault }
        let first = data.first { !$0.isJSONSpace }
        let kind: String?
        switch first {
        case UInt8(ascii: "{"): kind = nil
        case UInt8(ascii: "["): kind = "an array"
        case UInt8(ascii: "\""): kind = "a string"
        case nil: kind = "empty"
        default: kind = "a single value"
        }
        let isValid =
            (try? JSONSerialization.jsonObject(with: Data(data), options: .fragmentsAllowed)) != nil
        guard isValid || first == nil else { return "its syntax is invalid" }
        return kind.map { "it is \($0), not an object" } ?? fallback
    }

    /// Returns the reason why a text of several lines is not JSON, with the number of the line, if it
    /// contains `NaN` or `Infinity` as a value; `nil` for other texts, and for those that do not begin like
    /// an object or array.
    package static func notANumber(in data: some Collection<UInt8>) -> String? {
        guard let first = data.first(where: { !$0.isJSONSpace }),
            [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first)
        else { return nil }
        var scanner = Scanner(bytes: Array(data))
        guard let fault = scanner.fault(), scanner.hasFoundWord else { return nil }
        let lines = scanner.bytes[..<scanner.offset].count { $0 == UInt8(ascii: "\n") }
        return "line \(lines + 1): \(fault)"
    }

    /// Scans a text for faults that do not depend on its structure.
    private struct Scanner {
        let bytes: [UInt8]
        private(set) var offset = 0
        /// Whether the fault is a word that stands for a number.
        private(set) var hasFoundWord = false

        /// The words that programs write for numbers that JSON cannot express.
        private static let words = ["NaN", "Infinity"]

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func fault() -> String? {
            var depth = 0
            while offset < bytes.count {
                let byte = bytes[offset]
                switch byte {
                case UInt8(ascii: "\""):
                    if let fault = stringFault() { return fault }
                case UInt8(ascii: "["), UInt8(ascii: "{"):
                    depth += 1
                    if depth > maximumDepth { return "it is nested deeper than \(maximumDepth) levels" }
                    offset += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"):
                    depth -= 1
                    offset += 1
                case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    if let fault = numberFault() { return fault }
                case UInt8(ascii: "N"), UInt8(ascii: "I"):
                    if let fault = wordFault() { return fault }
                    offset += 1
                default: offset += 1
                }
            }
            return nil
        }

        private mutating func numberFault() -> String? {
            let start = offset
            while offset < bytes.count, "+-.eE0123456789".utf8.contains(bytes[offset]) { offset += 1 }
            let text = String(decoding: bytes[start..<offset], as: UTF8.self)
            guard let value = Double(text), !value.isFinite else { return nil }
            return "the number \(text.prefix(maximumShownLength)) is out of range"
        }

        private mutating func wordFault() -> String? {
            guard let word = Self.words.first(where: { bytes[offset...].starts(with: $0.utf8) }) else {
                return nil
            }
            hasFoundWord = true
            return "it contains \(word), which JSON does not have; write null instead"
        }

        /// Scans a string whose opening quotation mark is the current byte.
        private mutating func stringFault() -> String? {
            offset += 1
            while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
                guard bytes[offset] == UInt8(ascii: "\\") else {
                    offset += 1
                    continue
                }
                guard let unit = codeUnit(at: offset), (0xD800...0xDFFF).contains(unit) else {
                    offset += 2
                    continue
                }
                let next = codeUnit(at: offset + 6)
                guard unit < 0xDC00, let next, (0xDC00...0xDFFF).contains(next) else {
                    return "the escape sequence \\u\(String(unit, radix: 16)) is half of a surrogate pair"
                }
                offset += 12
            }
            offset += 1
            return nil
        }

        /// Returns the value of the escape sequence `\uXXXX` at an offset; `nil` if no sequence begins there.
        private func codeUnit(at offset: Int) -> UInt32? {
            guard offset + 6 <= bytes.count, bytes[offset] == UInt8(ascii: "\\"),
                bytes[offset + 1] == UInt8(ascii: "u")
            else { return nil }
            return Hexadecimal.number(bytes[offset + 2..<offset + 6])
        }
    }
}
