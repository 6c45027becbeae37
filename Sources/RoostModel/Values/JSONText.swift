package import Foundation
import RoostFiles
import RoostText

// JSON is written directly, because `JSONEncoder` would take most of the time that is needed to save a large
// store.

extension [UInt8] {
    package mutating func append(literal: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends a string of JSON. DEL, the C1 controls, and the characters that change the direction of text are escaped,
    /// too, because a terminal interprets them: U+009B begins an escape sequence.
    package mutating func append(string: String) {
        append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { bytes in
            var start = 0
            for index in bytes.indices {
                let byte = bytes[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte >= 0x7F,
                    let (escape, length) = Self.escape(at: index, of: bytes)
                else { continue }
                append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                append(contentsOf: escape.utf8)
                start = index + length
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        append(UInt8(ascii: "\""))
    }

    /// Returns the escape of the character at an offset and the length of the character; `nil` if it needs none.
    private static func escape(
        at index: Int, of bytes: UnsafeBufferPointer<UInt8>
    ) -> (text: String, length: Int)? {
        switch bytes[index] {
        case UInt8(ascii: "\""): return ("\\\"", 1)
        case UInt8(ascii: "\\"): return ("\\\\", 1)
        case 9: return ("\\t", 1)
        case 10: return ("\\n", 1)
        case 13: return ("\\r", 1)
        case 0..<0x20, 0x7F: return ("\\u00\(Hexadecimal.text([bytes[index]]))", 1)
        // Only these bytes begin such a character.
        case 0xC2, 0xD8, 0xE2:
            let length = bytes[index] == 0xE2 ? 3 : 2
            let character = String(decoding: bytes[index..<index + length], as: UTF8.self)
            let value = character.unicodeScalars.first?.value ?? 0
            switch value {
            case 0x80...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F:
                return ("\\u\(Hexadecimal.text(value, count: 4))", length)
            default: return nil
            }
        default: return nil
        }
    }

    package mutating func append<Item>(list: [Item], _ item: (Item, inout [UInt8]) -> Void) {
        append(UInt8(ascii: "["))
        for (index, value) in list.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            item(value, &self)
        }
        append(UInt8(ascii: "]"))
    }

    /// Appends a metadata value as JSON, with the keys of objects in sorted order. A number that JSON cannot
    /// express is written as `null`.
    package mutating func append(metadata value: MetadataValue) {
        switch value {
        case .null: append(literal: "null")
        case .bool(let value): append(literal: value ? "true" : "false")
        case .integer(let value): append(contentsOf: String(value).utf8)
        case .number(let number) where !number.isFinite: append(literal: "null")
        case .number(let number):
            append(contentsOf: (value.wholeNumber?.description ?? number.description).utf8)
        case .string(let value): append(string: value)
        case .array(let values): append(list: values) { $1.append(metadata: $0) }
        case .object(let values):
            append(UInt8(ascii: "{"))
            for (index, key) in values.keys.sorted().enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(string: key)
                append(UInt8(ascii: ":"))
                append(metadata: values[key] ?? .null)
            }
            append(UInt8(ascii: "}"))
        }
    }
}

/// The reason why a JSON text cannot be read, for messages.
package enum JSONFault {
    /// Returns the reason why a text is not a JSON object with readable contents, as a clause for a message,
    /// such as `it is an array, not an object`.
    package static func description(of data: some Collection<UInt8>, fallback: String) -> String {
        Array(data).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            guard reader.peek() != 0 else { return "it is empty" }
            do {
                // `JSONDecoder` reports some faults, such as half of a surrogate pair, with the wrong cause.
                let value = try MetadataValue(&reader, depth: 0)
                try reader.expectEnd()
                switch value {
                case .object: return fallback
                case .array: return "it is an array, not an object"
                default: return "it is a single value, not an object"
                }
            } catch {
                return "it is not valid JSON: \(error)"
            }
        }
    }
}
