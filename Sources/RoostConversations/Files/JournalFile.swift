import Foundation
import RoostFiles
import RoostModel

/// An append-only file of JSON lines, with one record for each change.
///
/// A line is complete when its newline has been written. If a process is killed while it is writing a line,
/// the next write removes the incomplete line. Writers must hold the lock of the ``JournalFolder``.
struct JournalFile<Record: Codable & Sendable>: Sendable {
    let url: URL
    let files: FileSystem

    /// The name of the file without its extension.
    var digest: String { url.deletingPathExtension().lastPathComponent }

    struct Contents {
        var records: [Record] = []
        /// The total size of the complete lines in bytes.
        var length = 0
        var corruptLines: [Int] = []
    }

    /// The maximum size of a line in bytes.
    private static var maximumLineSize: Int { 256 << 20 }

    /// Reads the file.
    ///
    /// - Returns: No records if the file does not exist.
    /// - Throws: `StorageError`: `.damaged` if a line is corrupt, `.inputOutput`.
    func read() throws -> Contents {
        let contents = try salvage()
        try check(contents)
        return contents
    }

    /// Checks that contents which ``salvage()`` returned are complete.
    ///
    /// - Throws: `StorageError` with `.damaged` if a line is corrupt.
    func check(_ contents: Contents) throws {
        guard let line = contents.corruptLines.first else { return }
        throw StorageError(
            .damaged,
            "cannot read \(url.path): line \(line) is corrupt")
    }

    /// Reads the file and skips corrupt lines.
    ///
    /// - Throws: `StorageError` with `.inputOutput`.
    func salvage() throws -> Contents {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW)
            return Self.parse(try file.read(at: 0, count: try file.size()))
        } catch let error as FileError where error.isMissing {
            return Contents()
        } catch let error as FileError {
            throw StorageError(error)
        }
    }

    private static func parse(_ data: Data) -> Contents {
        var contents = Contents()
        let decoder = ConversationMessage.decoder()
        var start = data.startIndex
        var number = 0
        while let end = data[start...].firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            if let record = try? decoder.decode(Record.self, from: data[start..<end]) {
                contents.records.append(record)
            } else {
                contents.corruptLines.append(number)
            }
            start = data.index(after: end)
            contents.length = start - data.startIndex
        }
        // A new file is written atomically with its first line. A file without a complete line is therefore
        // corrupt.
        if contents.length == 0, !data.isEmpty { contents.corruptLines = [1] }
        return contents
    }

    /// Reads and changes the file. The caller must hold the folder's lock.
    ///
    /// - Parameter body: Returns the change to make to the given contents, or `nil` if there is nothing to
    ///   change.
    /// - Throws: The errors of ``read()`` and of `body`; `FileError`. The file is unchanged in that case.
    func change(_ body: (Contents) throws -> Change?) throws {
        let contents = try read()
        switch try body(contents) {
        case nil: return
        case .append(let record): try append(record, at: contents.length)
        case .replace(let records): try replace(records)
        }
    }

    func replace(_ records: [Record]) throws {
        var data = Data()
        for record in records { data += try Self.line(record) }
        // Remove the temporary files of processes that were killed during a replacement.
        try AtomicFile.removeLeftovers(in: url.deletingLastPathComponent(), files: files)
        try AtomicFile.write(data, to: url, files: files)
    }

    enum Change: Sendable {
        /// Adds a record at the end.
        case append(Record)
        /// Replaces all records.
        case replace([Record])
    }

    private static func line(_ record: Record) throws -> Data {
        let data = try ConversationMessage.encoder().encode(record) + Data("\n".utf8)
        guard data.count <= maximumLineSize else {
            throw StorageError(
                .invalidBatch,
                "cannot save the conversation: it exceeds the limit of \(maximumLineSize >> 20) MB per change"
            )
        }
        return data
    }

    /// Appends a record.
    ///
    /// - Parameter length: The total size of the complete lines in bytes. Any bytes after them are an
    ///   incomplete line that a killed process left behind, and are removed.
    func append(_ record: Record, at length: Int) throws {
        let line = try Self.line(record)
        guard length > 0 else { return try AtomicFile.write(line, to: url, files: files) }
        let file = try FileDescriptor(url.path, O_RDWR, files: files)
        if try file.size() > length { try file.truncate(to: length) }
        do {
            guard lseek(file.raw, off_t(length), SEEK_SET) >= 0 else {
                throw FileError(operation: "seek in", path: url.path, errno: errno)
            }
            try line.withUnsafeBytes { try file.write($0) }
            try file.synchronize()
        } catch {
            // The caller receives an error, so readers must not find the record.
            do {
                try file.truncate(to: length)
                try file.synchronize()
            } catch let second {
                throw StorageError(
                    .inputOutput,
                    "\(error); the partial write could not be rolled back either (\(second)), so the change "
                        + "may or may not have been saved",
                    underlying: error)
            }
            throw error
        }
    }
}
