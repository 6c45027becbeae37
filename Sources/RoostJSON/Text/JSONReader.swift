import Foundation

/// What is wrong with a JSON text, and where.
struct JSONError: Error, CustomStringConvertible {
    /// Bytes from the beginning of the text.
    let offset: Int
    let reason: String

    var description: String { "\(reason) at byte \(offset)" }
}

/// Reads JSON (RFC 8259) from bytes, in one pass and strictly: a reader for files of hundreds of megabytes of
/// numbers, which a general decoder takes seconds for.
///
/// The bytes must outlive the reader. Nesting is bounded by `maximumDepth`.
struct JSONReader {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var place = 0
    static let maximumDepth = 128

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes.assumingMemoryBound(to: UInt8.self) }

    func error(_ reason: String) -> JSONError { JSONError(offset: place, reason: reason) }

    /// The next byte that is not white space, 0 at the end.
    mutating func peek() -> UInt8 {
        while place < bytes.count {
            let byte = bytes[place]
            if byte != 32, byte != 10, byte != 13, byte != 9 { return byte }
            place += 1
        }
        return 0
    }

    mutating func expect(_ character: Unicode.Scalar) throws(JSONError) {
        guard peek() == UInt8(ascii: character) else { throw error("no '\(character)'") }
        place += 1
    }

    /// Whether the next character is this one, which is then passed.
    mutating func skips(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// - Throws: where anything but white space is left.
    mutating func expectEnd() throws(JSONError) {
        _ = peek()
        guard place == bytes.count else { throw error("something after the end") }
    }

    // MARK: Objects and arrays

    /// Reads an object, calling the closure at each value with its key. The closure reads the value.
    mutating func object(_ member: (inout JSONReader, String) throws -> Void) throws {
        try expect("{")
        if skips("}") { return }
        repeat {
            let key = try string()
            try expect(":")
            try member(&self, key)
        } while skips(",")
        try expect("}")
    }

    /// Reads an array, calling the closure at each element.
    mutating func array(_ element: (inout JSONReader) throws -> Void) throws {
        try expect("[")
        if skips("]") { return }
        repeat { try element(&self) } while skips(",")
        try expect("]")
    }

    mutating func strings() throws -> [String] {
        var all: [String] = []
        try array { all.append(try $0.string()) }
        return all
    }

    /// Passes a value, and returns its bytes' range.
    @discardableResult
    mutating func skipValue(depth: Int = 0) throws(JSONError) -> Range<Int> {
        guard depth < Self.maximumDepth else { throw error("nested too deeply") }
        let first = peek()
        let start = place
        switch first {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "["):
            place += 1
            if !skips("]") {
                repeat { try skipValue(depth: depth + 1) } while skips(",")
                try expect("]")
            }
        case UInt8(ascii: "{"):
            place += 1
            if !skips("}") {
                repeat {
                    guard peek() == UInt8(ascii: "\"") else { throw error("no key") }
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
        return start..<place
    }

    /// Passes an array of numbers without looking at them.
    mutating func skipNumbers() throws(JSONError) {
        try expect("[")
        let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[place...])
        guard let base = rest.baseAddress, let end = memchr(base, Int32(UInt8(ascii: "]")), rest.count) else {
            throw error("an array that never ends")
        }
        place += UnsafeRawPointer(end) - base + 1
    }

    mutating func word(_ word: StaticString) throws(JSONError) {
        let count = word.utf8CodeUnitCount
        guard bytes.count - place >= count, let base = bytes.baseAddress,
            memcmp(base + place, word.utf8Start, count) == 0
        else { throw error("not a JSON value") }
        place += count
    }

    // MARK: Strings

    private mutating func skipString() throws(JSONError) {
        place += 1
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                place += 1
                return
            case UInt8(ascii: "\\"): place += 2
            case 0..<32: throw error("a control character in a string")
            default: place += 1
            }
        }
        throw error("a string that never ends")
    }

    mutating func string() throws(JSONError) -> String {
        guard peek() == UInt8(ascii: "\"") else { throw error("no string") }
        let start = place + 1
        try skipString()
        let raw = UnsafeBufferPointer(rebasing: bytes[start..<place - 1])
        if raw.contains(UInt8(ascii: "\\")) { return try unescaped(raw, start) }
        guard let text = String(validating: raw, as: UTF8.self) else { throw error("not UTF-8") }
        return text
    }

    private func unescaped(_ raw: UnsafeBufferPointer<UInt8>, _ start: Int) throws(JSONError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var index = 0
        func damaged(_ reason: String) -> JSONError { JSONError(offset: start + index, reason: reason) }
        func hexadecimal() throws(JSONError) -> UInt32 {
            guard index + 4 <= raw.count else { throw damaged("a short escape") }
            var value: UInt32 = 0
            for byte in raw[index..<index + 4] {
                guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 128 else {
                    throw damaged("a bad escape")
                }
                value = value << 4 | UInt32(digit)
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
            guard index < raw.count else { throw damaged("a short escape") }
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
                if (0xD800..<0xDC00).contains(value) {
                    guard index + 2 <= raw.count, raw[index] == UInt8(ascii: "\\"),
                        raw[index + 1] == UInt8(ascii: "u")
                    else { throw damaged("half of a surrogate pair") }
                    index += 2
                    let low = try hexadecimal()
                    guard (0xDC00..<0xE000).contains(low) else { throw damaged("half of a surrogate pair") }
                    value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
                }
                guard let scalar = Unicode.Scalar(value) else { throw damaged("half of a surrogate pair") }
                result.append(contentsOf: Array(String(scalar).utf8))
            default: throw damaged("a bad escape")
            }
        }
        guard let text = String(validating: result, as: UTF8.self) else { throw damaged("not UTF-8") }
        return text
    }

    // MARK: Numbers

    /// A number as it is written: `mantissa · 10^exponent`, or the range of its text where it has more
    /// digits than 64 bits hold.
    struct Number {
        var isNegative: Bool
        var mantissa: UInt64
        var exponent: Int
        var isExact: Bool
        var isInteger: Bool
        var range: Range<Int>
    }

    mutating func number() throws(JSONError) -> Number {
        _ = peek()
        let start = place
        let isNegative = place < bytes.count && bytes[place] == UInt8(ascii: "-")
        if isNegative { place += 1 }
        var mantissa: UInt64 = 0
        var (digits, exponent, isExact, isInteger) = (0, 0, true, true)
        @inline(__always) func digit(_ place: Int) -> UInt64? {
            guard place < bytes.count else { return nil }
            let value = bytes[place] &- 48
            return value < 10 ? UInt64(value) : nil
        }
        let leading = place
        while let value = digit(place) {
            digits += mantissa == 0 && value == 0 ? 0 : 1
            if digits <= 18 { mantissa = mantissa &* 10 &+ value } else { isExact = false }
            place += 1
        }
        guard place > leading else { throw error("not a JSON value") }
        if place - leading > 1, bytes[leading] == 48 { throw error("a number that begins with 0") }
        if place < bytes.count, bytes[place] == UInt8(ascii: ".") {
            isInteger = false
            place += 1
            let fraction = place
            while let value = digit(place) {
                digits += mantissa == 0 && value == 0 ? 0 : 1
                if digits <= 18 {
                    mantissa = mantissa &* 10 &+ value
                    exponent -= 1
                } else {
                    isExact = false
                }
                place += 1
            }
            guard place > fraction else { throw error("a number that ends with a point") }
        }
        if place < bytes.count, bytes[place] | 32 == UInt8(ascii: "e") {
            isInteger = false
            place += 1
            var isDown = false
            if place < bytes.count, bytes[place] == UInt8(ascii: "-") || bytes[place] == UInt8(ascii: "+") {
                isDown = bytes[place] == UInt8(ascii: "-")
                place += 1
            }
            var power = 0
            let begin = place
            while let value = digit(place) {
                power = min(power * 10 + Int(value), 100_000)
                place += 1
            }
            guard place > begin else { throw error("a number without its exponent") }
            exponent += isDown ? -power : power
        }
        return Number(
            isNegative: isNegative, mantissa: mantissa, exponent: exponent, isExact: isExact,
            isInteger: isInteger, range: start..<place)
    }

    /// An array of numbers as the nearest Float32 of each.
    mutating func floats(capacity: Int = 0) throws(JSONError) -> [Float] {
        try expect("[")
        var values: [Float] = []
        if skips("]") { return values }
        values.reserveCapacity(capacity)
        repeat { values.append(try float()) } while skips(",")
        try expect("]")
        return values
    }

    mutating func float() throws(JSONError) -> Float {
        let number = try number()
        if let value = number.exactDouble {
            // Rounded twice, to Double and then to Float, only a value in the middle between two Floats can
            // come out wrong.
            if value.bitPattern & 0x1FFF_FFFF != 0x1000_0000, abs(value) >= 0x1p-126 || value == 0 {
                return Float(value)
            }
        }
        let value = withText(number.range) { strtof($0, nil) }
        guard value.isFinite else { throw error("a number too large") }
        return value
    }

    mutating func double() throws(JSONError) -> Double {
        let number = try number()
        if let value = number.exactDouble { return value }
        let value = withText(number.range) { strtod($0, nil) }
        guard value.isFinite else { throw error("a number too large") }
        return value
    }

    /// A whole number that fits.
    mutating func integer() throws(JSONError) -> Int {
        let number = try number()
        guard let value = integer(number) else { throw error("not a whole number") }
        return value
    }

    func integer(_ number: Number) -> Int? {
        guard number.isInteger else { return nil }
        if number.isExact { return number.isNegative ? -Int(number.mantissa) : Int(number.mantissa) }
        return Int(String(decoding: bytes[number.range], as: UTF8.self))
    }

    private func withText<Value>(_ range: Range<Int>, _ body: (UnsafePointer<CChar>) -> Value) -> Value {
        String(decoding: bytes[range], as: UTF8.self).withCString(body)
    }
}

extension JSONReader.Number {
    private static let powers: [Double] = (0...22).map { pow(10, Double($0)) }

    /// The nearest Double where arithmetic gives it without an error (Clinger 1990): a mantissa below 2^53
    /// and a power of ten that is exact.
    var exactDouble: Double? {
        guard isExact, mantissa < 1 << 53, abs(exponent) <= 22 else { return nil }
        let power = Self.powers[abs(exponent)]
        let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        return isNegative ? -value : value
    }
}
