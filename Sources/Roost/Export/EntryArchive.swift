package import Foundation
import RoostFiles
package import RoostModel
import RoostStorage
import RoostText

/// Exported entries in JSON Lines or CSV.
///
/// In JSON Lines, each line is one entry. If the entries have vectors, a header precedes them, which states
/// the format and the embedding space: `{"schemaVersion": 1, "space": {…}}`. An ``ExportedTable`` is CSV.
///
/// The entries are read in pieces: when the archive is created, to check all of them, and when they are
/// imported. Only their ids are kept in memory.
package struct EntryArchive: Sendable {
    static let currentVersion = 1

    struct Header: Codable, Sendable {
        var schemaVersion: Int
        var space: EmbeddingSpace?
    }

    fileprivate struct Input: Sendable {
        var name: String
        var read: ByteLines.Read
        /// Whether the bytes are those that were checked.
        var isUnchanged: @Sendable () -> Bool
    }

    private let input: Input
    let count: Int
    /// The embedding space of the vectors; `nil` if the archive states none.
    let space: EmbeddingSpace?
    /// Whether the entries are rows of CSV, which have neither passages nor locations.
    let isTable: Bool

    package init(_ data: Data, name: String) throws {
        try self.init(
            Input(name: name, read: { data.dropFirst($0).prefix($1) }, isUnchanged: { true }))
    }

    /// Checks an archive in a regular file. The file stays open, so that the imported entries are those that
    /// were checked even if another file replaces it.
    package init(contentsOf url: URL, name: String) throws {
        let file = try StorageError.mappingFileErrors { try FileDescriptor(url.path, O_RDONLY) }
        let first = try? FileStatus(file.status())
        try self.init(
            Input(name: name, read: { try file.read(at: $0, count: $1) }) {
                let present = try? FileStatus(file.status())
                return present?.size == first?.size && present?.modified == first?.modified
            })
    }

    private init(_ input: Input) throws {
        self.input = input
        var entries = try Entries(input)
        var check = ArchiveCheck(name: input.name)
        while let entry = try StorageError.mappingFileErrors({ try entries.next() }) {
            try Task.checkCancellation()
            try check.add(entry)
        }
        (count, space, isTable) = (check.count, entries.space, entries.isTable)
        guard count > 0 || space != nil || isTable else {
            throw RoostError(.badInput, "cannot import \(input.name): the file is empty")
        }
    }

    struct Entries {
        private var table: ExportedTable?
        private var lines: EntryLineReader

        fileprivate init(_ input: Input) throws {
            table = ExportedTable(name: input.name, input.read)
            lines = EntryLineReader(ByteLines(input.read), name: input.name)
        }

        var isTable: Bool { table != nil }
        var space: EmbeddingSpace? { lines.space }

        mutating func next() throws -> Entry? { isTable ? try table?.next() : try lines.next() }
    }

    func entries() throws -> Entries { try Entries(input) }

    /// Returns the next entries of the archive, of which some have been imported.
    func next(_ limit: Int, of entries: inout Entries, after done: Int) throws -> [Entry] {
        func wasChanged() -> RoostError {
            RoostError(
                .badInput,
                "cannot import \(input.name): the file was changed while it was read; the first "
                    + (done == 1 ? "entry is" : "\(done) entries are")
                    + " in the store. Import the file again")
        }
        let count = min(limit, self.count - done)
        var found: [Entry] = []
        do {
            while found.count < count, let entry = try entries.next() { found.append(entry) }
        } catch let error as FileError {
            throw StorageError(error)
        } catch is RoostError {
            throw wasChanged()
        }
        // Other entries have not been checked. A change before or during the reading is found.
        guard found.count == count, input.isUnchanged() else { throw wasChanged() }
        return found
    }
}

/// Checks entries one after another, so that a faulty archive is not partly imported.
struct ArchiveCheck {
    private let name: String
    private var seen: Set<Entry.ID> = []

    init(name: String) { self.name = name }

    var count: Int { seen.count }

    mutating func add(_ entry: Entry) throws {
        let number = count + 1
        func invalid(_ fault: String) -> RoostError {
            RoostError(.badInput, "cannot import \(name): entry \(number)\(fault); nothing was imported")
        }
        do {
            try WriteBatch(upserts: [entry]).validate()
        } catch let error as StorageError {
            throw invalid(": \(error.message)")
        }
        if let (position, defect) = entry.passageDefects().first {
            throw invalid(", passage \(position), \(defect)")
        }
        guard seen.insert(entry.id).inserted else {
            let key = entry.key.map { " (with the id '\($0)' in its source)" } ?? ""
            throw RoostError(
                .badInput,
                "cannot import \(name): it contains entry \(entry.id.text) twice\(key); nothing was imported")
        }
    }
}

