package import Foundation
package import RoostText

/// A metadata value of an entry: a JSON value in which 64-bit integers are exact.
///
/// JSON has one kind of number, so numbers are compared by value: `.integer(1) == .number(1.0)`. Strings
/// are compared byte by byte.
public enum MetadataValue: Sendable {
    /// The JSON value `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A finite number. Stores reject NaN and infinity, which JSON cannot express.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([MetadataValue])
    /// An object.
    case object([String: MetadataValue])

    /// The maximum nesting depth of arrays and objects that a store accepts.
    public static let maximumDepth = 64
}

extension MetadataValue: Hashable {
    public static func == (left: MetadataValue, right: MetadataValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.integer(let a), .number(let b)), (.number(let b), .integer(let a)): Int64(exactly: b) == a
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a.isSame(as: b)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value):
            if let whole = Int64(exactly: value) { hasher.combine(whole) } else { hasher.combine(value) }
        case .string(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        case .object(let values): hasher.combine(values)
        }
    }
}

extension [String: MetadataValue] {
    /// Returns whether both dictionaries have the same keys, compared byte by byte, with the same values.
    func isSame(as other: Self) -> Bool {
        count == other.count
            && allSatisfy { key, value in
                guard let index = other.index(forKey: key) else { return false }
                return other.keys[index].utf8.elementsEqual(key.utf8) && other.values[index] == value
            }
    }
}

extension MetadataValue: Codable {
    /// The maximum number of JSON containers that enclose the metadata in a document, such as the array of
    /// entries. This limit and ``maximumDepth`` end the decoding of maliciously nested JSON before the stack
    /// overflows.
    static let maximumOuterDepth = 16

    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= MetadataValue.maximumDepth + Self.maximumOuterDepth else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [],
                    debugDescription: "metadata is nested deeper than \(Self.maximumDepth) levels"))
        }
        let container = try decoder.singleValueContainer()
        // The most frequent types are tried first, because each failed attempt throws an error, which is
        // slow.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([MetadataValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: MetadataValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value):
            if let whole = wholeNumber { try container.encode(whole) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }
}

extension MetadataValue {
    /// The value as text, for comparison by filters: a string unchanged, a number in its shortest form,
    /// `true`, `false` or `null`. The property is `nil` for arrays and objects.
    public var text: String? {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): String(value)
        case .number(let value): Int64(exactly: value).map { String($0) } ?? String(value)
        case .string(let value): value
        case .array, .object: nil
        }
    }

    /// The texts that filters compare: those of the elements of an array, or ``text``. Empty for objects and
    /// for elements that are arrays or objects.
    package var comparableTexts: [String] {
        switch self {
        case .array(let values): values.compactMap(\.text)
        default: text.map { [$0] } ?? []
        }
    }

    /// The integer value of a `.number` whose magnitude is at least 2^53; `nil` for other values.
    ///
    /// Such a number is written as an integer. The shortest decimal form of a Double of this size could
    /// denote a different integer if it were read as an integer.
    package var wholeNumber: Int64? {
        guard case .number(let value) = self, abs(value) >= 0x1p53 else { return nil }
        return Int64(exactly: value)
    }

    /// The string if the value is a `.string`; otherwise `nil`.
    public var string: String? { if case .string(let value) = self { value } else { nil } }

    /// Returns the member of an object with the given name; `nil` if the value is not an object or lacks the
    /// member.
    package subscript(name: String) -> MetadataValue? { members?[name] }

    package var members: [String: MetadataValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    package var flag: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    package var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    var isFinite: Bool {
        switch self {
        case .number(let value): value.isFinite
        case .array(let values): values.allSatisfy(\.isFinite)
        case .object(let values): values.values.allSatisfy(\.isFinite)
        default: true
        }
    }

    /// Returns whether the value has more than `depth` levels of arrays and objects.
    func isNested(deeperThan depth: Int) -> Bool {
        switch self {
        case .array(let values): depth == 0 || values.contains { $0.isNested(deeperThan: depth - 1) }
        case .object(let values): depth == 0 || values.values.contains { $0.isNested(deeperThan: depth - 1) }
        default: false
        }
    }
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: MetadataValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, MetadataValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
    public init(nilLiteral: ()) { self = .null }
}

extension MetadataValue {
    /// Reads a value from JSON. A number whose digits no number type keeps becomes a text (``JSONReader/exactText(_:)``).
    ///
    /// - Parameter depth: The number of arrays and objects that enclose the value, including the object of
    ///   all metadata.
    /// - Throws: ``JSONError``, also if the value is nested deeper than ``maximumDepth``.
    package init(_ reader: inout JSONReader, depth: Int) throws {
        guard depth <= MetadataValue.maximumDepth + 1 else { throw reader.error("nested too deeply") }
        switch reader.peek() {
        case UInt8(ascii: "\""): self = .string(try reader.string())
        case UInt8(ascii: "t"):
            try reader.word("true")
            self = .bool(true)
        case UInt8(ascii: "f"):
            try reader.word("false")
            self = .bool(false)
        case UInt8(ascii: "n"):
            try reader.word("null")
            self = .null
        case UInt8(ascii: "["):
            var values: [MetadataValue] = []
            try reader.array { values.append(try MetadataValue(&$0, depth: depth + 1)) }
            self = .array(values)
        case UInt8(ascii: "{"):
            var values: [String: MetadataValue] = [:]
            try reader.object { values[$1] = try MetadataValue(&$0, depth: depth + 1) }
            self = .object(values)
        default:
            let number = try reader.number()
            if let whole = reader.integer(number).map(Int64.init) {
                self = .integer(whole)
            } else if let text = reader.exactText(number) {
                self = .string(text)
            } else {
                self = .number(try reader.double(number))
            }
        }
    }

    /// The byte order mark, with which some programs on Windows begin a text. RFC 8259, section 8.1, permits
    /// to ignore it.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Parses a JSON text, in which other arrays and objects can enclose metadata. It may begin with a byte
    /// order mark.
    ///
    /// - Parameter repairsSurrogates: Whether half of a surrogate pair is read as U+FFFD; otherwise it is an
    ///   error.
    /// - Throws: ``JSONError``, also if the value is nested too deeply.
    package init(json: Data, repairsSurrogates: Bool = false) throws {
        self = try json.withUnsafeBytes { bytes in
            let start = bytes.starts(with: Self.mark) ? Self.mark.count : 0
            var reader = JSONReader(
                UnsafeRawBufferPointer(rebasing: bytes[start...]), repairsSurrogates: repairsSurrogates)
            let value = try MetadataValue(&reader, depth: -Self.maximumOuterDepth)
            try reader.expectEnd()
            return value
        }
    }
}
