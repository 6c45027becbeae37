package import Foundation

/// Writes values as JSON with the contents that `JSONEncoder` would write, but directly: `JSONEncoder` first builds a
/// tree of all values, which takes most of its time.
///
/// The members of objects are in ascending order of their keys, and slashes are not escaped. `Data` and `Decimal` are
/// written as their own `Encodable` conformances state, which `JSONEncoder` overrides. A nested container ends when
/// its parent is used again.
package struct JSONTextEncoder: Sendable {
    /// Whether each member and element has a line of its own.
    package var isPretty: Bool
    /// Whether dates are written in ISO 8601; otherwise as seconds since 2001, the default of `JSONEncoder`.
    package var writesDatesAsText: Bool

    package init(isPretty: Bool = false, writesDatesAsText: Bool = false) {
        (self.isPretty, self.writesDatesAsText) = (isPretty, writesDatesAsText)
    }

    package func encode(_ value: some Encodable) throws -> Data { Data(try text(of: value)) }
    package func text(of value: some Encodable) throws -> [UInt8] {
        let text = JSONWriting(self)
        try text.write(value)
        return text.bytes
    }
}

/// The text of a value that is being written, and its open objects and arrays.
private final class JSONWriting {
    struct Container {
        /// The offset of the opening bracket.
        var start: Int
        var isObject: Bool
        /// The offsets of the members of an object, and their keys, or those of the elements of an array.
        var items: [(key: String, start: Int)] = []
    }

    let options: JSONTextEncoder
    // One thread writes a value, one call after another.
    @exclusivity(unchecked) var bytes: [UInt8] = []
    @exclusivity(unchecked) private var open: [Container] = []

    init(_ options: JSONTextEncoder) { self.options = options }

    func write<Value: Encodable>(_ value: Value) throws {
        switch Value.self {
        case is String.Type: bytes.append(string: value as! String)
        case is Int.Type: bytes.append(contentsOf: (value as! Int).description.utf8)
        case is Bool.Type: bytes.append(literal: value as! Bool ? "true" : "false")
        case is Float.Type: try write(number: value as! Float)
        case is Double.Type: try write(number: value as! Double)
        case is [Float].Type:
            bytes.append(UInt8(ascii: "["))
            for (index, number) in (value as! [Float]).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try write(number: number)
            }
            bytes.append(UInt8(ascii: "]"))
        case is Date.Type where options.writesDatesAsText:
            bytes.append(string: DateText.string(from: value as! Date))
        case is URL.Type: bytes.append(string: (value as! URL).absoluteString)
        default:
            let (start, depth) = (bytes.count, open.count)
            try value.encode(to: JSONValueEncoder(text: self, depth: depth))
            close(to: depth)
            // A value without members may request no container.
            if bytes.count == start { bytes.append(literal: "{}") }
        }
    }

    /// Appends a number with the fewest digits that identify it.
    private func write(number: some BinaryFloatingPoint & LosslessStringConvertible) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, .init(codingPath: [], debugDescription: "JSON cannot express the number \(number)"))
        }
        var digits = number.description
        digits.withUTF8 { digits in
            let isWhole = digits.suffix(2).elementsEqual(".0".utf8)
            bytes.append(contentsOf: isWhole ? digits.dropLast(2) : digits[...])
        }
    }

    /// Continues the container at a depth, or opens it.
    func open(_ depth: Int, isObject: Bool) {
        guard depth == open.count else { return close(to: depth + 1) }
        open.append(Container(start: bytes.count, isObject: isObject))
        bytes.append(UInt8(ascii: isObject ? "{" : "["))
    }

    /// Begins a member of an object.
    func begin(member key: String, in depth: Int) {
        begin(key, in: depth)
        bytes.append(string: key)
        if options.isPretty { bytes.append(literal: " : ") } else { bytes.append(UInt8(ascii: ":")) }
    }

    /// Begins an element of an array.
    func begin(_ key: String = "", in depth: Int) {
        close(to: depth + 1)
        if !open[depth].isObject, !open[depth].items.isEmpty { bytes.append(UInt8(ascii: ",")) }
        open[depth].items.append((key, bytes.count))
        breakLine(depth + 1)
    }

    func count(in depth: Int) -> Int { open[depth].items.count }

    private func close(to depth: Int) {
        while open.count > depth, let container = open.popLast() {
            if container.isObject, container.items.count > 1 { sort(container) }
            if !container.items.isEmpty { breakLine(open.count) }
            bytes.append(UInt8(ascii: container.isObject ? "}" : "]"))
        }
    }

    /// Writes the members of an object again, in ascending order of their keys and with commas.
    private func sort(_ object: Container) {
        let ends = object.items.dropFirst().map(\.start) + [bytes.count]
        var sorted: [UInt8] = []
        sorted.reserveCapacity(bytes.count - object.start + ends.count)
        for (member, end) in zip(object.items, ends).sorted(by: { $0.0.key < $1.0.key }) {
            sorted.append(UInt8(ascii: sorted.isEmpty ? "{" : ","))
            sorted.append(contentsOf: bytes[member.start..<end])
        }
        bytes.replaceSubrange(object.start..., with: sorted)
    }

    private func breakLine(_ depth: Int) {
        guard options.isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}

private struct JSONValueEncoder: Encoder, SingleValueEncodingContainer {
    let text: JSONWriting
    /// The number of containers that are open around the value.
    let depth: Int
    // A path of keys for messages would take as long as the text.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        text.open(depth, isObject: true)
        return KeyedEncodingContainer(JSONMembers(text: text, depth: depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        text.open(depth, isObject: false)
        return JSONElements(text: text, depth: depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { text.bytes.append(literal: "null") }
    func encode<Value: Encodable>(_ value: Value) throws {
        // An integer would request this container again.
        if Value.self != String.self, let number = value as? any FixedWidthInteger {
            text.bytes.append(contentsOf: number.description.utf8)
        } else {
            try text.write(value)
        }
    }
}

private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let text: JSONWriting
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    private func value(_ key: String) -> JSONValueEncoder {
        text.begin(member: key, in: depth)
        return JSONValueEncoder(text: text, depth: depth + 1)
    }

    func encodeNil(forKey key: Key) { value(key.stringValue).encodeNil() }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        text.begin(member: key.stringValue, in: depth)
        try text.write(value)
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { value(key.stringValue).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        value(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { value("super") }
    func superEncoder(forKey key: Key) -> any Encoder { value(key.stringValue) }
}

private struct JSONElements: UnkeyedEncodingContainer {
    let text: JSONWriting
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var count: Int { text.count(in: depth) }

    func superEncoder() -> any Encoder { element() }
    private func element() -> JSONValueEncoder {
        text.begin(in: depth)
        return JSONValueEncoder(text: text, depth: depth + 1)
    }

    func encodeNil() { element().encodeNil() }
    func encode<Value: Encodable>(_ value: Value) throws {
        text.begin(in: depth)
        try text.write(value)
    }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        element().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
}
