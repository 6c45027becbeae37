package import Foundation
import RoostFiles
import RoostModel

extension EntryArchive {
    /// A file with an archive in JSON Lines, or with the CSV or TSV of exported entries. It stays open, so
    /// that the imported entries are those that were checked even if another file replaces it.
    struct File: Sendable {
        let file: FileDescriptor
        let name: String
        private let status: FileStatus?

        init(_ file: FileDescriptor, name: String) {
            (self.file, self.name) = (file, name)
            status = Self.status(of: file)
        }

        private static func status(of file: FileDescriptor) -> FileStatus? {
            var status = stat()
            return fstat(file.raw, &status) == 0 ? FileStatus(status) : nil
        }

        /// Whether the contents are those that the file had when it was opened.
        var isUnchanged: Bool {
            let present = Self.status(of: file)
            return present?.size == status?.size && present?.modified == status?.modified
        }

        private var read: ByteLines.Read { { [file] in try file.read(at: $0, count: $1) } }

        /// The table of exported entries; `nil` if the file contains none.
        var table: ExportedTable? { ExportedTable(name: name, read) }

        /// Returns a reader of the entries.
        ///
        /// - Parameter progress: Receives the share of the file that is read, from 0 to 1. A table is read
        ///   twice, at first to detect the form of its cells.
        func reader(_ progress: ((_ fraction: Double) -> Void)? = nil) throws -> any EntryReader {
            let size = Double(max(1, status?.size ?? 1))
            var bytes = 0
            var passes = 1.0
            let counted: ByteLines.Read = { [read] offset, count in
                let data = try read(offset, count)
                bytes += data.count
                progress?(min(1, Double(bytes) / (passes * size)))
                return data
            }
            guard let table = ExportedTable(name: name, counted) else {
                bytes = 0
                return EntryLineReader(ByteLines(counted), name: name)
            }
            (bytes, passes) = (0, 2)
            return try table.reader()
        }
    }

    /// The number of bytes in which the first line of a file must end.
    private static let prefixSize = 1 << 20

    private struct Members: Decodable {
        var hasEntries: Bool

        private enum CodingKeys: String, CodingKey { case entries }

        init(from decoder: any Decoder) throws {
            hasEntries = try decoder.container(keyedBy: CodingKeys.self).contains(.entries)
        }
    }

    /// Checks an archive in JSON Lines, or the CSV or TSV of exported entries. The file is read in pieces,
    /// now and when the entries are imported.
    ///
    /// - Parameters:
    ///   - url: A file.
    ///   - name: The name of the file for error messages.
    ///   - progress: Receives the share of the file that is checked, from 0 to 1.
    /// - Returns: `nil` if the file is not a regular file, or does not begin with an entry or a header.
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `StorageError`; `CancellationError`.
    package init?(
        contentsOf url: URL, name: String, progress: ((_ fraction: Double) -> Void)? = nil
    ) throws {
        var status = stat()
        guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = try? FileDescriptor(url.path, O_RDONLY)
        else { return nil }
        let contents = File(file, name: name)
        let isTable = contents.table != nil
        let (check, space, hasRows) = try StorageError.mappingFileErrors {
            guard try isTable || Self.hasLines(try file.read(at: 0, count: Self.prefixSize), name: name)
            else {
                return (nil as ArchiveCheck?, nil as EmbeddingSpace?, false)
            }
            var check = ArchiveCheck(name: name)
            var reader = try contents.reader(progress)
            while let entry = try reader.next() { try check.add(entry) }
            return (check, reader.space, reader.hasRows)
        }
        guard let check else { return nil }
        self.init(.file(contents), check, space: space)
        self.isTable = hasRows
    }

    /// Returns whether the first line of a file is an entry or a header. A file whose first line is a whole
    /// archive, or a row with vectors of another program, is not in JSON Lines.
    private static func hasLines(_ prefix: Data, name: String) -> Bool {
        let isCut = prefix.count == prefixSize
        let lines = prefix.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let complete = isCut ? lines.dropLast() : lines[...]
        guard let line = complete.first(where: { !$0.allSatisfy(\.isJSONSpace) }),
            let members = try? decoder().decode(Members.self, from: line), !members.hasEntries,
            (try? decoder().decode(Header.self, from: line)) != nil
                || (try? decoder().decode(ArchivedEntry.self, from: line)) != nil
        else { return false }
        return VectorText(prefix, name: name) == nil && !MemoryGraph.isPresent(in: prefix)
    }

    /// Reads the entries of an archive in batches.
    struct BatchReader {
        private let archive: EntryArchive
        private var reader: (any EntryReader)?
        private var done = 0

        init(_ archive: EntryArchive) { self.archive = archive }

        /// Returns the next entries; none after the last one.
        ///
        /// - Throws: ``RoostError`` with `.badInput` if the file was changed after it was checked;
        ///   `StorageError`; `CancellationError`.
        mutating func next(_ limit: Int) throws -> [Entry] {
            let count = min(limit, archive.count - done)
            var entries: [Entry] = []
            switch archive.contents {
            case .entries(let all): entries = Array(all[done..<(done + count)])
            case .file(let file):
                do {
                    var reader = try reader ?? file.reader()
                    while entries.count < count, let entry = try reader.next() { entries.append(entry) }
                    self.reader = reader
                } catch let error as FileError {
                    throw StorageError(error)
                } catch is RoostError {
                    throw wasChanged(file.name)
                }
                // Other entries have not been checked. A change before or during the reading is found.
                guard entries.count == count, file.isUnchanged else { throw wasChanged(file.name) }
            }
            done += count
            return entries
        }

        private func wasChanged(_ name: String) -> RoostError {
            RoostError(
                .badInput,
                "cannot import \(name): the file was changed while it was read; the first "
                    + (done == 1 ? "entry is" : "\(done) entries are")
                    + " in the store. Import the file again")
        }
    }
}
