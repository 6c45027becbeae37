import Foundation

/// The headers of messages as lines. Their length is limited, because the parser needs up to a hundred times
/// their memory.
enum MailHeaders {
    /// The maximum number of bytes of all headers of a message, including those of its parts.
    static let maximumLength = 2 << 20

    /// Returns whether the headers of a message in a file are too long.
    ///
    /// Headers begin with the file, in a mailbox after a line that begins with `From `, and after a line that
    /// begins with two hyphens, which can be the boundary of a part. They end with the first line of another
    /// form.
    /// - Complexity: O(length of bytes).
    static func exceedLimit(_ bytes: UnsafeRawBufferPointer, isMailbox: Bool) -> Bool {
        var (start, length, isHeader) = (0, 0, true)
        while start < bytes.count {
            let end = lineEnd(from: start, in: bytes)
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if isMailbox, line.starts(with: "From ".utf8) {
                (length, isHeader) = (0, true)
            } else if line.starts(with: "--".utf8) {
                isHeader = true
            } else if isHeader {
                isHeader = isHeaderLine(line)
                length += line.count
                if length > maximumLength { return true }
            }
            start = end
        }
        return false
    }

    private static func lineEnd(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base + 1
    }

    /// Returns whether a line has a name before a colon, or continues the line before it.
    private static func isHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let first = line.first else { return false }
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { return true }
        let name = line.prefix { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
        return !name.isEmpty && name.endIndex < line.endIndex && line[name.endIndex] == UInt8(ascii: ":")
    }
}
