import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The vectors that represent entries with boilerplate lines in a clustering run: the embeddings of their
/// texts without these lines.
struct BoilerplateVectors: Sendable {
    var boilerplate = BoilerplateLines([])
    /// The vectors of the entries with boilerplate lines. Entries whose texts consist entirely of such lines
    /// keep their own vectors.
    private var vectors: [Entry.ID: [Float]] = [:]
    /// The embeddings for the next run; `nil` if the entries could not be embedded.
    private(set) var contents: BoilerplateCatalog.Contents?
    /// A message for the user if the entries could not be embedded.
    private(set) var notice: String?

    private static let batchSize = 256

    init() {}

    /// Finds the boilerplate of entries and embeds the texts that contain it, without these lines.
    init(
        _ snapshot: any StorageSnapshot, matching conditions: [EntryCondition], embedder: EntryEmbedder,
        catalog: BoilerplateCatalog
    ) async throws {
        try await self.init(
            BoilerplateLines.find(in: snapshot), of: snapshot, matching: conditions, embedder: embedder,
            catalog: catalog)
    }

    /// Embeds the texts that contain the boilerplate lines of the last run, without these lines.
    init(
        ofLastRun snapshot: any StorageSnapshot, embedder: EntryEmbedder, catalog: BoilerplateCatalog
    ) async throws {
        try await self.init(
            BoilerplateLines(Set(catalog.lines())).findings(in: snapshot), of: snapshot, matching: [],
            embedder: embedder, catalog: catalog)
    }

    /// If the embedder fails, the new value contains no vectors, and ``notice`` states the reason.
    private init(
        _ findings: BoilerplateLines.Findings, of snapshot: any StorageSnapshot,
        matching conditions: [EntryCondition], embedder: EntryEmbedder, catalog: BoilerplateCatalog
    ) async throws {
        boilerplate = findings.boilerplate
        var contents = BoilerplateCatalog.Contents(
            space: embedder.embedder.space, lines: boilerplate.lines.sorted())
        let known =
            catalog.load().flatMap { $0.space.isCompatible(with: contents.space) ? $0.vectors : nil } ?? [:]
        var digests: [Entry.ID: ContentDigest] = [:]
        for part in findings.entries.groups(of: Self.batchSize) {
            try Task.checkCancellation()
            var missing: [ContentDigest: Entry] = [:]
            for entry in try await snapshot.entries(part)
            where !entry.embeddings.isEmpty && conditions.allSatisfy({ $0.holds(of: entry) }) {
                guard let text = boilerplate.removing(from: entry.visibleText) else { continue }
                let digest = ContentDigest(of: text)
                digests[entry.id] = digest
                contents.vectors[digest] = contents.vectors[digest] ?? known[digest]
                if contents.vectors[digest] == nil { missing[digest] = entry.withText(text) }
            }
            do {
                contents.vectors.merge(try await embedder.vectors(of: missing)) { first, _ in first }
            } catch let error as CancellationError {
                throw error
            } catch {
                notice =
                    "lines that more than \(Int(100 * BoilerplateLines.maximumShare))% of the entries "
                    + "contain were not excluded, because the embedding model is unavailable: \(error)"
                return
            }
        }
        vectors = digests.compactMapValues { contents.vectors[$0] }
        self.contents = contents
    }

    func replace(in elements: inout [Float], of ids: [Entry.ID], _ dimension: Int) {
        for (index, id) in ids.enumerated() {
            guard let vector = vectors[id], vector.count == dimension else { continue }
            elements.replaceSubrange(index * dimension..<(index + 1) * dimension, with: vector)
        }
    }
}

extension EntryEmbedder {
    func vectors(of texts: [ContentDigest: Entry]) async throws -> [ContentDigest: [Float]] {
        guard !texts.isEmpty else { return [:] }
        // The order does not depend on ids or paths.
        let texts = texts.sorted { $0.value.content < $1.value.content }
        var report = IngestReport()
        let entries = try await embed(texts.map(\.value), reusing: nil, &report)
        return Dictionary(zip(texts, entries).map { ($0.key, $1.embeddings) }) { first, _ in first }
    }
}

extension Entry {
    /// Returns a copy without vectors that has another text of the same format and with the same title.
    func withText(_ text: String) -> Entry {
        Entry(
            content: text, structure: TextStructure(of: text, format: structure?.format ?? .markdown),
            source: source, key: key, metadata: metadata)
    }
}

