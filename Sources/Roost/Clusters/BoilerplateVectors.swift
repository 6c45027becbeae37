import Foundation
import RoostFiles
import RoostModel
import RoostText
import RoostVectors
import Synchronization

/// The boilerplate lines of a clustering run and their embeddings. A run subtracts them from the vectors of
/// entries that contain them, so that clusters do not follow templates.
///
/// The vector of a text is nearly the mean of its words. So the vector of the text without some lines is nearly
/// the vector of the text minus those of the lines, weighted by their share of the text, and no text needs to be
/// embedded again.
struct BoilerplateVectors: Sendable, Equatable {
    var boilerplate = BoilerplateLines([])
    private(set) var space: EmbeddingSpace?
    /// The embedding of each line.
    private(set) var vectors: [String: [Float]] = [:]

    init() {}

    init(_ space: EmbeddingSpace, _ vectors: [String: [Float]]) {
        boilerplate = BoilerplateLines(Set(vectors.keys))
        (self.space, self.vectors) = (space, vectors)
    }

    /// Finds the boilerplate lines of a store and embeds them.
    ///
    /// - Parameter known: The lines of the last run, which are not embedded again.
    /// - Throws: `EmbedderError` if the embedder is unavailable; `StorageError`; `CancellationError`.
    init(
        of snapshot: any StorageSnapshot, by embedder: any Embedder, known: BoilerplateVectors
    ) async throws {
        let lines = try await BoilerplateLines.find(in: snapshot).lines.sorted()
        var vectors = known.space?.isCompatible(with: embedder.space) == true ? known.vectors : [:]
        let missing = lines.filter { vectors[$0] == nil }
        if !missing.isEmpty {
            let found = try await embedder.checkedEmbeddings(missing, as: .document).vectors
            for (row, line) in missing.enumerated() { vectors[line] = found.row(row) }
        }
        self.init(embedder.space, vectors.filter { Set(lines).contains($0.key) })
    }

    /// Returns an entry's vector without the boilerplate lines of its text; `nil` if it contains none, consists
    /// of nothing else, or has no vector of the same space.
    func removing(from entry: Entry) -> [Float]? {
        guard !vectors.isEmpty, boilerplate.removing(from: entry.visibleText) != nil else { return nil }
        let text = entry.visibleText
        var vector = entry.embeddings
        let norm = length(of: vector)
        for line in boilerplate.found(in: text) {
            guard let subtracted = vectors[line], subtracted.count == vector.count else { return nil }
            let share = norm * Float(line.utf8.count) / Float(text.utf8.count)
            for column in vector.indices { vector[column] -= share * subtracted[column] }
        }
        let result = normalized(vector)
        return result.allSatisfy(\.isFinite) && result.contains { $0 != 0 } ? result : nil
    }

    /// Calls `body` with blocks of entries in the order of their rows: their ids, rows and vectors, without the
    /// boilerplate lines of their texts. Entries without a vector are omitted.
    ///
    /// - Parameter isSelected: Whether to read an entry, by its id and row.
    func forEachBlock(
        of snapshot: any StorageSnapshot, where isSelected: (Entry.ID, UInt32) -> Bool = { _, _ in true },
        _ body: (_ ids: [Entry.ID], _ rows: [UInt32], _ vectors: Matrix) async throws -> Void
    ) async throws {
        // Texts can be long, so blocks are smaller if texts are read.
        let size = vectors.isEmpty ? PageSize.vectors : PageSize.entries
        for try await page in snapshot.vectorPages(of: .entries, pageSize: size) {
            let selected = page.ids.indices.filter { isSelected(page.ids[$0], page.rows[$0]) }
            guard !selected.isEmpty else { continue }
            let ids = selected.map { page.ids[$0] }
            var block = selected.count == page.ids.count ? page.vectors : page.vectors.selecting(selected)
            if !vectors.isEmpty {
                let entries = try await snapshot.entries(ids).byID
                for (row, id) in ids.enumerated() {
                    guard let vector = entries[id].flatMap(removing), vector.count == block.columns else {
                        continue
                    }
                    for column in vector.indices { block[row, column] = vector[column] }
                }
            }
            try await body(ids, selected.map { page.rows[$0] }, block)
        }
    }
}

extension BoilerplateLines {
    /// A line is boilerplate only if more than this share of the store's entries contain it.
    static let maximumShare = 0.05
    /// A line is boilerplate only if at least this many entries contain it. In small stores, this is more
    /// than ``maximumShare`` requires.
    static let minimumEntries = 5
    /// The number of counters in the first scan. They take 4 MB, and in a store of ordinary size, few lines
    /// share a counter.
    private static let counterCount = 1 << 20

