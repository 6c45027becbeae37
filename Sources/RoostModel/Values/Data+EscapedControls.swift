package import Foundation
import RoostFiles

extension Data {
    /// Returns a JSON document in which DEL, the C1 controls, and the characters that change the direction of
    /// text are written as `\uXXXX`.
    ///
    /// JSON requires escapes only for the controls below U+0020. A terminal interprets the others too: U+009B
    /// begins an escape sequence. The document has the same value as before.
    ///
    /// - Precondition: The data is JSON in UTF-8, as `JSONEncoder` writes it: these characters occur only in
    ///   strings.
    /// - Complexity: O(n), where n is the length of the document.
    package func escapingControlsInJSON() -> Data {
        withUnsafeBytes { bytes in
            var result = Data()
            var start = 0
            var index = 0
            while index < bytes.count {
                guard let (value, length) = Self.interpreted(bytes, at: index) else {
                    index += 1
                    continue
                }
                if result.isEmpty { result.reserveCapacity(bytes.count + 64) }
                result.append(contentsOf: bytes[start..<index])
                result.append(contentsOf: "\\u\(Hexadecimal.text(value, count: 4))".utf8)
                index += length
                start = index
            }
            if start == 0 { return self }
            result.append(contentsOf: bytes[start...])
            return result
        }
    }

    /// Returns the value and the UTF-8 length of the character at an offset if a terminal may interpret it.
    private static func interpreted(_ bytes: UnsafeRawBufferPointer, at index: Int) -> (UInt32, Int)? {
        func next(_ distance: Int) -> UInt8 { index + distance < bytes.count ? bytes[index + distance] : 0 }
        switch bytes[index] {
        case 0x7F: return (0x7F, 1)
        case 0xC2 where (0x80..<0xA0).contains(next(1)): return (UInt32(next(1)), 2)
        case 0xD8 where next(1) == 0x9C: return (0x061C, 2)
        case 0xE2 where next(1) == 0x80:
            let last = next(2)
            return last == 0x8E || last == 0x8F || (0xA8...0xAE).contains(last)
                ? (0x2000 + UInt32(last) - 0x80, 3) : nil
        case 0xE2 where next(1) == 0x81:
            return (0xA6...0xAF).contains(next(2)) ? (0x2040 + UInt32(next(2)) - 0x80, 3) : nil
        default: return nil
        }
    }
}
