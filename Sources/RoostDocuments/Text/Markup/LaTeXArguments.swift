/// The commands of a line of LaTeX and their arguments.
///
/// A regular expression would search the rest of the line again for each command whose argument has no end.
/// Here, the ends of all arguments are known after one pass.
struct LaTeXArguments {
    /// The bytes of the line.
    let bytes: [UInt8]
    /// The index of the closing brace of each opening one; 0 for one that is not closed, and for other bytes.
    private let braces: [Int]
    /// The index of the next closing bracket from each index on; the length of the line if there is none.
    private let brackets: [Int]

    /// The maximum number of optional arguments of a command. Commands have at most two.
    private static let maximumOptions = 16

    init(_ line: some StringProtocol) {
        bytes = Array(line.utf8)
        braces = Self.closingBraces(in: bytes)
        brackets = Self.indexes(of: UInt8(ascii: "]"), in: bytes)
    }

    /// Returns the index of the closing brace of each opening one; 0 for other bytes. Braces after a
    /// backslash are text.
    private static func closingBraces(in bytes: [UInt8]) -> [Int] {
        var (indexes, open) = (Array(repeating: 0, count: bytes.count), [Int]())
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index += 1
            case UInt8(ascii: "{"): open.append(index)
            case UInt8(ascii: "}"): if let start = open.popLast() { indexes[start] = index }
            default: break
            }
            index += 1
        }
        return indexes
    }

    /// Returns the index of the next byte of a kind from each index on.
    private static func indexes(of byte: UInt8, in bytes: [UInt8]) -> [Int] {
        var indexes = Array(repeating: bytes.count, count: bytes.count + 1)
        for index in bytes.indices.reversed() {
            indexes[index] = bytes[index] == byte ? index : indexes[index + 1]
        }
        return indexes
    }

    /// Returns the text in a range.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns the index of the next backslash from an index on; `nil` if there is none.
    func backslash(from index: Int) -> Int? { bytes[index...].firstIndex(of: UInt8(ascii: "\\")) }

    /// Returns the letters after the backslash at an index, as a range.
    func name(after backslash: Int) -> Range<Int> {
        var end = backslash + 1
        while end < bytes.count, (0x41...0x5A).contains(bytes[end] & 0xDF) { end += 1 }
        return backslash + 1..<end
    }

    /// Returns the range between the opening brace at an index and its closing brace; `nil` if there is no
    /// opening brace at the index, or no closing brace.
    func argument(at index: Int) -> Range<Int>? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "{") else { return nil }
        let end = braces[index]
        return end > index ? index + 1..<end : nil
    }

    /// Returns the index after the spaces at an index.
    func indexAfterSpaces(at index: Int) -> Int {
        var end = index
        while end < bytes.count, bytes[end] == UInt8(ascii: " ") { end += 1 }
        return end
    }

    /// Returns the line with texts in place of ranges, of which none contains another one.
    func text(applying edits: [(range: Range<Int>, text: String)]) -> String {
        var output: [UInt8] = []
        var start = 0
        for (range, text) in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            output += bytes[start..<max(start, range.lowerBound)]
            output += text.utf8
            start = max(start, range.upperBound)
        }
        return String(decoding: output + bytes[start...], as: UTF8.self)
    }

    /// Returns the index after the star and the optional arguments at an index, if there are any.
    func indexAfterOptions(at index: Int) -> Int {
        var end = index
        if end < bytes.count, bytes[end] == UInt8(ascii: "*") { end += 1 }
        for _ in 0..<Self.maximumOptions {
            guard end < bytes.count, bytes[end] == UInt8(ascii: "["), brackets[end] < bytes.count else {
                break
            }
            end = brackets[end] + 1
        }
        return end
    }
}
