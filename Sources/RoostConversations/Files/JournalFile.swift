import Foundation
import RoostFiles
import RoostModel

/// One line in the file of a history.
struct JournalRecord: Codable, Sendable {
    /// The scope of the file, in every line, so that damage of one line does not hide it.
    var scope: ChatScope?
    var append: [ConversationMessage]
    /// The size of the window after this save; `nil` if all messages are kept.
    var keep: Int?
}

extension [JournalRecord] {
    var scope: ChatScope? { lazy.compactMap(\.scope).first }

    var history: [ConversationMessage] {
        reduce(into: []) { history, record in
            history += record.append
            if let keep = record.keep { history = ChatRules.trimmed(history, keep) }
        }
    }
}

/// The append-only file of a history: JSON lines, with one record for each save.
///
/// A line is complete when its newline has been written. If a process is killed while it is writing a line,
/// the next write removes the incomplete line. Writers must hold the lock of the ``JournalFolder``.
struct JournalFile: Sendable {
    let url: URL
    let files: FileSystem

    struct Contents {
        var records: [JournalRecord] = []
        /// The total size of the complete lines in bytes.
        var length = 0
        /// The numbers of the corrupt lines, counted from 1.
        var corruptLines: [Int] = []
    }

    /// The maximum size of a line in bytes.
    private static let maximumLineSize = 256 << 20

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
            if let record = try? decoder.decode(JournalRecord.self, from: data[start..<end]) {
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

    func replace(_ records: [JournalRecord]) throws {
        var data = Data()
        for record in records { data += try Self.line(record) }
        // Remove the temporary files of processes that were killed during a replacement.
        try AtomicFile.removeLeftovers(in: url.deletingLastPathComponent(), files: files)
        try AtomicFile.write(data, to: url, files: files)
    }

    private static func line(_ record: JournalRecord) throws -> Data {
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
    func append(_ record: JournalRecord, at length: Int) throws {
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

    /// Returns a description of the damage to a journal with the given contents.
    ///
    /// - Returns: `nil` if all records can be read and their scope is known.
    func damage(_ contents: Contents) -> ConversationDamage<ChatScope>? {
        let scope = contents.records.scope
        guard !contents.corruptLines.isEmpty || scope == nil && !contents.records.isEmpty else { return nil }
        let maximumCount = 5
        let lines = contents.corruptLines.prefix(maximumCount).map(String.init).joined(separator: ", ")
        let more = contents.corruptLines.count > maximumCount ? ", …" : ""
        return ConversationDamage(
            subject: scope, location: lines.isEmpty ? url.path : "\(url.path), line \(lines)\(more)",
            readable: scope == nil ? 0 : contents.records.history.count)
    }
}
