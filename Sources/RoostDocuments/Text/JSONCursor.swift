import Foundation
import RoostFiles
import RoostModel

/// A position in the text of a JSON document (RFC 8259).
///
/// Values are found in the text when they are requested: a tree of all values would need up to 30 times the
/// memory of a file with many short values. A copy of a cursor costs no memory for the text.
struct JSONCursor {
    /// The kind of a value.
    enum Kind {
        case object, array, string
        /// A number, a Boolean value or `null`.
        case literal
    }

    /// The maximum number of bytes of the name of a member.
    private static let maximumNameLength = 1 << 16

    /// The text in UTF-8, whose syntax was checked.
    private let bytes: [UInt8]
    /// The offset of the first byte of the value at the cursor.
    private var index = 0

    /// Creates a cursor at the value of a document.
    ///
    /// - Parameter permitsComments: Whether the document can be JSON with comments, which can also have
    ///   commas before closing brackets.
    /// - Throws: ``JSONSyntaxError`` if the document is not valid or too deep.
    init(_ data: Data, maximumDepth: Int, permitsComments: Bool = false) throws(JSONSyntaxError) {
        guard let bytes = TextDecoder.decode(data).map({ Array($0.text.utf8) }) else {
            throw JSONSyntaxError(description: "it is not text")
        }
        do {
            try JSONSyntax.check(bytes, maximumDepth: maximumDepth)
            self.bytes = bytes
        } catch {
            guard permitsComments, let plain = JSONComments.removed(from: bytes) else { throw error }
            try JSONSyntax.check(plain, maximumDepth: maximumDepth)
            self.bytes = plain
        }
        skipSpaces()
    }

    /// The kind of the value at the cursor.
    var kind: Kind {
        switch byte {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        default: .literal
        }
    }

    private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

    // MARK: Movement

    private mutating func skipSpaces() {
        while index < bytes.count, bytes[index].isJSONSpace { index += 1 }
    }

    /// Moves from an array to its first element, or from an object to the name of its first member.
    ///
    /// - Returns: Whether there is one. If not, the cursor is after the array or object.
    mutating func enter() -> Bool {
        index += 1
        skipSpaces()
        guard byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") else { return true }
        index += 1
        return false
    }

    /// Moves from the end of a value to the next element, or to the name of the next member.
    ///
    /// - Returns: Whether there is one. If not, the cursor is after the array or object.
    mutating func next() -> Bool {
        skipSpaces()
        let hasNext = byte == UInt8(ascii: ",")
        index += 1
        if hasNext { skipSpaces() }
        return hasNext
    }

    /// Reads the name of a member, and moves to its value. Only the first ``maximumNameLength`` bytes of a
    /// name are read.
    mutating func name() -> String {
        let start = index + 1
        skipString()
        let end = max(start, min(index - 1, bytes.count, start + Self.maximumNameLength))
        let name = Self.decoded(bytes[start..<end])
        skipSpaces()
        index += 1
        skipSpaces()
        return name
    }

    /// Moves to the end of the value at the cursor.
    ///
    /// - Complexity: O(length of the value).
    mutating func skip() {
        var depth = 0
        repeat {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            case UInt8(ascii: "\""): skipString()
            default: skipLiteral()
            }
            if depth > 0 { skipSeparators() }
        } while depth > 0 && index < bytes.count
    }

    private mutating func skipSeparators() {
        while byte.isJSONSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") { index += 1 }
    }

    private mutating func skipString() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
    }

    private mutating func skipLiteral() {
        while index < bytes.count, !bytes[index].endsJSONLiteral { index += 1 }
    }

    // MARK: Values

    /// Reads the string or literal at the cursor, and moves to its end. A literal is returned as written.
    mutating func scalar() -> String {
        let start = index
        guard kind == .string else {
            skipLiteral()
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }
        skipString()
        return Self.decoded(bytes[(start + 1)..<max(start + 1, min(index, bytes.count) - 1)])
    }

    /// The string or literal at the cursor; `nil` for an object or array.
    var string: String? {
        guard kind == .string || kind == .literal else { return nil }
        var copy = self
        return copy.scalar()
    }

    /// The number of bytes of the value at the cursor.
    ///
    /// - Complexity: O(length of the value).
    var length: Int {
        var copy = self
        copy.skip()
        return copy.index - index
    }

    /// Returns the value of the first member of an object with a name; `nil` for other values.
    ///
    /// - Complexity: O(length of the object).
    subscript(_ name: String) -> JSONCursor? {
        var result: JSONCursor?
        forEachMember { member, value in
            guard member == name else { return true }
            result = value
            return false
        }
        return result
    }

    /// The first element of an array; `nil` if it is empty, and for other values.
    var first: JSONCursor? {
        var copy = self
        return kind == .array && copy.enter() ? copy : nil
    }

    /// Calls a closure with each element of an array; never for other values.
    ///
    /// - Complexity: O(length of the array).
    func forEachElement(_ body: (JSONCursor) throws -> Void) rethrows {
        var copy = self
        guard kind == .array, copy.enter() else { return }
        repeat {
            try body(copy)
            copy.skip()
        } while copy.next()
    }

    /// Calls a closure with each member of an object until it returns false; never for other values.
    ///
    /// - Complexity: O(length of the object).
    func forEachMember(_ body: (String, JSONCursor) -> Bool) {
        var copy = self
        guard kind == .object, copy.enter() else { return }
        repeat {
            let name = copy.name()
            guard body(name, copy) else { return }
            copy.skip()
        } while copy.next()
    }

    // MARK: Strings

    /// Returns the text of a string. An escaped form feed becomes a line break, and an escaped backspace a
    /// space.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var units: [UInt8] = []
        units.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.endIndex else {
                units.append(bytes[index])
                index += 1
                continue
            }
            index = appendEscape(at: index + 1, of: bytes, to: &units)
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// Appends the character of an escape sequence, and returns the offset after the sequence.
    private static func appendEscape(
        at index: Int, of bytes: ArraySlice<UInt8>, to units: inout [UInt8]
    ) -> Int {
        switch bytes[index] {
        case UInt8(ascii: "n"), UInt8(ascii: "f"): units.append(0x0A)
        case UInt8(ascii: "t"): units.append(0x09)
        case UInt8(ascii: "r"): units.append(0x0D)
        case UInt8(ascii: "b"): units.append(0x20)
        case UInt8(ascii: "u"):
            let first = hexadecimal(at: index + 1, of: bytes)
            var (scalar, end) = (first, index + 5)
            if (0xD800..<0xDC00).contains(first), end + 1 < bytes.endIndex,
                bytes[end] == UInt8(ascii: "\\"), bytes[end + 1] == UInt8(ascii: "u")
            {
                let second = hexadecimal(at: end + 2, of: bytes)
                scalar = 0x10000 + (first - 0xD800) << 10 + (second &- 0xDC00) & 0x3FF
                end += 6
            }
            units.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
            return end
        default: units.append(bytes[index])
        }
        return index + 1
    }

    private static func hexadecimal(at index: Int, of bytes: ArraySlice<UInt8>) -> UInt32 {
        guard index + 4 <= bytes.endIndex else { return 0xFFFD }
        return Hexadecimal.number(bytes[index..<(index + 4)]) ?? 0xFFFD
    }
}