extension StoreClusters {
    /// Returns the lines of an entry that the last clustering run excluded, because more than 5% of the
    /// entries contained them.
    public func boilerplateLines(of entry: Entry) -> [String] {
        BoilerplateLines(Set(boilerplate.catalog.lines())).found(in: entry.visibleText)
    }
}

/// The boilerplate lines of the last clustering run, and the vectors of the texts without them.
///
/// They are derived from the storage and are kept so that the next run need not embed the texts again. A
/// store with a folder keeps them in the file `index/boilerplate`, which can be deleted at any time.
final class BoilerplateCatalog: Sendable {
    struct Contents: Sendable, Equatable {
        var space: EmbeddingSpace
        /// The lines that were excluded, in ascending order.
        var lines: [String] = []
        /// The vectors of the texts without boilerplate lines, by the digests of the texts.
        var vectors: [ContentDigest: [Float]] = [:]
    }

    private struct Metadata: Codable {
        var format: Int
        var space: EmbeddingSpace
        var count: Int
    }

    private enum SectionName {
        static let lines = "lines"
        static let texts = "texts"
        static let vectors = "vectors"
    }

    private static let name = "boilerplate"
    private static let format = 1
    private static let digestLength = 32

    private let folder: IndexFolder?
    private let memory = Mutex<Contents?>(nil)

    init(of store: URL?) { folder = store.map { IndexFolder(of: $0) } }

    /// Returns the contents; `nil` before the first run, or if they are damaged.
    func load() -> Contents? {
        guard let folder else { return memory.withLock(\.self) }
        guard let (file, metadata) = open(in: folder), let lines = lines(of: file) else { return nil }
        do {
            for name in [SectionName.texts, SectionName.vectors] { try file.verify(name) }
            let texts = try file.section(
                SectionName.texts, of: UInt8.self, count: metadata.count * Self.digestLength)
            let elements = try file.section(
                SectionName.vectors, of: Float.self, count: metadata.count * metadata.space.dimension)
            var contents = Contents(space: metadata.space, lines: lines)
            for index in 0..<metadata.count {
                let digest = texts[index * Self.digestLength..<(index + 1) * Self.digestLength]
                let vector = elements[
                    index * metadata.space.dimension..<(index + 1) * metadata.space.dimension]
                contents.vectors[ContentDigest(bytes: Array(digest))] = Array(vector)
            }
            return contents
        } catch {
            return nil
        }
    }

    func lines() -> [String] {
        guard let folder else { return memory.withLock { $0?.lines ?? [] } }
        guard let (file, _) = open(in: folder) else { return [] }
        return lines(of: file) ?? []
    }

    /// Replaces the contents. If the file cannot be written, the next run embeds the texts again.
    func save(_ contents: Contents) async {
        guard let folder else { return memory.withLock { $0 = contents } }
        guard !contents.lines.isEmpty else {
            try? FileSystem.standard.unlink(folder.file(Self.name).path)
            return
        }
        let metadata = Metadata(format: Self.format, space: contents.space, count: contents.vectors.count)
        guard let description = try? JSONEncoder().encode(metadata),
            let lines = try? JSONEncoder().encode(contents.lines)
        else { return }
        try? await folder.change { folder in
            let texts = contents.vectors.keys.flatMap(\.bytes)
            let vectors = contents.vectors.values.flatMap(\.self)
            try lines.withUnsafeBytes { lines in
                try texts.withUnsafeBytes { texts in
                    try vectors.withUnsafeBytes { vectors in
                        try SectionFile.write(
                            to: folder.file(Self.name), metadata: description,
                            sections: [
                                (SectionName.lines, lines), (SectionName.texts, texts),
                                (SectionName.vectors, vectors),
                            ])
                    }
                }
            }
        }
    }

    private func open(in folder: IndexFolder) -> (SectionFile, Metadata)? {
        let url = folder.file(Self.name)
        guard FileManager.default.fileExists(atPath: url.path), let file = try? SectionFile(url),
            let metadata = try? JSONDecoder().decode(Metadata.self, from: file.metadata),
            metadata.format == Self.format, (0...Int(UInt32.max)).contains(metadata.count)
        else { return nil }
        return (file, metadata)
    }

    private func lines(of file: SectionFile) -> [String]? {
        do {
            try file.verify(SectionName.lines)
            return try JSONDecoder().decode([String].self, from: Data(try file.section(SectionName.lines)))
        } catch {
            return nil
        }
    }
}
