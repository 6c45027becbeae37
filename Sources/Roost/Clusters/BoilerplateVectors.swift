import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The vectors that represent entries with boilerplate lines in a clustering run: the embeddings of their
/// texts without these lines.
struct BoilerplateVectors: Sendable {
    var boilerplate = BoilerplateLines([])
    /// The row of each entry's vector in `contents`, for the entries with boilerplate lines. Entries whose
    /// texts consist entirely of such lines keep their own vectors.
    private(set) var rows: [Entry.ID: Int] = [:]
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
    ///
    /// - Parameters:
    ///   - conditions: The conditions that an entry must meet to be embedded. Lines are counted in all
    ///     entries.
    private init(
        _ findings: BoilerplateLines.Findings, of snapshot: any StorageSnapshot,
        matching conditions: [EntryCondition], embedder: EntryEmbedder, catalog: BoilerplateCatalog
    ) async throws {
        boilerplate = findings.boilerplate
        var contents = BoilerplateCatalog.Contents(
            space: embedder.embedder.space, lines: boilerplate.lines.sorted())
        if findings.entries.isEmpty {
            self.contents = contents
            return
        }
        let known = catalog.load().flatMap { $0.space.isCompatible(with: contents.space) ? $0 : nil }
        var batch = Batch(
            known: known,
            knownRows: Dictionary((known?.texts ?? []).enumerated().map { ($1, $0) }) { first, _ in first })
        for part in findings.entries.groups(of: Self.batchSize) {
            try Task.checkCancellation()
            for entry in try await snapshot.entries(part)
            where !entry.embeddings.isEmpty && conditions.allSatisfy({ $0.holds(of: entry) }) {
                guard let text = boilerplate.removing(from: entry.visibleText) else { continue }
                batch.add(text, of: entry, &contents)
            }
            do {
                try await batch.embed(with: embedder, &contents)
            } catch let error as CancellationError {
                throw error
            } catch {
                notice =
                    "lines that more than \(Int(100 * BoilerplateLines.maximumShare))% of the entries "
                    + "contain were not excluded, because the embedding model is unavailable: \(error)"
                return
            }
        }
        rows = batch.owners.compactMapValues { batch.rows[$0] }
        self.contents = contents
    }

    /// The state of embedding texts. Equal texts are embedded only once.
    private struct Batch {
        var known: BoilerplateCatalog.Contents?
        var knownRows: [ContentDigest: Int]
        var owners: [Entry.ID: ContentDigest] = [:]
        /// The row of each text that already has a vector, by the digest of the text.
        var rows: [ContentDigest: Int] = [:]
        /// The entries with texts that are still to be embedded, by the digests of the texts.
        var pending: [ContentDigest: Entry] = [:]

        mutating func add(
            _ text: String, of entry: Entry, _ contents: inout BoilerplateCatalog.Contents
        ) {
            let digest = ContentDigest(of: text)
            owners[entry.id] = digest
            guard rows[digest] == nil else { return }
            guard let known, let row = knownRows[digest] else {
                pending[digest] = entry.withText(text)
                return
            }
            let dimension = contents.space.dimension
            append(digest, known.elements[row * dimension..<(row + 1) * dimension], &contents)
        }

        private mutating func append(
            _ digest: ContentDigest, _ vector: some Collection<Float>,
            _ contents: inout BoilerplateCatalog.Contents
        ) {
            rows[digest] = contents.texts.count
            contents.texts.append(digest)
            contents.elements += vector
        }

        mutating func embed(
            with embedder: EntryEmbedder, _ contents: inout BoilerplateCatalog.Contents
        ) async throws {
            guard !pending.isEmpty else { return }
            // Embed in an order that does not depend on ids or paths.
            let texts = pending.sorted { $0.value.content < $1.value.content }
            pending = [:]
            var report = IngestReport()
            let entries = try await embedder.embed(texts.map(\.value), reusing: nil, &report)
            for (text, entry) in zip(texts, entries) where entry.embeddings.count == contents.space.dimension
            {
                append(text.key, entry.embeddings, &contents)
            }
        }
    }

    /// Replaces the vectors of entries for which a vector without boilerplate exists.
    func replace(in elements: inout [Float], of ids: [Entry.ID], _ dimension: Int) {
        guard let contents, !rows.isEmpty, dimension == contents.space.dimension else { return }
        for (index, id) in ids.enumerated() {
            guard let row = rows[id] else { continue }
            for column in 0..<dimension {
                elements[index * dimension + column] = contents.elements[row * dimension + column]
            }
        }
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
        /// The digest of each text without boilerplate lines.
        var texts: [ContentDigest] = []
        var elements: [Float] = []
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

    /// Returns the contents; `nil` if there are none, or if they are damaged.
    func load() -> Contents? {
        guard let folder else { return memory.withLock(\.self) }
        guard let (file, metadata) = open(in: folder), let lines = lines(of: file) else { return nil }
        do {
            for name in [SectionName.texts, SectionName.vectors] { try file.verify(name) }
            let texts = try file.section(
                SectionName.texts, of: UInt8.self, count: metadata.count * Self.digestLength)
            let elements = try file.section(
                SectionName.vectors, of: Float.self, count: metadata.count * metadata.space.dimension)
            return Contents(
                space: metadata.space, lines: lines,
                texts: (0..<metadata.count).map { index in
                    let start = index * Self.digestLength
                    return ContentDigest(bytes: Array(texts[start..<start + Self.digestLength]))
                },
                elements: Array(elements))
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
        let metadata = Metadata(format: Self.format, space: contents.space, count: contents.texts.count)
        guard let description = try? JSONEncoder().encode(metadata),
            let lines = try? JSONEncoder().encode(contents.lines)
        else { return }
        try? await folder.change { folder in
            let texts = contents.texts.flatMap(\.bytes)
            try lines.withUnsafeBytes { lines in
                try texts.withUnsafeBytes { texts in
                    try contents.elements.withUnsafeBytes { elements in
                        try SectionFile.write(
                            to: folder.file(Self.name), metadata: description,
                            sections: [
                                (SectionName.lines, lines), (SectionName.texts, texts),
                                (SectionName.vectors, elements),
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
