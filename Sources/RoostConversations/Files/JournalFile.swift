import Foundation
import RoostFiles
import RoostModel

/// A file of JSON lines that grows at its end: a header, and a record for each change.
///
/// A line counts when it is there with its end: what a killed process left half-written is no line, and is
/// cut off by the next one. Writers of all processes take turns by the lock of the ``JournalFolder``.
struct JournalFile<Record: Codable & Sendable>: Sendable {
    let url: URL
    let files: FileSystem

    /// The name that it has in its folder.
    var digest: String { url.deletingPathExtension().lastPathComponent }

    /// What a file has: its records, and how many bytes of it are whole lines.
    struct Contents {
        var records: [Record] = []
        var length = 0
        /// The numbers of lines that are not as they were written, from 1.
        var badLines: [Int] = []
    }

    /// No record has more bytes.
    static var longestLine: Int { 256 << 20 }

    /// - Returns: no records where there is no file.
    /// - Throws: ``StorageError`` with `.damaged` for a line that is none of ours, `.inputOutput`.
    func read() throws -> Contents {
        let contents = try salvage()
        guard let line = contents.badLines.first else { return contents }
        throw StorageError(
            .damaged,
            "\(url.path), line \(line), is not as it was written; setDamagedAside() moves the file "
                + "out of the way, and goes on with its other lines")
    }

    /// What can be read of the file.
    ///
    /// - Throws: ``StorageError`` with `.inputOutput`.
    func salvage() throws -> Contents {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW)
            return Self.parse(try file.read(at: 0, count: try file.size()))
        } catch let error as FileError where error.isMissing {
            return Contents()
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    /// The last record, read from the file's end, and how many bytes of the file are whole lines.
    ///
    /// - Returns: `nil` where there is no such line, or one that cannot be read.
    func last() throws -> (record: Record, length: Int)? {
        let file: FileDescriptor
        do { file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW) } catch let error as FileError
            where error.isMissing
        { return nil }
        let newline = UInt8(ascii: "\n")
        let size = try file.size()
        for width in sequence(first: 64 << 10, next: { $0 < size ? $0 * 8 : nil }) {
            let start = max(0, size - width)
            let data = try file.read(at: start, count: size - start)
            guard let end = data.lastIndex(of: newline) else { continue }
            let before = data[..<end].lastIndex(of: newline)
            // Without a line before it, its beginning may lie before what was read.
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
                contents.badLines.append(number)
            }
            start = data.index(after: end)
            contents.length = start - data.startIndex
        }
        // The first line is never half-written: without it the file is not as it was written.
        if contents.length == 0, !data.isEmpty { contents.badLines = [1] }
        return contents
    }

    /// Changes the file: `body` is given what it has and returns the record to add, or all records that it
    /// shall have from now on. The caller holds the folder's lock.
    ///
    /// - Throws: as ``read()``; what `body` throws; ``FileError``. The file is as it was then.
    func change(_ body: (Contents) throws -> Change?) throws {
        let contents = try read()
        switch try body(contents) {
        case nil: return
        case .add(let record): try append(record, contents.length)
        case .replace(let records): try replace(records)
        }
    }

    /// Writes the file anew, whatever it has.
    func replace(_ records: [Record]) throws {
        var data = Data()
        for record in records { data += try Self.line(record) }
        // What processes left that were killed here.
        try AtomicFile.removeLeftovers(in: url.deletingLastPathComponent(), files: files)
        try AtomicFile.write(data, to: url, files: files)
    }

    enum Change: Sendable {
        case add(Record)
        case replace([Record])
    }

    private static func line(_ record: Record) throws -> Data {
        let data = try ConversationMessage.encoder().encode(record) + Data("\n".utf8)
        guard data.count <= longestLine else {
            throw StorageError(.invalidBatch, "what is to be saved is larger than \(longestLine >> 20) MB")
        }
        return data
    }

    /// Adds a record after so many bytes: what comes after them is the half line of a process that died.
    func append(_ record: Record, _ length: Int) throws {
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
            // Nobody was told that it is there, and a reader must not find it.
            do {
                try file.truncate(to: length)
                try file.synchronize()
            } catch let second {
                throw StorageError(
                    .inputOutput,
                    "\(error); nor could what was written be taken back (\(second)), so that it may or may "
                        + "not be found",
                    underlying: error)
            }
            throw error
        }
    }

    /// Removes the file, so that it stays away after a loss of power.
    func remove() throws {
        try files.unlink(url.path)
        try files.synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Gives the file the name of another journal, in one step.
    func rename(to other: JournalFile) throws {
        try files.rename(url.path, to: other.url.path)
        try files.synchronizeFolder(url.deletingLastPathComponent())
    }

    var exists: Bool { FileManager.default.fileExists(atPath: url.path) }

    /// Keeps the file as it is under another name, for people.
    ///
    /// - Returns: where the copy is.
    func copyAside() throws -> URL {
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let aside = url.deletingLastPathComponent()
            .appendingPathComponent("damaged-\(stamp)-\(url.lastPathComponent)")
        try AtomicFile.copy(url, to: aside, files: files)
        return aside
    }
}
