import Foundation
import RoostFiles
import RoostModel

/// A file of JSON lines that grows at its end: a header, and a record for each change.
///
/// A line counts when it is there with its end: what a killed process left half-written is no line, and is
/// cut off by the next one. Writers of all processes take turns by a lock beside the files.
struct JournalFile<Record: Codable & Sendable>: Sendable {
    let url: URL
    let lock: URL

    /// What a file has: its records, and how many bytes of it are whole lines.
    struct Contents {
        var records: [Record] = []
        var length = 0
    }

    /// No record has more bytes.
    static var longestLine: Int { 256 << 20 }

    /// - Returns: no records where there is no file.
    /// - Throws: ``StorageError`` with `.damaged` for a line that is none of ours, `.inputOutput`.
    func read() throws -> Contents {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW)
            let data = try file.read(at: 0, count: try file.size())
            return try Self.parse(data, url.path)
        } catch let error as FileError where error.isMissing {
            return Contents()
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    private static func parse(_ data: Data, _ path: String) throws -> Contents {
        var contents = Contents()
        let decoder = ConversationMessage.decoder()
        var start = data.startIndex
        var number = 0
        while let end = data[start...].firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            guard let record = try? decoder.decode(Record.self, from: data[start..<end]) else {
                throw StorageError(.damaged, "\(path), line \(number), is not as it was written")
            }
            contents.records.append(record)
            start = data.index(after: end)
            contents.length = start - data.startIndex
        }
        return contents
    }

    /// Changes the file under the lock: `body` is given what it has and returns the record to add, or all
    /// records that it shall have from now on.
    ///
    /// - Throws: as ``read()``; `.locked`; what `body` throws. The file is as it was then.
    func change(_ body: @escaping @Sendable ([Record]) throws -> Change?) async throws {
        try await BlockingWork.run { isCancelled in
            do {
                try FileSystem.standard.createFolder(url.deletingLastPathComponent())
                let held = try FileLock.acquire(lock, timeout: 30, isCancelled: isCancelled)
                defer { held.release() }
                let contents = try read()
                let change = try body(contents.records)
                if isCancelled() { throw CancellationError() }
                switch change {
                case nil: return
                case .add(let record): try append(record, contents.length)
                case .replace(let records):
                    var data = Data()
                    for record in records { data += try Self.line(record) }
                    // What processes left that were killed here.
                    try AtomicFile.removeLeftovers(in: url.deletingLastPathComponent())
                    try AtomicFile.write(data, to: url)
                }
            } catch let error as FileError {
                throw StorageError(.inputOutput, error.description, underlying: error)
            } catch let error as LockTimeout {
                throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
            }
        }
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

    private func append(_ record: Record, _ length: Int) throws {
        let line = try Self.line(record)
        guard length > 0 else { return try AtomicFile.write(line, to: url) }
        let file = try FileDescriptor(url.path, O_RDWR)
        // The half line of a process that died.
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

    /// Moves a file that cannot be read out of the way, for people.
    ///
    /// - Returns: where it is now.
    func setAside() throws -> URL {
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let aside = url.deletingLastPathComponent()
            .appendingPathComponent("damaged-\(stamp)-\(url.lastPathComponent)")
        do {
            try FileSystem.standard.rename(url.path, to: aside.path)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
        return aside
    }
}

/// A folder of journals, each named by a digest.
enum JournalFolder {
    /// The names of the journals in it, in their order; none where there is no folder.
    ///
    /// - Throws: ``StorageError`` with `.inputOutput` where it cannot be listed, which is not the same as
    ///   empty.
    static func names(in directory: URL) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory.path)
                .filter { $0.hasSuffix(".jsonl") && $0.utf8.count == 64 + 6 }.sorted()
        } catch let error as CocoaError
            where [.fileReadNoSuchFile, .fileNoSuchFile].contains(error.code)
        {
            return []
        } catch {
            throw StorageError(
                .inputOutput, "the folder \(directory.path) cannot be listed", underlying: error)
        }
    }
}
