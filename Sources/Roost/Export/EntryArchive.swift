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

    /// The entries of an archive.
    let entries: [Entry]
    /// The embedding space of the vectors; `nil` if the archive does not state it.
    let space: EmbeddingSpace?
    /// Whether the entries are rows of a table, which has neither passages nor locations.
    private(set) var isTable = false

    /// The optional first line of an archive in JSON Lines.
    struct Header: Codable, Sendable {
        var schemaVersion: Int
        var space: EmbeddingSpace?
    }

    private struct Version: Decodable, Sendable {
        var schemaVersion: Int
    }

    private struct Document: Decodable, Sendable {
        var schemaVersion: Int
        var space: EmbeddingSpace?
        var entries: [Entry]
    }

    /// Parses an archive in either encoding, a plain JSON array of entries, or an ``ExportedTable``.
    ///
    /// - Parameters:
    ///   - data: The contents of a file.
    ///   - name: The name of the file for error messages.
    ///   - vectors: A NumPy file with the vectors of the rows of a table, in their order.
    ///   - vectorsName: The name of the NumPy file for error messages.
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `CancellationError`.
    init(_ data: Data, name: String, vectors: Data? = nil, vectorsName: String? = nil) throws {
        guard !data.allSatisfy({ [9, 10, 13, 32].contains($0) }) else {
            throw RoostError(.badInput, "cannot import \(name): the file is empty")
        }
        let decoder = Self.decoder()
        if let table = ExportedTable(data, name: name) {
            let matrix = try vectors.map { data in
                try NumPyMatrix(data, name: vectorsName ?? "the vectors of \(name)").matrix
            }
            (entries, space, isTable) = (try Self.rows(of: table, matrix, name), nil, true)
        } else if vectors != nil {
            throw RoostError(.badInput, "cannot import \(name): it is not a table of exported entries")
        } else if let document = try? decoder.decode(Document.self, from: data) {
            try Self.checkVersion(document.schemaVersion, name)
            (entries, space) = (document.entries, document.space)
        } else if let array = try? decoder.decode([Entry].self, from: data) {
            (entries, space) = (array, nil)
        } else if let prefix = ReadablePrefix(data) {
            if let version = try? decoder.decode(Version.self, from: data) {
                try Self.checkVersion(version.schemaVersion, name)
            }
            throw Self.invalid(
                name, prefix.isComplete ? "its header" : "entry \(prefix.count + 1)",
                JSONFault.description(of: data, fallback: ""))
        } else {
            (entries, space) = try Self.parseLines(of: data, name)
        }
        try Self.validate(entries, name)
    }

    /// Creates an archive of entries that another reader made, without vectors of a known embedding space.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if the store would reject an entry.
    init(entries: [Entry], name: String) throws {
        (self.entries, space) = (entries, nil)
        try Self.validate(entries, name)
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

    private static func parseLines(of data: Data, _ name: String) throws -> ([Entry], EmbeddingSpace?) {
        let decoder = Self.decoder()
        var (entries, space): ([Entry], EmbeddingSpace?) = ([], nil)
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var isFirst = true
        for (index, line) in lines.enumerated() where !line.allSatisfy({ [9, 13, 32].contains($0) }) {
            try Task.checkCancellation()
            if isFirst, let header = try? decoder.decode(Header.self, from: line) {
                try checkVersion(header.schemaVersion, name)
                space = header.space
            } else if let entry = try? decoder.decode(Entry.self, from: line) {
                entries.append(entry)
            } else {
                throw invalid(
                    name, "line \(index + 1)", JSONFault.description(of: line, fallback: ""))
            }
            isFirst = false
        }
        return (entries, space)
    }

    private static func checkVersion(_ version: Int, _ name: String) throws {
        guard version >= 1 else { throw invalid(name, "its schemaVersion", "") }
        guard version <= currentVersion else {
            throw RoostError(
                .newerFormat,
                "cannot import \(name): format \(version) is newer than this version of Roost supports "
                    + "(\(currentVersion))", remedy: .upgradeRoost)
        }
    }

    fileprivate static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.userInfo[.rejectsInvalidCounts] = true
        return decoder
    }

    private static func invalid(_ name: String, _ part: String, _ fault: String) -> RoostError {
        let cause = fault.isEmpty || fault.hasSuffix("not an object") ? "" : " (\(fault))"
        return RoostError(
            .badInput,
            "cannot import \(name): \(part) is not in the format of exported entries\(cause); nothing was "
                + "imported")
    }

    /// Throws an error if the storage would reject an entry, or if the inspection of a store would report it,
    /// so that a faulty archive is not partly imported.
    private static func validate(_ entries: [Entry], _ name: String) throws {
        for (index, entry) in entries.enumerated() {
            func invalid(_ fault: String) -> RoostError {
                RoostError(
                    .badInput, "cannot import \(name): entry \(index + 1)\(fault); nothing was imported")
            }
            do {
                try WriteBatch(upserts: [entry]).validate()
            } catch let error as StorageError {
                throw invalid(": \(error.message)")
            }
            if let (position, defect) = entry.passageDefects().first {
                throw invalid(", passage \(position), \(defect.predicate)")
            }
        }
        var seen = Set<Entry.ID>()
        if let duplicate = entries.first(where: { !seen.insert($0.id).inserted }) {
            throw RoostError(
                .badInput,
                "cannot import \(name): it contains entry \(duplicate.id.text) twice; nothing was imported")
        }
    }

    /// Checks that all vectors have unit length, as the vectors of a store do.
    ///
    /// - Throws: ``RoostError`` with `.badInput`.
    func requireUnitLength(_ name: String) throws {
        for (index, entry) in entries.enumerated()
        where ([entry.embeddings] + entry.passages.map(\.vector)).contains(where: {
            VectorDefect(of: $0) != nil
        }) {
            throw RoostError(
                .badInput,
                "cannot import \(name): entry \(index + 1) has a vector that is not of unit length; nothing "
                    + "was imported")
        }
    }
}

/// The entries of a JSON archive that precede the first invalid one.
private struct ReadablePrefix {
    /// The number of valid entries.
    var count: Int
    /// Whether all entries are valid.
    var isComplete: Bool

    private struct Entries: Decodable {
        var count = 0
        var isComplete: Bool

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd, (try? list.decode(Entry.self)) != nil { count += 1 }
            isComplete = list.isAtEnd
        }
    }

    private struct Document: Decodable {
        var entries: Entries
    }

    /// Returns `nil` if the data is neither a JSON archive nor a JSON array.
    init?(_ data: Data) {
        let entries =
            (try? EntryArchive.decoder().decode(Entries.self, from: data))
            ?? (try? EntryArchive.decoder().decode(Document.self, from: data).entries)
        guard let entries else { return nil }
        (count, isComplete) = (entries.count, entries.isComplete)
    }
}
