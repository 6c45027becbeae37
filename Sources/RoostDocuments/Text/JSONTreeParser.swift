import Foundation

/// Parses JSON.
struct JSONTreeParser {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var index = 0

    init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// Returns the only value of the document.
    mutating func document() throws -> JSONTree {
        let value = try value(depth: 0)
        skipSpaces()
        guard index == bytes.count else { throw failure("unexpected text after the value") }
        return value
    }

    private func failure(_ reason: String) -> JSONTreeError {
        let line = bytes[..<min(index, bytes.count)].count { $0 == 0x0A } + 1
        return JSONTreeError(description: "\(reason) in line \(line)")
    }

    private mutating func skipSpaces() {
        while index < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws -> JSONTree {
        guard depth <= maximumDepth else { throw failure("more than \(maximumDepth) nested values") }
        if skip("{") {
            var members: [JSONTree.Member] = []
            if skip("}") { return .object(members) }
            repeat {
                skipSpaces()
                let name = try string()
                guard skip(":") else { throw failure("missing colon") }
                members.append(JSONTree.Member(name: name, value: try value(depth: depth + 1)))
            } while skip(",")
            guard skip("}") else { throw failure("missing closing brace") }
            return .object(members)
        }
        if skip("[") {
            var elements: [JSONTree] = []
            if skip("]") { return .array(elements) }
            repeat { elements.append(try value(depth: depth + 1)) } while skip(",")
            guard skip("]") else { throw failure("missing closing bracket") }
            return .array(elements)
        }
        guard index < bytes.count else { throw failure("unexpected end") }
        if bytes[index] == UInt8(ascii: "\"") { return .string(try string()) }
        let start = index
        while index < bytes.count, !",]} \n\r\t".utf8.contains(bytes[index]) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard ["true", "false", "null"].contains(text) || Double(text) != nil else {
            throw failure("unexpected text")
        }
        return .literal(text)
    }

    private mutating func string() throws -> String {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw failure("missing string") }
        index += 1
        var units: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: units, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") { try appendEscape(to: &units) } else { units.append(byte) }
        }
        throw failure("missing end of a string")
    }

    private mutating func appendEscape(to units: inout [UInt8]) throws {
        guard index < bytes.count else { throw failure("missing end of a string") }
        let escapes: [UInt8: UInt8] = [
            UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D,
            UInt8(ascii: "b"): 0x20,
            UInt8(ascii: "f"): 0x0A,
        ]
        let byte = bytes[index]
        index += 1
        guard byte == UInt8(ascii: "u") else {
            units.append(escapes[byte] ?? byte)
            return
        }
        let first = try hexadecimal()
        var scalar = UInt32(first)
        if (0xD800..<0xDC00).contains(first), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        {
            index += 2
            let second = try hexadecimal()
            scalar = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) &- 0xDC00) & 0x3FF
        }
        units += Array(String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }

    private mutating func hexadecimal() throws -> UInt16 {
        guard index + 4 <= bytes.count,
            let value = UInt16(String(decoding: bytes[index..<(index + 4)], as: UTF8.self), radix: 16)
        else { throw failure("invalid escape") }
        index += 4
        return value
    }
}
