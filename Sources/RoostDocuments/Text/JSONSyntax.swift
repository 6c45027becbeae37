import Foundation
import RoostFiles
import RoostModel

/// Checks the syntax of a JSON document (RFC 8259) without storing its values.
struct JSONSyntax {
    private let bytes: [UInt8]
    private let maximumDepth: Int
    private var index = 0

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// Checks that a text is one JSON value.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - maximumDepth: The maximum number of nested objects and arrays.
    /// - Throws: ``JSONSyntaxError``.
    /// - Complexity: O(length of bytes).
    static func check(_ bytes: [UInt8], maximumDepth: Int) throws(JSONSyntaxError) {
        var syntax = JSONSyntax(bytes, maximumDepth: maximumDepth)
        try syntax.value(depth: 0)
        syntax.skipSpaces()
        guard syntax.index == bytes.count else { throw syntax.failure("unexpected text after the value") }
    }

    private func failure(_ reason: String) -> JSONSyntaxError {
        let line = bytes[..<min(index, bytes.count)].count { $0 == 0x0A } + 1
        return JSONSyntaxError(description: "\(reason) in line \(line)")
    }

    private mutating func skipSpaces() {
        while index < bytes.count, bytes[index].isJSONSpace { index += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpaces()
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) {
        guard depth <= maximumDepth else { throw failure("more than \(maximumDepth) nested values") }
        if skip("{") {
            if skip("}") { return }
            repeat {
                skipSpaces()
                try string()
                guard skip(":") else { throw failure("missing colon") }
                try value(depth: depth + 1)
            } while skip(",")
            guard skip("}") else { throw failure("missing closing brace") }
        } else if skip("[") {
            if skip("]") { return }
            repeat { try value(depth: depth + 1) } while skip(",")
            guard skip("]") else { throw failure("missing closing bracket") }
        } else if index >= bytes.count {
            throw failure("unexpected end")
        } else if bytes[index] == UInt8(ascii: "\"") {
            try string()
        } else {
            try literal()
        }
    }

    private mutating func literal() throws(JSONSyntaxError) {
        let start = index
        var hasOnlyDigits = true
        while index < bytes.count, !bytes[index].endsJSONLiteral {
            hasOnlyDigits = hasOnlyDigits && bytes[index].isASCIIDigit
            index += 1
        }
        if hasOnlyDigits, index > start { return }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard ["true", "false", "null"].contains(text) || Double(text) != nil else {
            throw failure("unexpected text")
        }
    }

    private mutating func string() throws(JSONSyntaxError) {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw failure("missing string") }
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return }
            guard byte == UInt8(ascii: "\\"), index < bytes.count else { continue }
            index += 1
            guard bytes[index - 1] == UInt8(ascii: "u") else { continue }
            guard index + 4 <= bytes.count, Hexadecimal.number(bytes[index..<(index + 4)]) != nil else {
                throw failure("invalid escape")
            }
            index += 4
        }
        throw failure("missing end of a string")
    }
}

extension UInt8 {
    /// Whether the byte ends a number, a Boolean value or `null` in a JSON document.
    var endsJSONLiteral: Bool {
        isJSONSpace || self == UInt8(ascii: ",") || self == UInt8(ascii: "]") || self == UInt8(ascii: "}")
    }
}
