import Foundation
import RoostFiles
import RoostModel

/// Divides a large text file into entries.
///
/// Searches and clusters read complete entries, so the time and the memory that they need depend on the size
/// of the largest entry. A file of hundreds of megabytes must therefore not become one entry.
///
/// The cuts depend only on the text around them: after a change, all other parts of the file remain equal,
/// and the next ingest embeds only the changed part again.
enum TextParts {
    /// The maximum size, in bytes, of a file that becomes one entry. Very few books are larger.
    static let maximumEntrySize = 2 << 20
    /// The maximum size, in bytes, of a text that is added or edited, or that is in a row of a file. Such a
    /// text cannot be divided, because it has one id.
    static let maximumTextSize = 8 << 20

    /// Returns the reason why a text cannot become one entry; `nil` if it can.
    static func refusal(of text: String) -> String? {
        guard text.utf8.count > maximumTextSize else { return nil }
        return "the text has \(text.utf8.count >> 20) MB, and the maximum is \(maximumTextSize >> 20) MB; "
            + "save it as a text file, which is divided into several entries"
    }

    private static let minimumSize = 256 << 10
    private static let maximumSize = 1 << 20
    /// A line ends a part if its checksum is a multiple of this number, so that there are a few such lines
    /// between the minimum and the maximum size.
    private static let spacing: UInt32 = 1024

    /// Returns one draft per part. The parts together are the complete text, except for a byte order mark and
    /// parts that contain only white space.
    static func drafts(of data: Data, name: String) throws -> [EntryDraft] {
        try data.withUnsafeBytes { bytes in
            var drafts: [EntryDraft] = []
            var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            var line = 1
            while start < bytes.count {
                let end = end(from: start, in: bytes)
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                guard let text = String(validating: part, as: UTF8.self) else {
                    throw RecordReader.invalidText(part, from: line, name)
                }
                if !text.allSatisfy(\.isWhitespace) {
                    drafts.append(
                        EntryDraft(
                            content: text, location: "line \(line)", sourceLocation: EntryLocation(line: line)
                        ))
                }
                for byte in part where byte == UInt8(ascii: "\n") { line += 1 }
                start = end
            }
            return drafts
        }
    }

    private static func end(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count - start > maximumSize else { return bytes.count }
        let limit = start + maximumSize
        var lastLine: Int?
        var lastParagraph: Int?
        var next = lineEnd(from: start + minimumSize, in: bytes)
        while next < limit {
            let lineStart = next
            next = lineEnd(from: lineStart, in: bytes)
            lastLine = lineStart
            if bytes[lineStart] == UInt8(ascii: "\n") { lastParagraph = lineStart + 1 }
            let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<min(next, limit)])
            if CRC32C.checksum(line) % spacing == 0 { return lineStart }
        }
        if let cut = lastParagraph ?? lastLine { return min(cut, limit) }
        // The line exceeds the maximum size. The cut is moved to the first byte of a character: in UTF-8, all
        // other bytes have the form 10xxxxxx.
        var cut = limit
        while cut > start + minimumSize, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        return cut
    }

    private static func lineEnd(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base + 1
    }
}
