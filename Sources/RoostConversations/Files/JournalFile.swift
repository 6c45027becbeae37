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

    /// The decoded contents of a file.
    struct Contents {
        var records: [Record] = []
        /// The total size of the complete lines in bytes.
        var length = 0
        /// The numbers of the corrupt lines, counted from 1.
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
            "cannot read \(url.path): line \(line) is corrupt", remedy: .setDamagedAside)
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

    /// Reads the last record from the end of the file, in time that does not depend on the size of the file.
    ///
    /// - Returns: The record and the total size of the complete lines in bytes; `nil` if there is no complete
    ///   line or if the last one is corrupt.
    func last() throws -> (record: Record, length: Int)? {
        let file: FileDescriptor
        do {
            file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW)
        } catch let error as FileError where error.isMissing {
            return nil
        }
        let newline = UInt8(ascii: "\n")
        let size = try file.size()
        // Read the end of the file, in increasing portions until a portion contains a complete line.
        let (initialSize, growth) = (64 << 10, 8)
        for count in sequence(first: initialSize, next: { $0 < size ? $0 * growth : nil }) {
            let start = max(0, size - count)
            let data = try file.read(at: start, count: size - start)
            guard let end = data.lastIndex(of: newline) else { continue }
            let before = data[..<end].lastIndex(of: newline)
            // Without a preceding newline, the line may begin before this portion.
            guard before != nil || start == 0 else { continue }
            let line = data[(before.map { $0 + 1 } ?? data.startIndex)..<end]
            let record = try? ConversationMessage.decoder().decode(Record.self, from: line)
            return record.map { ($0, start + (end - data.startIndex) + 1) }
        }
        return nil
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

    /// Replaces the contents of the file.
    func replace(_ records: [Record]) throws {
        var data = Data()
        for record in records { data += try Self.line(record) }
        // Remove the temporary files of processes that were killed during a replacement.
        try AtomicFile.removeLeftovers(in: url.deletingLastPathComponent(), files: files)
        try AtomicFile.write(data, to: url, files: files)
    }

    /// A change to the file.
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

    /// Removes the file durably: it does not reappear after a power failure.
    func remove() throws {
        try files.unlink(url.path)
        try files.synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Atomically renames the file to the name of another journal's file.
    func rename(to other: JournalFile) throws {
        try files.rename(url.path, to: other.url.path)
        try files.synchronizeFolder(url.deletingLastPathComponent())
    }

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Copies the file to a new name in the same folder, for manual inspection.
    ///
    /// - Returns: The location of the copy.
    func copyAside() throws -> URL {
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let aside = url.deletingLastPathComponent()
            .appendingPathComponent("damaged-\(stamp)-\(url.lastPathComponent)")
        try AtomicFile.copy(url, to: aside, files: files)
        return aside
    }
}
