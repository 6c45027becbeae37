import RoostFiles

// JSON is written directly, because `JSONEncoder` would take most of the time that is needed to save a large
// store.

extension [UInt8] {
    /// Appends a literal unchanged.
    package mutating func append(literal: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends a JSON string with its quotation marks and escapes.
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
                default:
                    append(literal: "u00")
                    append(contentsOf: Hexadecimal.digits(of: byte))
                }
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a JSON array.
    ///
    /// - Parameters:
    ///   - list: The elements.
    ///   - item: Appends one element.
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
