import Foundation
import RoostFiles
import RoostModel

/// Reads the contents of files.
enum FileContents {
    /// The length of a file's beginning that is searched for a zero byte, which text files do not contain.
    /// Git uses the same test and length.
    static let binaryTestLength = 8192
    /// The maximum number of bytes that are reserved before anything has been read.
    private static let largestReservation = 256 << 20
    /// The number of bytes that are read at a time.
    private static let blockSize = 1 << 20

    /// Returns the contents of a file or pipe, whatever its size.
    ///
    /// - Throws: ``RoostError`` with `.noInput`.
    static func readToEnd(_ url: URL) throws(RoostError) -> Data {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY)
            return try withExtendedLifetime(file) {
                // `Data(contentsOf:)` refuses pipes, and reports a missing permission.
                try FileHandle(fileDescriptor: file.raw, closeOnDealloc: false).readToEnd() ?? Data()
            }
        } catch {
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let number = (error as? FileError)?.errno ?? underlying.map { Int32(clamping: $0.code) } ?? EIO
            throw RoostError(.noInput, "cannot read \(url.path): \(cause(number))")
        }
    }

    /// Returns the contents of a regular file.
    ///
    /// A binary file that must not be read is detected before the rest of it is read.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - maximumSize: The maximum size of the file in bytes.
    ///   - maximumBinarySize: Returns the maximum size of the file in bytes if it may contain zero bytes, and
    ///     `nil` if it must not. The argument is the beginning of the file.
    /// - Throws: ``RoostError`` with `.noInput`, or with `.badInput` if the file is not a regular file, too
    ///   large, or binary although it may not be.
    static func read(
        _ url: URL, maximumSize: Int, maximumBinarySize: (Data) -> Int?
    ) throws -> Data {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            throw RoostError(.noInput, "cannot read \(url.path): \(String(cString: strerror(errno)))")
        }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw RoostError(.badInput, "cannot read \(url.path): it is a folder") }
        guard kind == S_IFREG else {
            throw RoostError(.badInput, "cannot read \(url.path): it is not a regular file")
        }
        try require(Int(status.st_size), upTo: maximumSize, of: url)
        do {
            return try contents(url, maximumSize, maximumBinarySize)
        } catch let error as RoostError {
            throw error
        } catch {
            let number = (error as? FileError)?.errno ?? EIO
            throw RoostError(.noInput, "cannot read \(url.path): \(cause(number))")
        }
    }

    /// Whether a file begins with the byte order mark of UTF-16, in which texts contain zero bytes.
    static func isUTF16(_ data: Data) -> Bool {
        data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
    }

    /// Returns the description of an error number in lowercase letters, such as `permission denied`.
    static func cause(_ number: Int32) -> String {
        number == EACCES ? "permission denied" : String(cString: strerror(number))
    }

    /// The error for a binary file that no reader supports.
    static func binaryFile(_ url: URL) -> RoostError {
        RoostError(.badInput, "cannot read \(url.path): it is a binary file")
    }

    private static func contents(
        _ url: URL, _ maximumSize: Int, _ maximumBinarySize: (Data) -> Int?
    ) throws -> Data {
        let file = try FileDescriptor(url.path, O_RDONLY | O_NONBLOCK)
        var data = Data()
        data.reserveCapacity(min(try file.size(), largestReservation))
        var (limit, mayBeBinary) = (maximumSize, false)
        while true {
            let isFirst = data.isEmpty
            let block = try file.read(at: data.count, count: isFirst ? binaryTestLength : blockSize)
            if block.isEmpty { return data }
            if isFirst, let binaryLimit = maximumBinarySize(Data(block)) {
                (limit, mayBeBinary) = (min(maximumSize, binaryLimit), true)
                try require(try file.size(), upTo: limit, of: url)
            }
            guard mayBeBinary || !isFirst || !block.contains(0) else { throw binaryFile(url) }
            data += block
            // The file may grow while it is read.
            try require(data.count, upTo: limit, of: url)
        }
    }

    private static func require(_ size: Int, upTo limit: Int, of url: URL) throws(RoostError) {
        guard size <= limit else {
            throw RoostError(.badInput, "cannot read \(url.path): it is larger than \(limit >> 20) MB")
        }
    }
}

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

    /// The minimum and maximum size of a part in bytes.
    private static let minimumSize = 256 << 10
    private static let maximumSize = 1 << 20
    /// A line ends a part if its checksum is a multiple of this number, so that there are a few such lines
    /// between the minimum and the maximum size.
    private static let spacing: UInt32 = 1024

    /// Returns one draft per part. The parts together are the complete text, except for a byte order mark and
    /// parts that contain only white space.
    ///
    /// - Parameters:
    ///   - data: The contents of the file.
    ///   - name: The name of the file, for messages.
    /// - Throws: ``RoostError`` with `.badInput` if the text is not valid UTF-8.
    static func drafts(of data: Data, name: String) throws -> [EntryDraft] {
        try data.withUnsafeBytes { try drafts(of: $0, name: name) }
    }

    /// Returns one draft per part of a text in memory.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if the text is not valid UTF-8.
    static func drafts(of bytes: UnsafeRawBufferPointer, name: String) throws -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var line = 1
        while start < bytes.count {
            let end = end(from: start, in: bytes)
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            guard let text = String(validating: part, as: UTF8.self) else {
                throw RecordReader.invalidEncoding(name)
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

    /// Returns the end of the part that begins at `start`.
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

    /// Returns the offset after the next line feed, or the end of the text.
    private static func lineEnd(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base + 1
    }
}
