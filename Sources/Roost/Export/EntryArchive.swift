import Foundation
import RoostModel
import RoostVectors

/// The format of exported entries.
///
/// In JSON, an archive is `{"schemaVersion": 1, "space": {…}, "entries": [{…}, …]}`. In JSON Lines, each line
/// is one entry. A header can precede them: the same object without `entries`.
public struct EntryArchive: Sendable {
    /// The encoding of an archive.
    public enum Format: String, Sendable, CaseIterable {
        /// A single JSON object.
        case json
        /// JSON Lines: one entry per line, optionally after a header.
        case jsonl
    }

    /// The format version that this version of Roost writes.
    public static let currentVersion = 1

    /// The place of the entries of an archive.
    enum Contents: Sendable {
        /// The entries are in memory.
        case entries([Entry])
        /// The entries are read from a file.
        case file(File)
    }

    let contents: Contents
    /// The number of entries.
    let count: Int
    /// The embedding space of the vectors; `nil` if the archive does not state it.
    let space: EmbeddingSpace?
    /// Whether entries are rows of a table, which has neither passages nor locations.
    var isTable = false
    /// The entries whose vectors are compared with those of the store's model.
    let sample: VectorSample
    private let firstDefect: Int?

    /// The optional first line of an archive in JSON Lines.
    struct Header: Codable, Sendable {
        var schemaVersion: Int
        var space: EmbeddingSpace?
    }

    /// Parses an archive in either encoding, a plain JSON array of entries, or an ``ExportedTable``. Entries
    /// in JSON can have the forms that another program gave them (``ArchivedEntry``).
    ///
    /// - Parameters:
    ///   - data: The contents of a file.
    ///   - name: The name of the file for error messages.
    ///   - vectors: A NumPy file with the vectors of the rows of a table, in their order.
    ///   - vectorsName: The name of the NumPy file for error messages.
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `CancellationError`.
    init(_ data: Data, name: String, vectors: Data? = nil, vectorsName: String? = nil) throws {
        guard !data.allSatisfy(\.isJSONSpace) else {
            throw RoostError(.badInput, "cannot import \(name): the file is empty")
        }
        let (entries, space): ([Entry], EmbeddingSpace?)
        let hasRows: Bool
        let table = ExportedTable(data, name: name)
        if let table {
            let matrix = try vectors.map { data in
                try NumPyMatrix(data, name: vectorsName ?? "the vectors of \(name)").matrix
            }
            (entries, space, hasRows) = (try Self.rows(of: table, matrix, name), nil, true)
        } else if vectors != nil {
            throw RoostError(.badInput, "cannot import \(name): it is not a table of exported entries")
        } else if let document = EntryDocument(data, name: name) {
            (entries, space, hasRows) = try document.entries()
        } else {
            (entries, space, hasRows) = try Self.parseLines(of: data, name)
        }
        try self.init(entries, space: space, name: name)
        isTable = hasRows
    }

    /// Creates an archive of entries that another reader made, without vectors of a known embedding space.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if the store would reject an entry.
    init(entries: [Entry], name: String) throws { try self.init(entries, space: nil, name: name) }

    private init(_ entries: [Entry], space: EmbeddingSpace?, name: String) throws {
        var check = ArchiveCheck(name: name)
        for entry in entries {
            try Task.checkCancellation()
            try check.add(entry)
        }
        self.init(.entries(entries), check, space: space)
    }

    init(_ contents: Contents, _ check: ArchiveCheck, space: EmbeddingSpace?) {
        (self.contents, self.space, count) = (contents, space, check.count)
        (sample, firstDefect) = (check.sample, check.firstDefect)
    }

    /// Returns the entries of a table, with the vectors of another file.
    private static func rows(of table: ExportedTable, _ rows: Matrix?, _ name: String) throws -> [Entry] {
        var entries = try table.entries()
        guard let rows else { return entries }
        guard rows.rows == entries.count else {
            throw RoostError(
                .badInput,
                "cannot import \(name): it has \(entries.count) entries, but there are \(rows.rows) "
                    + "vectors; nothing was imported")
        }
        for index in entries.indices { entries[index].embeddings = rows.row(index) }
        return entries
    }

    private static func parseLines(
        of data: Data, _ name: String
    ) throws -> ([Entry], EmbeddingSpace?, hasRows: Bool) {
        var reader = EntryLineReader(ByteLines { data.dropFirst($0).prefix($1) }, name: name)
        var entries: [Entry] = []
        while let entry = try reader.next() { entries.append(entry) }
        return (entries, reader.space, reader.hasRows)
    }

    static func checkVersion(_ version: Int, _ name: String) throws {
        guard version >= 1 else { throw invalid(name, "its schemaVersion", "") }
        guard version <= currentVersion else {
            throw RoostError(
                .newerFormat,
                "cannot import \(name): format \(version) is newer than this version of Roost supports "
                    + "(\(currentVersion))", remedy: .upgradeRoost)
        }
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        return decoder
    }

    static func invalid(_ name: String, _ part: String, _ fault: String) -> RoostError {
        let cause = fault.isEmpty || fault.hasSuffix("not an object") ? "" : " (\(fault))"
        return RoostError(
            .badInput,
            "cannot import \(name): \(part) is not in the format of exported entries\(cause); nothing was "
                + "imported")
    }

    /// Checks that all vectors have unit length, as the vectors of a store do.
    ///
    /// - Throws: ``RoostError`` with `.badInput`.
    func requireUnitLength(_ name: String) throws {
        guard let firstDefect else { return }
        throw RoostError(
            .badInput,
            "cannot import \(name): entry \(firstDefect) has a vector that is not of unit length; nothing "
                + "was imported")
    }
}
