package import Foundation

/// Finds the elements of an array and the members of an object in a JSON text without decoding them, so that
/// the values of a large text can be decoded one after another.
///
/// Values are not checked; a decoder reports their faults.
package struct JSONParts: Sendable {
    private let bytes: [UInt8]

    /// Creates a scanner of a text in UTF-8.
    package init(_ data: Data) { bytes = Array(data) }

    /// The range of the complete text.
    package var all: Range<Int> { bytes.indices }

    /// Returns the bytes in a range.
    package func data(_ range: Range<Int>) -> Data { Data(bytes[range]) }

    /// Returns the first byte in a range that is not white space; `nil` if all bytes are white space.
    package func first(in range: Range<Int>) -> UInt8? { bytes[range].first { !$0.isJSONSpace } }

    /// Returns the ranges of the elements of an array.
    ///
    /// - Parameters:
    ///   - range: The range of a value.
    ///   - first: The byte with which each element must begin; `nil` for elements of any type.
    /// - Returns: `nil` if the value is not an array, if the text ends inside the array, or if an element
    ///   begins with another byte.
    package func elements(in range: Range<Int>, beginningWith first: UInt8? = nil) -> [Range<Int>]? {
        var elements: [Range<Int>] = []
        let isComplete = visit(range, UInt8(ascii: "["), UInt8(ascii: "]")) { index in
            guard first == nil || bytes[index] == first, let element = value(at: index) else { return nil }
            elements.append(element)
            return element.upperBound
        }
        return isComplete ? elements : nil
    }

    /// Returns the ranges of the values of an object by their names. Escape sequences in names are kept.
    ///
    /// - Parameter range: The range of a value.
    /// - Returns: `nil` if the value is not an object, or if the text ends inside the object.
    package func members(in range: Range<Int>) -> [String: Range<Int>]? {
        var members: [String: Range<Int>] = [:]
        let isComplete = visit(range, UInt8(ascii: "{"), UInt8(ascii: "}")) { index in
            guard bytes[index] == UInt8(ascii: "\""), let name = value(at: index) else { return nil }
            let colon = afterSpace(name.upperBound)
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"),
                let value = value(at: afterSpace(colon + 1))
            else { return nil }
            let text = bytes[name].dropFirst().dropLast()
            members[String(decoding: text, as: UTF8.self)] = value
            return value.upperBound
        }
        return isComplete ? members : nil
    }

    /// Returns the UTF-8 of a string without escape sequences; `nil` if the value is not a string.
    ///
    /// - Parameter range: The range of a value.
    package func string(in range: Range<Int>) -> ArraySlice<UInt8>? {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let raw = bytes[range].dropFirst().dropLast()
        guard raw.contains(UInt8(ascii: "\\")) else { return raw }
        return (try? JSONDecoder().decode(String.self, from: data(range))).map { Array($0.utf8)[...] }
    }

    /// Returns a number; `nil` if the value is not a number.
    ///
    /// - Parameter range: The range of a value.
    package func number(in range: Range<Int>) -> Double? {
        // White space after a number belongs to its range.
        Double(String(decoding: bytes[range].prefix { !$0.isJSONSpace }, as: UTF8.self))
    }

    /// Visits the parts between two brackets, with commas between them.
    ///
    /// - Parameter body: Receives the index at which a part begins, and returns the index after it, or `nil`
    ///   if the part has another form.
    /// - Returns: Whether all parts were visited, and only white space follows the closing bracket.
    private func visit(
        _ range: Range<Int>, _ open: UInt8, _ close: UInt8, _ body: (Int) -> Int?
    ) -> Bool {
        var index = afterSpace(range.lowerBound)
        guard index < range.upperBound, bytes[index] == open else { return false }
        index = afterSpace(index + 1)
        guard index < range.upperBound else { return false }
        while bytes[index] != close {
            guard let end = body(index) else { return false }
            index = afterSpace(end)
            guard index < range.upperBound else { return false }
            if bytes[index] == close { break }
            guard bytes[index] == UInt8(ascii: ",") else { return false }
            // As for `JSONDecoder`, a comma can follow the last part.
            index = afterSpace(index + 1)
            guard index < range.upperBound else { return false }
        }
        return afterSpace(index + 1) >= range.upperBound
    }

    /// Returns the range of the value that begins at an index; `nil` if the text ends inside the value.
    private func value(at start: Int) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        var (index, depth) = (start, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(from: index) else { return nil }
                index = end
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                index += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                // The bracket belongs to the container of a number or a word.
                if depth == 0 { return index > start ? start..<index : nil }
                depth -= 1
                index += 1
            case UInt8(ascii: ","):
                if depth == 0 { return index > start ? start..<index : nil }
                index += 1
                continue
            default:
                index += 1
                continue
            }
            if depth == 0 { return start..<index }
        }
        return depth == 0 ? start..<index : nil
    }

    /// Returns the index after the string that begins at an index; `nil` if it is not closed.
    private func endOfString(from start: Int) -> Int? {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    private func afterSpace(_ start: Int) -> Int {
        var index = start
        while index < bytes.count, bytes[index].isJSONSpace { index += 1 }
        return index
    }
}
