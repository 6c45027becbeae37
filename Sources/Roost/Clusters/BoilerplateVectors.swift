import RoostDocuments
import RoostModel

/// The vectors that represent entries with boilerplate lines in a clustering run: the embeddings of their
/// texts without these lines.
struct BoilerplateVectors: Sendable {
    /// The boilerplate lines of the store.
    var boilerplate = BoilerplateLines([])
    /// The row of each entry's vector in `contents`, for the entries with boilerplate lines. Entries whose
    /// texts consist entirely of such lines keep their own vectors.
    private(set) var rows: [Entry.ID: Int] = [:]
    /// The embeddings for the next run; `nil` if the entries could not be embedded.
    private(set) var contents: BoilerplateCatalog.Contents?
    /// A message for the user if the entries could not be embedded.
    private(set) var notice: String?

    /// The number of entries that are read and embedded at once.
    private static let batchSize = 256

    /// Creates an empty collection of vectors.
    init() {}

    /// Finds the boilerplate of entries and embeds the texts that contain it, without these lines.
    ///
    /// - Parameters: See ``init(_:of:matching:embedder:catalog:)``.
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

    /// Embeds texts that contain boilerplate lines, without these lines.
    ///
    /// If the embedder fails, the new value contains no vectors, and ``notice`` states the reason.
    ///
    /// - Parameters:
    ///   - findings: The lines and the entries that contain them.
    ///   - snapshot: The state of the store.
    ///   - conditions: The conditions that an entry must meet to be embedded. Lines are counted in all
    ///     entries.
    ///   - catalog: The vectors of the last run, which are reused.
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
        for start in stride(from: 0, to: findings.entries.count, by: Self.batchSize) {
            try Task.checkCancellation()
            let end = min(findings.entries.count, start + Self.batchSize)
            for entry in try await snapshot.entries(Array(findings.entries[start..<end]))
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
        /// The digest of each entry's text.
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
    ///
    /// - Parameters:
    ///   - elements: The vectors of `ids`, one after the other.
    ///   - dimension: The length of a vector.
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

extension KnowledgeStore {
    /// Returns the lines of an entry that the last clustering run excluded, because more than 5% of the
    /// entries contained them.
    public func boilerplateLines(of entry: Entry) -> [String] {
        BoilerplateLines(Set(boilerplate.lines())).found(in: entry.visibleText)
    }
}
