package import Foundation
import RoostFiles
import RoostText

// JSON is written directly, because `JSONEncoder` would take most of the time that is needed to save a large
// store.

extension [UInt8] {
    package mutating func append(literal: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    package mutating func append(string: String) {
        append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { bytes in
            var start = 0
            for (index, byte) in bytes.enumerated()
            where byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                start = index + 1
                append(UInt8(ascii: "\\"))
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
                case 10: append(UInt8(ascii: "n"))
                case 13: append(UInt8(ascii: "r"))
                case 9: append(UInt8(ascii: "t"))
                default: append(contentsOf: "u00\(Hexadecimal.text([byte]))".utf8)
                }
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        append(UInt8(ascii: "\""))
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

extension Data {
    /// Returns the same JSON document, in which DEL, the C1 controls, and the characters that change the direction of
    /// text are written as `\uXXXX`, because a terminal interprets them: U+009B begins an escape sequence.
    ///
    /// - Precondition: The data is JSON in UTF-8, as `JSONEncoder` writes it.
    package func escapingControlsInJSON() -> Data {
        withUnsafeBytes { bytes in
            var result = Data()
            var start = 0
            for index in bytes.indices where bytes[index] >= 0x7F {
                // Only these bytes begin such a character.
                let length: Int
                switch bytes[index] {
                case 0x7F: length = 1
                case 0xC2, 0xD8: length = 2
                case 0xE2: length = 3
                default: continue
                }
                guard index + length <= bytes.count,
                    let scalar = String(decoding: bytes[index..<index + length], as: UTF8.self).unicodeScalars
                        .first
                else { continue }
                switch scalar.value {
                case 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F:
                    result.append(contentsOf: bytes[start..<index])
                    result.append(contentsOf: "\\u\(Hexadecimal.text(scalar.value, count: 4))".utf8)
                    start = index + length
                default: continue
                }
            }
            guard start > 0 else { return self }
            result.append(contentsOf: bytes[start...])
            return result
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
