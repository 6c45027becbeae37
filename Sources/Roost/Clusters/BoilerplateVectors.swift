import Foundation
import RoostFiles
import RoostModel
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

    /// Replaces the vectors of all entries that contain boilerplate lines.
    func replace(
        in elements: inout [Float], of ids: [Entry.ID], _ dimension: Int, _ snapshot: any StorageSnapshot
    ) async throws {
        guard !vectors.isEmpty else { return }
        let rows = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        for try await page in snapshot.entryPages() {
            for entry in page.entries {
                guard let row = rows[entry.id], let vector = removing(from: entry), vector.count == dimension
                else { continue }
                elements.replaceSubrange(row * dimension..<(row + 1) * dimension, with: vector)
            }
        }
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
