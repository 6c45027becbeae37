/// The escapes of texts in SpreadsheetML (ECMA-376, ST_Xstring).
enum SpreadsheetText {
    /// Returns a text with the characters that escapes such as `_x000D_` stand for. Control characters become
    /// spaces, and line breaks one line feed.
    ///
    /// - Complexity: O(length of text).
    static func decoded(_ text: String) -> String {
        guard text.contains("_x") else { return text }
        let bytes = Array(text.utf8)
        var output = ""
        var (start, index) = (0, 0)
        func end(_ offset: Int) {
            output += String(decoding: bytes[start..<offset], as: UTF8.self)
        }
        while index < bytes.count {
            guard let unit = unit(bytes, at: index) else {
                index += 1
                continue
            }
            end(index)
            // Two escapes can be one character.
            var units = [unit]
            index += length
            while let next = self.unit(bytes, at: index) {
                units.append(next)
                index += length
            }
            append(units, to: &output, isBeforeLineFeed: index < bytes.count && bytes[index] == 0x0A)
            start = index
        }
        end(bytes.count)
        return output
    }

    /// The number of bytes of an escape.
    private static let length = 7

    /// Returns the UTF-16 code unit of the escape at an index; `nil` if no escape begins there.
    private static func unit(_ bytes: [UInt8], at index: Int) -> UInt16? {
        guard index + length <= bytes.count, bytes[index] == UInt8(ascii: "_"),
            bytes[index + 1] == UInt8(ascii: "x"), bytes[index + length - 1] == UInt8(ascii: "_")
        else { return nil }
        var value: UInt16 = 0
        for byte in bytes[(index + 2)..<(index + length - 1)] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    private static func append(_ units: [UInt16], to output: inout String, isBeforeLineFeed: Bool) {
        let scalars = Array(String(decoding: units, as: UTF16.self).unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isLast = index + 1 == scalars.count
            let precedesLineFeed = isLast ? isBeforeLineFeed : scalars[index + 1] == "\n"
            switch scalar {
            case "\n": output.unicodeScalars.append("\n")
            case "\r": if !precedesLineFeed { output.unicodeScalars.append("\n") }
            default:
                let isControl = scalar.properties.generalCategory == .control
                output.unicodeScalars.append(isControl ? " " : scalar)
            }
        }
    }
}
