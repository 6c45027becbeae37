import RoostModel

/// Removes what JSON with comments, the format of many settings, permits in addition to JSON.
enum JSONComments {
    /// Returns a text in UTF-8 with spaces in place of its comments (`// …`, `/* … */`) and of the commas
    /// before closing brackets, so that the lines of faults agree; `nil` if it has no comments.
    ///
    /// - Complexity: O(length of bytes).
    static func removed(from bytes: [UInt8]) -> [UInt8]? {
        var result = bytes
        var (index, comma, hasComments) = (0, Int?.none, false)
        while index < bytes.count {
            let byte = bytes[index]
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            var end = index + 1
            if byte == UInt8(ascii: "\"") {
                while end < bytes.count, bytes[end] != byte {
                    end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
                }
                end = min(end + 1, bytes.count)
                comma = nil
            } else if byte == UInt8(ascii: "/"), next == byte || next == UInt8(ascii: "*") {
                end = self.end(ofComment: bytes, from: index + 2, isBlock: next != byte)
                for offset in index..<end where bytes[offset] != 0x0A && bytes[offset] != 0x0D {
                    result[offset] = 0x20
                }
                hasComments = true
            } else if byte == UInt8(ascii: ",") {
                comma = index
            } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
                if let comma { result[comma] = 0x20 }
                comma = nil
            } else if !byte.isJSONSpace {
                comma = nil
            }
            index = end
        }
        return hasComments ? result : nil
    }

    private static func end(ofComment bytes: [UInt8], from start: Int, isBlock: Bool) -> Int {
        var index = start
        while index < bytes.count {
            if isBlock, bytes[index] == UInt8(ascii: "*"), index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "/")
            {
                return index + 2
            }
            if !isBlock, bytes[index] == 0x0A || bytes[index] == 0x0D { return index }
            index += 1
        }
        return bytes.count
    }
}
