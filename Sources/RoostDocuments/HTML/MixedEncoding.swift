/// Repairs pages in UTF-8 into which parts in windows-1252 were inserted, such as comments and
/// advertisements.
enum MixedEncoding {
    /// The minimum number of valid characters outside of ASCII for each invalid byte. Bytes of other
    /// encodings are rarely valid sequences by chance.
    private static let minimumRatio = 2

    /// Returns a page in UTF-8 with the characters of windows-1252 for invalid bytes that stand alone; `nil`
    /// if the page is not mostly in UTF-8. An invalid byte next to others is a part of a damaged character.
    ///
    /// - Complexity: O(length of page).
    static func repaired(_ bytes: [UInt8]) -> [UInt8]? {
        var (valid, invalid) = (0, [Int]())
        var index = 0
        while index < bytes.count {
            let length = length(ofCharacterAt: index, in: bytes)
            if length == 0 { invalid.append(index) }
            if length > 1 { valid += 1 }
            index += max(1, length)
        }
        guard valid >= minimumRatio * invalid.count else { return nil }
        let single = invalid.filter { index in
            [index - 1, index + 1].allSatisfy { !bytes.indices.contains($0) || bytes[$0] < 0x80 }
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 2 * single.count)
        var start = 0
        for index in single {
            result += bytes[start..<index]
            result += TextConverter.convert([bytes[index]], from: "windows-1252") ?? [0xEF, 0xBF, 0xBD]
            start = index + 1
        }
        return result + bytes[start...]
    }

    /// Returns the number of bytes of the character in UTF-8 at an index; 0 if it is not valid.
    private static func length(ofCharacterAt index: Int, in bytes: [UInt8]) -> Int {
        let length: Int
        switch bytes[index] {
        case 0..<0x80: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return 0
        }
        let rest = bytes[(index + 1)...].prefix(length - 1)
        return rest.count == length - 1 && rest.allSatisfy { $0 & 0xC0 == 0x80 } ? length : 0
    }
}
