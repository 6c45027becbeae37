public import Foundation
public import RoostModel

/// Entries as a document: what `roost export entries` writes and `roost import` reads.
///
/// JSON: `{"schemaVersion": 1, "space": {…}, "entries": [{…}, …]}`. JSON Lines: the same without `entries`
/// on the first line, then one entry a line.
public struct EntryArchive: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case json, jsonl
    }

    public static let currentVersion = 1

    struct Head: Codable, Sendable {
        var schemaVersion: Int
        var space: EmbeddingSpace?
    }

    struct Version: Decodable, Sendable {
        var schemaVersion: Int
    }

    struct Whole: Decodable, Sendable {
        var schemaVersion: Int
        var space: EmbeddingSpace?
        var entries: [Entry]
    }
}

/// What an import did.
public struct ImportReport: Sendable, Hashable, Encodable {
    public var new = 0
    public var updated = 0
    public var unchanged = 0
    /// How many were embedded because the file had no vectors of the store's space.
    public var embedded = 0

    public init() {}
}

extension KnowledgeStore {
    /// Writes all entries of one revision.
    ///
    /// - Parameter write: takes the bytes, piece by piece.
    public func exportEntries(
        _ format: EntryArchive.Format, withEmbeddings: Bool, filter: EntryFilter = .all,
        to write: (Data) throws -> Void
    ) async throws {
        let snapshot = try await storage.snapshot()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsVectors] = !withEmbeddings
        let head = EntryArchive.Head(
            schemaVersion: EntryArchive.currentVersion, space: withEmbeddings ? embedder.space : nil)
        var first = try encoder.encode(head)
        switch format {
        case .jsonl: first.append(UInt8(ascii: "\n"))
        case .json:
            first.removeLast()
            first += Data(",\"entries\":[\n".utf8)
        }
        try write(first)
        var row: UInt32?
        var isFirst = true
        repeat {
            try Task.checkCancellation()
            let page = try await snapshot.entries(after: row, limit: 500, matching: filter)
            var bytes = Data()
            for entry in page.entries {
                if format == .json, !isFirst { bytes += Data(",\n".utf8) }
                isFirst = false
                bytes += try encoder.encode(entry)
                if format == .jsonl { bytes.append(UInt8(ascii: "\n")) }
            }
            try write(bytes)
            row = page.next
        } while row != nil
        if format == .json { try write(Data("\n]}\n".utf8)) }
    }

    /// Reads what `exportEntries` wrote, or a bare JSON array of entries. Ids, dates, metadata and tags are
    /// taken over; vectors only where the file says that they are of the store's space, else texts are
    /// embedded again. What is new is put into the nearest cluster, if it is near enough, as an ingest does.
    ///
    /// Committed every few hundred entries: what was committed before a cancellation stays, and the same
    /// import goes on from there.
    /// - Parameter progress: told after each commit how many of the file's entries are in the store, and how
    ///   many there are.
    /// - Throws: ``RoostError`` with `.badInput`: nothing was taken in then; `CancellationError`.
    public func importEntries(
        _ data: Data, name: String, progress: (@Sendable (Int, Int) -> Void)? = nil
    ) async throws -> ImportReport {
        let (entries, space) = try Self.parse(data, name)
        var report = ImportReport()
        let isOurs = space.map(embedder.space.isCompatible) ?? false
        if isOurs { try checkLengths(entries, name) }
        var placing = IngestPlacing()
        for start in stride(from: 0, to: entries.count, by: 256) {
            try Task.checkCancellation()
            let piece = Array(entries[start..<min(entries.count, start + 256)])
            for attempt in 1... {
                var next = report
                let batch = try await importBatch(piece, isOurs: isOurs, &next, &placing)
                do {
                    placing.committed(batch, at: try await storage.commit(batch))
                    report = next
                    progress?(start + piece.count, entries.count)
                    break
                } catch let error as StorageError where error.code == .conflict && attempt < 20 {
                    continue
                }
            }
        }
        return report
    }

    /// Refuses a file that an import could not take in.
    ///
    /// - Throws: ``RoostError`` with `.badInput`, `.newerFormat`.
    public static func checkImport(_ data: Data, name: String) throws { _ = try parse(data, name) }

    private func checkLengths(_ entries: [Entry], _ name: String) throws {
        // What is stored has unit length, whatever the model gives.
        func isUnit(_ vector: [Float]) -> Bool {
            let square = vector.reduce(0) { $0 + Double($1) * Double($1) }
            return square == 0 || abs(square - 1) <= 0.01
        }
        for (index, entry) in entries.enumerated()
        where !isUnit(entry.embeddings) || !entry.passages.allSatisfy({ isUnit($0.vector) }) {
            throw RoostError(
                .badInput,
                "\(name), entry \(index + 1): a vector that is not of unit length, as those of "
                    + "a store are; nothing was taken in")
        }
    }

    private func importBatch(
        _ piece: [Entry], isOurs: Bool, _ report: inout ImportReport, _ placing: inout IngestPlacing
    ) async throws -> WriteBatch {
        let snapshot = try await storage.snapshot()
        let ids = piece.map(\.id)
        let stored = Dictionary(try await snapshot.entries(ids).map { ($0.id, $0) }) { first, _ in first }
        var expected = try await snapshot.revisions(of: ids)
        for id in ids where expected[id] == nil { expected[id] = .zero }
        var upserts: [Entry] = []
        var toEmbed: [Entry] = []
        for var entry in piece {
            let old = stored[entry.id]
            if isOurs, entry.embeddings.count == embedder.space.dimension {
                upserts.append(entry)
            } else {
                entry.embeddings = []
                entry.passages = []
                if let old, old.content.utf8.elementsEqual(entry.content.utf8) {
                    entry.embeddings = old.embeddings
                    entry.passages = old.passages
                    upserts.append(entry)
                } else {
                    toEmbed.append(entry)
                }
            }
            if old == nil {
                report.new += 1
            } else if old == entry {
                report.unchanged += 1
            } else {
                report.updated += 1
            }
        }
        if !toEmbed.isEmpty {
            var ingest = IngestReport()
            upserts += try await embedded(toEmbed, known: [:], &ingest)
            report.embedded += toEmbed.count
        }
        // In the order of the file, so that an export of the import is the file again.
        let order = Dictionary(piece.enumerated().map { ($1.id, $0) }) { first, _ in first }
        upserts.sort { order[$0.id] ?? 0 < order[$1.id] ?? 0 }
        var batch = WriteBatch(upserts: upserts, expecting: .init(entries: expected))
        let moved = upserts.filter { stored[$0.id]?.embeddings != $0.embeddings }
        try await placing.place(Set(moved.map(\.id)), in: &batch, snapshot)
        return batch
    }

    /// How many entries of a document, or of a bare array, can be read before one cannot; `nil` where it is
    /// neither.
    private static func countOfEntries(before data: Data) -> (entries: Int, isWhole: Bool)? {
        struct Bare: Decodable {
            var count = 0
            var isWhole: Bool
            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                while !list.isAtEnd, (try? list.decode(Entry.self)) != nil { count += 1 }
                isWhole = list.isAtEnd
            }
        }
        struct Document: Decodable { var entries: Bare }
        let bare =
            (try? JSONDecoder().decode(Bare.self, from: data))
            ?? (try? JSONDecoder().decode(Document.self, from: data).entries)
        return bare.map { ($0.count, $0.isWhole) }
    }

    private static func parse(_ data: Data, _ name: String) throws -> ([Entry], EmbeddingSpace?) {
        let decoder = JSONDecoder()
        func check(_ version: Int) throws {
            guard version <= EntryArchive.currentVersion else {
                throw RoostError(
                    .newerFormat, "\(name) was written by a newer version of Roost; update Roost to read it")
            }
        }
        func refusal(_ place: String) -> RoostError {
            RoostError(
                .badInput,
                "\(name), \(place): not an entry as `roost export entries` writes it; nothing was taken in")
        }
        guard !data.allSatisfy({ [9, 10, 13, 32].contains($0) }) else {
            throw RoostError(.badInput, "\(name) is empty; nothing was taken in")
        }
        var entries: [Entry]
        var space: EmbeddingSpace?
        if let whole = try? decoder.decode(EntryArchive.Whole.self, from: data) {
            try check(whole.schemaVersion)
            (entries, space) = (whole.entries, whole.space)
        } else if let bare = try? decoder.decode([Entry].self, from: data) {
            entries = bare
        } else if let count = Self.countOfEntries(before: data) {
            if let head = try? decoder.decode(EntryArchive.Version.self, from: data) {
                try check(head.schemaVersion)
            }
            throw refusal(count.isWhole ? "its head" : "entry \(count.entries + 1)")
        } else {
            entries = []
            let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            var isFirst = true
            for (index, line) in lines.enumerated() where !line.allSatisfy({ [9, 13, 32].contains($0) }) {
                if isFirst, let head = try? decoder.decode(EntryArchive.Head.self, from: line) {
                    try check(head.schemaVersion)
                    space = head.space
                } else if let entry = try? decoder.decode(Entry.self, from: line) {
                    entries.append(entry)
                } else {
                    throw refusal("line \(index + 1)")
                }
                isFirst = false
            }
        }
        for (index, entry) in entries.enumerated() {
            do {
                try WriteBatch(upserts: [entry]).validate()
            } catch let error as StorageError {
                throw RoostError(
                    .badInput, "\(name), entry \(index + 1): \(error.message); nothing was taken in")
            }
        }
        var seen = Set<UUID>()
        if let twice = entries.first(where: { !seen.insert($0.id).inserted }) {
            throw RoostError(.badInput, "\(name) has entry \(twice.id.text) twice; nothing was taken in")
        }
        return (entries, space)
    }
}
