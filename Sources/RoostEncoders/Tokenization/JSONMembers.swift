import Foundation

/// Finds values in JSON without decoding all of it. Values that are skipped are not checked.
struct JSONMembers {
    private let bytes: [UInt8]

    /// Creates a reader of JSON in valid UTF-8.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the range of the value of each member of an object. Of two members with the same name, the
    /// last is used.
    ///
    /// - Parameter range: The range of the object, which may begin with white space.
    /// - Returns: `nil` if the range does not begin with an object.
    /// - Complexity: O(length of the object).
    func members(of range: Range<Int>) -> [String: Range<Int>]? {
        var members: [String: Range<Int>] = [:]
        var offset = afterSpace(range.lowerBound)
        guard byte(offset) == UInt8(ascii: "{") else { return nil }
        offset = afterSpace(offset + 1)
        if byte(offset) == UInt8(ascii: "}") { return members }
        while true {
            guard let name = string(at: offset) else { return nil }
            offset = afterSpace(name.end)
            guard byte(offset) == UInt8(ascii: ":") else { return nil }
            offset = afterSpace(offset + 1)
            guard let end = endOfValue(at: offset) else { return nil }
            members[String(decoding: name.utf8, as: UTF8.self)] = offset..<end
            offset = afterSpace(end)
            switch byte(offset) {
            case UInt8(ascii: ","): offset = afterSpace(offset + 1)
            case UInt8(ascii: "}"): return members
            default: return nil
            }
        }
    }

    /// Reads an array of pairs of a text and a number.
    ///
    /// - Returns: `nil` if the value has another form, a number is not finite, or the texts exceed 2 GB.
    /// - Complexity: O(length of the array).
    func scoredPieces(of range: Range<Int>) -> UnigramVocabulary? {
        var texts: [UInt8] = []
        var pieces: [UnigramVocabulary.Piece] = []
        var offset = afterSpace(range.lowerBound)
        guard byte(offset) == UInt8(ascii: "[") else { return nil }
        offset = afterSpace(offset + 1)
        while byte(offset) == UInt8(ascii: "[") {
            guard let text = string(at: afterSpace(offset + 1)) else { return nil }
            offset = afterSpace(text.end)
            guard byte(offset) == UInt8(ascii: ",") else { return nil }
            offset = afterSpace(offset + 1)
            guard let end = endOfValue(at: offset),
                let score = Double(String(decoding: bytes[offset..<end], as: UTF8.self)), score.isFinite,
                texts.count + text.utf8.count < Int32.max
            else { return nil }
            let start = Int32(texts.count)
            texts += text.utf8
            pieces.append(.init(range: start..<Int32(texts.count), score: score))
            offset = afterSpace(end)
            guard byte(offset) == UInt8(ascii: "]") else { return nil }
            offset = afterSpace(offset + 1)
            guard byte(offset) == UInt8(ascii: ",") else { break }
            offset = afterSpace(offset + 1)
        }
        guard byte(offset) == UInt8(ascii: "]") else { return nil }
        return UnigramVocabulary(bytes: texts, pieces: pieces)
    }

    private func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private func afterSpace(_ offset: Int) -> Int {
        var offset = offset
        while case let byte = byte(offset), byte == 32 || byte == 10 || byte == 9 || byte == 13 {
            offset += 1
        }
        return offset
    }

    /// Returns the end of the value at an offset: a text, an object or array with everything in it, or the
    /// characters up to the next delimiter.
    private func endOfValue(at start: Int) -> Int? {
        var offset = start
        var depth = 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(at: offset) else { return nil }
                offset = end
                if depth == 0 { return offset }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return offset > start ? offset : nil }
                depth -= 1
                offset += 1
                if depth == 0 { return offset }
            case UInt8(ascii: ","), 9, 10, 13, 32:
                if depth == 0 { return offset > start ? offset : nil }
                offset += 1
            default: offset += 1
            }
        }
        return nil
    }

    /// Returns the offset after the text at an offset.
    private func endOfString(at start: Int) -> Int? {
        guard byte(start) == UInt8(ascii: "\"") else { return nil }
        var offset = start + 1
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""): return offset + 1
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        return nil
    }

    /// Returns the UTF-8 of the text at an offset, and the offset after it.
    private func string(at start: Int) -> (utf8: ArraySlice<UInt8>, end: Int)? {
        guard let end = endOfString(at: start) else { return nil }
        let raw = bytes[start + 1..<end - 1]
        guard raw.contains(UInt8(ascii: "\\")) else { return (raw, end) }
        let decoded = try? JSONDecoder().decode(String.self, from: Data(bytes[start..<end]))
        return decoded.map { (Array($0.utf8)[...], end) }
    }
}
