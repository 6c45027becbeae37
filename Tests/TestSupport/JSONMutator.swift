public import Foundation

/// Changes JSON texts at random, for tests of readers: values become extreme numbers, other types, copies of
/// each other, or are removed.
public enum JSONMutator {
    /// The values that replace others. Most are at the limits of number types, or just beyond them.
    private static let values = [
        "0", "-0.0", "-1", "1", "255", "256", "65535", "65536", "65537", "2147483647", "2147483648",
        "4294967295", "4294967296", "4611686018427387904", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "18446744073709551615", "1e308", "-1e308", "1e-320", "0.5", "1e19", "true",
        "null", "\"\"", "\"x\"", "\"../../x\"", "[]", "[[]]", "{}", "[1,2]", "[9223372036854775807]",
    ]

    /// The number of mutations of each input: `ROOST_FUZZ_MUTATIONS`, or the given number if it is not set.
    public static func count(default number: Int) -> Int {
        ProcessInfo.processInfo.environment["ROOST_FUZZ_MUTATIONS"].flatMap { Int($0) } ?? number
    }

    /// Returns a mutation of a text. Most mutations are valid JSON.
    public static func mutated(_ data: Data, using generator: inout some RandomNumberGenerator) -> Data {
        var text = Array(data)
        for _ in 0...Int.random(in: 0..<3, using: &generator) {
            let ranges = valueRanges(text)
            guard let range = ranges.randomElement(using: &generator) else { return Data(text) }
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                let other = ranges.randomElement(using: &generator) ?? range
                text.replaceSubrange(range, with: Array(text[other]))
            case 1: text.removeSubrange(range)
            case 2: text[range.lowerBound] = UInt8.random(in: 0...255, using: &generator)
            default:
                text.replaceSubrange(range, with: (values.randomElement(using: &generator) ?? "0").utf8)
            }
        }
        return Data(text)
    }

    /// Returns the ranges of the strings, numbers and words of a JSON text, without keys, and of its objects
    /// and arrays.
    private static func valueRanges(_ text: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var open: [Int] = []
        var offset = 0
        while offset < text.count {
            let start = offset
            switch text[offset] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(offset)
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                offset += 1
                if let first = open.popLast() { ranges.append(first..<offset) }
            case UInt8(ascii: "\""):
                offset += 1
                while offset < text.count, text[offset] != UInt8(ascii: "\"") {
                    offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
                }
                offset = min(offset + 1, text.count)
                let isKey = offset < text.count && text[offset] == UInt8(ascii: ":")
                if !isKey { ranges.append(start..<offset) }
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                while offset < text.count, isWordByte(text[offset]) { offset += 1 }
                ranges.append(start..<offset)
            default: offset += 1
            }
        }
        return ranges
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
