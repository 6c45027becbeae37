package import Foundation

/// Finds the elements of an array and the members of an object in a JSON text without decoding them, so that
/// the values of a large text can be decoded one after another.
package struct JSONParts: Sendable {
    private let bytes: [UInt8]

    package init(_ data: Data) { bytes = Array(data) }

    package var all: Range<Int> { bytes.indices }

    package func data(_ range: Range<Int>) -> Data { Data(bytes[range]) }

    /// Returns the first byte in a range that is not white space; `nil` if all bytes are white space.
    package func first(in range: Range<Int>) -> UInt8? { bytes[range].first { !$0.isJSONSpace } }

    /// Returns the ranges of the elements of an array; `nil` if the value in `range` is not a valid array.
    package func elements(in range: Range<Int>) -> [Range<Int>]? {
        read(range) { reader in
            var elements: [Range<Int>] = []
            try reader.array { reader in
                elements.append(Self.shift(try reader.skipValue(), by: range.lowerBound))
            }
            return elements
        }
    }

    /// Returns the ranges of the values of an object by their names; `nil` if the value in `range` is not a
    /// valid object.
    package func members(in range: Range<Int>) -> [String: Range<Int>]? {
        read(range) { reader in
            var members: [String: Range<Int>] = [:]
            try reader.object { reader, name in
                members[name] = Self.shift(try reader.skipValue(), by: range.lowerBound)
            }
            return members
        }
    }

    /// Returns the UTF-8 of a string without escape sequences; `nil` if the value is not a string.
    package func string(in range: Range<Int>) -> ArraySlice<UInt8>? {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let raw = bytes[range].dropFirst().dropLast()
        guard raw.contains(UInt8(ascii: "\\")) else { return raw }
        return read(range) { Array(try $0.string().utf8)[...] }
    }

    package func number(in range: Range<Int>) -> Double? { read(range) { try $0.double() } }

    private func read<Value>(_ range: Range<Int>, _ body: (inout JSONReader) throws -> Value) -> Value? {
        bytes.withUnsafeBytes { bytes in
            var reader = JSONReader(UnsafeRawBufferPointer(rebasing: bytes[range]))
            do {
                let value = try body(&reader)
                try reader.expectEnd()
                return value
            } catch {
                return nil
            }
        }
    }

    private static func shift(_ range: Range<Int>, by offset: Int) -> Range<Int> {
        range.lowerBound + offset..<range.upperBound + offset
    }
}