/// Reads exported entries in JSON Lines, one after another.
struct EntryLineReader {
    private var lines: ByteLines
    private let name: String
    private let decoder = JSONDecoder()
    private var isFirst = true
    /// The embedding space that the header states; `nil` before the first entry, or without a header.
    private(set) var space: EmbeddingSpace?

    init(_ lines: ByteLines, name: String) { (self.lines, self.name) = (lines, name) }

    mutating func next() throws -> Entry? {
        while let line = try lines.next() {
            if line.allSatisfy(\.isJSONSpace) { continue }
            if isFirst, let header = try? decoder.decode(EntryArchive.Header.self, from: line) {
                isFirst = false
                try checkVersion(header.schemaVersion)
                space = header.space
                continue
            }
            isFirst = false
            do {
                return try decoder.decode(Entry.self, from: line)
            } catch {
                let fault = JSONFault.description(of: line, fallback: Self.reason(for: error))
                throw RoostError(
                    .badInput,
                    "cannot import \(name): line \(lines.number) is not in the format of exported entries "
                        + "(\(fault)); nothing was imported")
            }
        }
        return nil
    }

    private static func reason(for error: any Error) -> String {
        guard case .dataCorrupted(let context) = error as? DecodingError else { return "it is not an entry" }
        return context.debugDescription
    }

    private func checkVersion(_ version: Int) throws {
        guard version >= 1 else {
            throw RoostError(.badInput, "cannot import \(name): its schemaVersion is invalid")
        }
        guard version <= EntryArchive.currentVersion else {
            throw RoostError(
                .newerFormat,
                "cannot import \(name): format \(version) is newer than this version of Roost supports "
                    + "(\(EntryArchive.currentVersion))", remedy: .upgradeRoost)
        }
    }
}

extension EntryArchive {
    /// Returns the first line of an archive; empty without vectors.
    package static func header(of space: EmbeddingSpace, withEmbeddings: Bool) throws -> Data {
        guard withEmbeddings else { return Data() }
        let header = Header(schemaVersion: currentVersion, space: space)
        return try JSONTextEncoder().encode(header) + Data("\n".utf8)
    }

    /// Returns entries as lines. A page with vectors takes many milliseconds, so it is not encoded on the actor
    /// of the caller, which can be the main actor.
    @concurrent
    package static func lines(of entries: [Entry], withEmbeddings: Bool) async throws -> Data {
        var text: [UInt8] = []
        for var entry in entries {
            if !withEmbeddings {
                entry.embeddings = []
                for index in entry.passages.indices { entry.passages[index].vector = [] }
            }
            text += try JSONTextEncoder().text(of: entry)
            text.append(UInt8(ascii: "\n"))
        }
        return Data(text)
    }
}

/// Splits bytes, which are read in pieces, into lines. At most one piece and one line are in memory.
struct ByteLines {
    /// Returns the bytes at an offset, or fewer than requested if they end before.
    typealias Read = @Sendable (_ offset: Int, _ count: Int) throws -> Data

    private let read: Read
    private var buffer: [UInt8] = []
    /// The index in the buffer at which the next line begins, and the index from which its end is searched.
    private var (start, searched) = (0, 0)
    private var offset = 0
    private var isAtEnd = false
    private(set) var number = 0

    private static let pieceSize = 1 << 20

    init(_ read: @escaping Read) { self.read = read }

    /// Returns the next line without its line feed; `nil` after the last one.
    mutating func next() throws -> Data? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return line(to: end)
            }
            if isAtEnd { return start < buffer.count ? line(to: buffer.count) : nil }
            buffer.removeSubrange(..<start)
            (start, searched) = (0, buffer.count)
            let piece = try read(offset, Self.pieceSize)
            offset += piece.count
            isAtEnd = piece.isEmpty
            buffer += piece
        }
    }

    private mutating func line(to end: Int) -> Data {
        let line = Data(buffer[start..<end])
        start = min(end + 1, buffer.count)
        searched = start
        number += 1
        return line
    }
}
