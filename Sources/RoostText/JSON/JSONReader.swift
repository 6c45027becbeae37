import Foundation

/// A strict single-pass reader of JSON (RFC 8259).
///
/// The files of a store may contain hundreds of megabytes of numbers, which a general-purpose decoder takes
/// many seconds to read. The bytes must outlive the reader. Nesting deeper than ``maximumDepth`` is an error.
package struct JSONReader {
    package let bytes: UnsafeBufferPointer<UInt8>
    package private(set) var offset = 0
    /// The maximum nesting depth, which keeps recursion from exhausting the stack. The files of a store are
    /// nested far less deeply.
    package static let maximumDepth = 128
    /// The character that replaces half of a surrogate pair; `nil` if such a half is an error.
    private let replacement: Unicode.Scalar?

    /// Creates a reader.
    ///
    /// - Parameter repairsSurrogates: Whether half of a surrogate pair is read as U+FFFD. Programs in
    ///   JavaScript write one where they have cut a text within a character.
    package init(_ bytes: UnsafeRawBufferPointer, repairsSurrogates: Bool = false) {
        self.bytes = bytes.assumingMemoryBound(to: UInt8.self)
        replacement = repairsSurrogates ? "\u{FFFD}" : nil
    }

    package func error(_ reason: String) -> JSONError { JSONError(offset: offset, reason: reason) }

    /// Skips white space, and returns the next byte without consuming it, or 0 at the end.
    package mutating func peek() -> UInt8 {
        while offset < bytes.count {
            let byte = bytes[offset]
            if !byte.isJSONSpace { return byte }
            offset += 1
        }
        return 0
    }

    package mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
        guard peek() == UInt8(ascii: character) else { throw error("expected '\(character)'") }
        offset += 1
    }

    /// Skips the next character if it equals `character`, and returns whether it did.
    package mutating func skips(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Checks that the end of the text has been reached.
    package mutating func expectEnd() throws(JSONError) {
        _ = peek()
        guard offset == bytes.count else { throw error("unexpected text after the value") }
    }

    // MARK: Objects and arrays

    /// Reads an object. The closure is called with each key, and must read the value of that key.
    package mutating func object(_ member: (inout JSONReader, String) throws -> Void) throws {
        try expect("{")
        if skips("}") { return }
        repeat {
            let key = try string()
            try expect(":")
            try member(&self, key)
        } while skips(",")
        try expect("}")
    }

    /// Reads an array. The closure is called for each element, and must read it.
    package mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try expect("[")
        if skips("]") { return }
        repeat { try element(&self) } while skips(",")
        try expect("]")
    }

    package mutating func strings() throws -> [String] {
        var all: [String] = []
        try array { all.append(try $0.string()) }
        return all
    }

    @discardableResult
    package mutating func skipValue(depth: Int = 0) throws(JSONError) -> Range<Int> {
        guard depth < Self.maximumDepth else { throw error("nested too deeply") }
        let first = peek()
        let start = offset
        switch first {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "["):
            offset += 1
            if !skips("]") {
                repeat { try skipValue(depth: depth + 1) } while skips(",")
                try expect("]")
            }
        case UInt8(ascii: "{"):
            offset += 1
            if !skips("}") {
                repeat {
                    guard peek() == UInt8(ascii: "\"") else { throw error("expected a key") }
                    try skipString()
                    try expect(":")
                    try skipValue(depth: depth + 1)
                } while skips(",")
                try expect("}")
            }
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: _ = try number()
        }
        return start..<offset
    }

    /// Skips an array of numbers without parsing them.
    package mutating func skipNumbers() throws(JSONError) {
        try expect("[")
        let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[offset...])
        guard let base = rest.baseAddress, let end = memchr(base, Int32(UInt8(ascii: "]")), rest.count) else {
            throw error("unterminated array")
        }
        offset += UnsafeRawPointer(end) - base + 1
    }

    package mutating func word(_ word: StaticString) throws(JSONError) {
        let count = word.utf8CodeUnitCount
        guard bytes.count - offset >= count, let base = bytes.baseAddress,
            memcmp(base + offset, word.utf8Start, count) == 0
        else { throw error("not a JSON value") }
        offset += count
    }

    // MARK: Strings

    private mutating func skipString() throws(JSONError) {
        offset += 1
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): offset += 2
            case 0..<32: throw error("control character in a string")
            default: offset += 1
            }
        }
        throw error("unterminated string")
    }

    package mutating func string() throws(JSONError) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw error("expected a string") }
        let start = offset + 1
        try skipString()
        let raw = UnsafeBufferPointer(rebasing: bytes[start..<offset - 1])
        if raw.contains(UInt8(ascii: "\\")) { return try unescaped(raw, start) }
        guard let text = String(validating: raw, as: UTF8.self) else { throw error("invalid UTF-8") }
        return text
    }

    private func unescaped(_ raw: UnsafeBufferPointer<UInt8>, _ start: Int) throws(JSONError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = 0
        func failure(_ reason: String) -> JSONError { JSONError(offset: start + index, reason: reason) }
        func hexadecimal() throws(JSONError) -> UInt32 {
            guard index + 4 <= raw.count else { throw failure("incomplete escape sequence") }
            guard let value = Self.value(ofHexadecimal: raw[index..<index + 4]) else {
                throw failure("invalid escape sequence")
            }
            index += 4
            return value
        }
        while index < raw.count {
            let byte = raw[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            guard index < raw.count else { throw failure("incomplete escape sequence") }
            let kind = raw[index]
            index += 1
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(kind)
            case UInt8(ascii: "b"): result.append(8)
            case UInt8(ascii: "f"): result.append(12)
            case UInt8(ascii: "n"): result.append(10)
            case UInt8(ascii: "r"): result.append(13)
            case UInt8(ascii: "t"): result.append(9)
            case UInt8(ascii: "u"):
                var value = try hexadecimal()
                if (0xD800..<0xDC00).contains(value), index + 6 <= raw.count,
                    raw[index] == UInt8(ascii: "\\"), raw[index + 1] == UInt8(ascii: "u"),
                    let low = Self.value(ofHexadecimal: raw[index + 2..<index + 6]),
                    (0xDC00..<0xE000).contains(low)
                {
                    index += 6
                    value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
                }
                guard let scalar = Unicode.Scalar(value) ?? replacement else {
                    throw failure("unpaired surrogate")
                }
                result.append(contentsOf: Array(String(scalar).utf8))
            default: throw failure("invalid escape sequence")
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else { throw failure("invalid UTF-8") }
        return text
    }

    private static func value(ofHexadecimal digits: some Sequence<UInt8>) -> UInt32? {
        var number: UInt32 = 0
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            number = number << 4 | UInt32(value)
        }
        return number
    }

    // MARK: Numbers

    /// A number in its decimal form, `mantissa · 10^exponent`. If the number has more digits than 64 bits can
    /// hold, the mantissa is not exact, and only the text of the number identifies its value.
    package struct Number {
        var isNegative: Bool
        var mantissa: UInt64
        var exponent: Int
        var isExact: Bool
        var isInteger: Bool
        package var range: Range<Int>
    }

    package mutating func number() throws(JSONError) -> Number {
        _ = peek()
        let start = offset
        let isNegative = offset < bytes.count && bytes[offset] == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        var mantissa: UInt64 = 0
        var (digits, exponent, isExact, isInteger) = (0, 0, true, true)
        @inline(__always) func digit(_ offset: Int) -> UInt64? {
            guard offset < bytes.count else { return nil }
            let value = bytes[offset] &- 48
            return value < 10 ? UInt64(value) : nil
        }
        let leading = offset
        while let value = digit(offset) {
            digits += mantissa == 0 && value == 0 ? 0 : 1
            if digits <= 18 { mantissa = mantissa &* 10 &+ value } else { isExact = false }
            offset += 1
        }
        guard offset > leading else { throw error("not a JSON value") }
        if offset - leading > 1, bytes[leading] == 48 { throw error("number with a leading zero") }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            let fraction = offset
            while let value = digit(offset) {
                digits += mantissa == 0 && value == 0 ? 0 : 1
                if digits <= 18 {
                    mantissa = mantissa &* 10 &+ value
                    exponent -= 1
                } else {
                    isExact = false
                }
                offset += 1
            }
            guard offset > fraction else { throw error("number without digits after the decimal point") }
        }
        if offset < bytes.count, bytes[offset] | 32 == UInt8(ascii: "e") {
            isInteger = false
            offset += 1
            var isDown = false
            let sign = offset < bytes.count ? bytes[offset] : 0
            if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
                isDown = sign == UInt8(ascii: "-")
                offset += 1
            }
            var power = 0
            let begin = offset
            while let value = digit(offset) {
                power = min(power * 10 + Int(value), 100_000)
                offset += 1
            }
            guard offset > begin else { throw error("number without digits in its exponent") }
            exponent += isDown ? -power : power
        }
        return Number(
            isNegative: isNegative, mantissa: mantissa, exponent: exponent, isExact: isExact,
            isInteger: isInteger, range: start..<offset)
    }

    /// Reads an array of numbers, each rounded to the nearest Float32.
    package mutating func floats(capacity: Int = 0) throws(JSONError) -> [Float] {
        try expect("[")
        var values: [Float] = []
        if skips("]") { return values }
        values.reserveCapacity(capacity)
        repeat { values.append(try float()) } while skips(",")
        try expect("]")
        return values
    }

    package mutating func float() throws(JSONError) -> Float {
        let number = try number()
        if let value = number.exactDouble {
            // Rounding to Double and then to Float gives the correct result unless the Double lies exactly
            // halfway between two Floats. This test for that case does not work for subnormal Floats, because
            // they have fewer digits.
            if value.bitPattern & 0x1FFF_FFFF != 0x1000_0000, abs(value) >= 0x1p-126 || value == 0 {
                return Float(value)
            }
        }
        guard let value = Float(text(of: number)), value.isFinite else { throw error("number out of range") }
        return value
    }

    package mutating func double() throws(JSONError) -> Double { try double(try number()) }

    package func double(_ number: Number) throws(JSONError) -> Double {
        if let value = number.exactDouble { return value }
        guard let value = Double(text(of: number)), value.isFinite else { throw error("number out of range") }
        return value
    }

    package mutating func integer() throws(JSONError) -> Int {
        let number = try number()
        guard let value = integer(number) else { throw error("not an integer") }
        return value
    }

    /// Returns the text of a number whose digits neither `Int64` nor `Double` keeps: a larger integer, or a fraction
    /// with more than the 17 digits that distinguish any two values of `Double`. Returns `nil` for other numbers.
    package func exactText(_ number: Number) -> String? {
        let text = text(of: number)
        if number.isInteger { return integer(number) == nil ? text : nil }
        guard !number.isExact || number.mantissa >= 100_000_000_000_000_000 else { return nil }
        let rounded = Double(text).flatMap { Decimal(string: "\($0)") }
        return Decimal(string: text) == rounded ? nil : text
    }

    package func integer(_ number: Number) -> Int? {
        guard number.isInteger else { return nil }
        if number.isExact { return number.isNegative ? -Int(number.mantissa) : Int(number.mantissa) }
        return Int(text(of: number))
    }

    private func text(of number: Number) -> String { String(decoding: bytes[number.range], as: UTF8.self) }
}

extension JSONReader.Number {
    private static let powers: [Double] = (0...22).map { pow(10, Double($0)) }

    /// The nearest Double, if Double arithmetic can compute it correctly (Clinger 1990), which requires a
    /// mantissa below 2^53 and a power of ten that a Double represents exactly; otherwise `nil`.
    var exactDouble: Double? {
        guard isExact, mantissa < 1 << 53, abs(exponent) <= 22 else { return nil }
        let power = Self.powers[abs(exponent)]
        let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        return isNegative ? -value : value
    }
}

/// A syntax error or an unexpected value in a JSON text.
package struct JSONError: Error, CustomStringConvertible {
    package let offset: Int
    package let reason: String

    package var description: String { "\(reason) at byte \(offset)" }
}

extension UInt8 {
    package var isJSONSpace: Bool { self == 32 || self == 9 || self == 10 || self == 13 }
}