    /// To bound the memory, the first scan counts lines by their hashes in a fixed number of counters, which
    /// several lines may share. Only lines whose counters are high enough are counted exactly, in a second
    /// scan.
    static func find(in snapshot: any StorageSnapshot) async throws -> BoilerplateLines {
        let limit = max(minimumEntries, Int(maximumShare * Double(snapshot.stamp.entryCount)) + 1)
        var counters = [UInt32](repeating: 0, count: counterCount)
        var seen: Set<UInt64> = []
        try await snapshot.entryPages().forEachAhead { page in
            for entry in page.entries {
                seen.removeAll(keepingCapacity: true)
                forEachLine(of: entry.visibleText) { line in
                    let hash = hash(of: line)
                    if seen.insert(hash).inserted { counters[Int(hash % UInt64(counterCount))] += 1 }
                }
            }
        }
        guard counters.contains(where: { $0 >= limit }) else { return BoilerplateLines([]) }
        var counts: [String: Int] = [:]
        try await snapshot.entryPages().forEachAhead { page in
            for entry in page.entries {
                var lines: Set<String> = []
                forEachLine(of: entry.visibleText) { line in
                    guard counters[Int(hash(of: line) % UInt64(counterCount))] >= limit else { return }
                    lines.insert(String(decoding: line, as: UTF8.self))
                }
                for line in lines { counts[line, default: 0] += 1 }
            }
        }
        return BoilerplateLines(Set(counts.filter { $0.value >= limit }.keys))
    }
}

extension StoreClusters {
    /// Returns the lines of an entry that the last clustering run excluded, because more than 5% of the
    /// entries contained them.
    public func boilerplateLines(of entry: Entry) -> [String] {
        var seen: Set<String> = []
        return boilerplate.catalog.load().boilerplate.found(in: entry.visibleText)
            .filter { seen.insert($0).inserted }
    }
}

/// The boilerplate lines of the last clustering run.
///
/// They are derived from the storage and are kept for new entries and for the next run. A store with a folder
/// keeps them in the file `index/boilerplate`, which can be deleted at any time.
final class BoilerplateCatalog: Sendable {
    private struct Metadata: Codable {
        var format = BoilerplateCatalog.format
        var space: EmbeddingSpace
        var lines: [String]
    }

    private static let name = "boilerplate"
    private static let section = "vectors"
    private static let format = 1

    private let folder: IndexFolder?
    private let memory = Mutex(BoilerplateVectors())

    /// - Parameter folder: The folder of derived data; `nil` keeps the lines in memory.
    init(in folder: IndexFolder?) { self.folder = folder }

    /// Returns the lines; none before the first run, or if the file is damaged.
    func load() -> BoilerplateVectors {
        guard let folder else { return memory.withLock(\.self) }
        let url = folder.file(Self.name)
        guard FileManager.default.fileExists(atPath: url.path), let file = try? SectionFile(url),
            let metadata = try? JSONDecoder().decode(Metadata.self, from: file.metadata),
            metadata.format == Self.format, (try? file.verify(Self.section)) != nil
        else { return BoilerplateVectors() }
        let (dimension, count) = (metadata.space.dimension, metadata.lines.count)
        guard let elements = try? file.section(Self.section, of: Float.self, count: count * dimension)
        else { return BoilerplateVectors() }
        let vectors = metadata.lines.enumerated().map { index, line in
            (line, Array(elements[index * dimension..<(index + 1) * dimension]))
        }
        return BoilerplateVectors(metadata.space, Dictionary(vectors) { first, _ in first })
    }

    /// Replaces the lines. If the file cannot be written, new entries are compared with their whole texts.
    func save(_ contents: BoilerplateVectors) async {
        guard let folder else { return memory.withLock { $0 = contents } }
        guard let space = contents.space, !contents.vectors.isEmpty else {
            try? FileSystem.standard.unlink(folder.file(Self.name).path)
            return
        }
        let lines = contents.vectors.keys.sorted()
        guard let metadata = try? JSONEncoder().encode(Metadata(space: space, lines: lines)) else { return }
        let vectors = lines.flatMap { contents.vectors[$0] ?? [] }
        try? await folder.change { folder in
            try vectors.withUnsafeBytes { vectors in
                try SectionFile.write(
                    to: folder.file(Self.name), metadata: metadata, sections: [(Self.section, vectors)])
            }
        }
    }
}
