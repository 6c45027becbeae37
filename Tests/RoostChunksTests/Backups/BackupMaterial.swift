import Foundation
import RoostModel
import RoostVectors
import Synchronization

@testable import RoostChunks

enum BackupMaterial {
    static func entry(_ number: Int, text: String? = nil) -> Entry {
        var generator = SeededGenerator(seed: UInt64(number) &+ 7)
        func vector() -> [Float] { normalized((0..<24).map { _ in Float(generator.nextNormal()) }) }
        let content = text ?? "entry \(number) tells of the number \(number) and of nothing else, é"
        var entry = Entry(
            id: UUID(
                uuid: (
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number >> 24 & 255), UInt8(number >> 16 & 255),
                    UInt8(number >> 8 & 255), UInt8(number & 255)
                )),
            content: content, embeddings: vector(), source: number % 3 == 0 ? "file:///\(number % 30)" : nil,
            key: number % 2 == 0 ? "k\(number)" : nil, tags: number % 5 == 0 ? ["a", "five"] : [],
            createdAt: Date(milliseconds: 1_700_000_000_000 + Int64(number)))
        if number % 4 == 0 { entry.metadata = ["n": .integer(Int64(number)), "deep": ["x": [1, 2.5, nil]]] }
        if number % 3 == 1 { entry.location = EntryLocation(line: number, lastLine: number + 1) }
        if number % 6 == 2 { entry.location = EntryLocation(page: number, headings: ["Nests", "é"]) }
        if number % 7 == 0 {
            let half = content.utf8.count / 2
            let parts = [vector(), vector()]
            entry.passages = [
                Passage(ordinal: 0, utf8Range: 0..<half, tokenCount: 3, vector: parts[0]),
                Passage(ordinal: 1, utf8Range: half..<content.utf8.count, tokenCount: 4, vector: parts[1]),
            ]
        } else if number % 7 == 1 {
            entry.passages = [
                Passage(
                    ordinal: 0, utf8Range: 0..<content.utf8.count, tokenCount: 9, vector: entry.embeddings)
            ]
        } else if number % 50 == 3 {
            entry.embeddings = []
        }
        return entry
    }

    /// Returns the original document of the source with the given number. Document 0 is empty.
    static func document(_ number: Int) -> Data { Data(repeating: UInt8(number), count: number * 1000) }

    /// A storage with all documents except the last one.
    static let documents: any ChunkStorage = Documents()

    private struct Documents: ChunkStorage {
        private let kept = Dictionary(
            (0..<9).map { (ChunkIdentifier(hashing: document($0)), document($0)) }
        ) { first, _ in first }

        func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? { kept[identifier] }
        func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool { kept[identifier] != nil }
        func deleteChunk(_ identifier: ChunkIdentifier) async throws { throw ChunkStorageError.readOnly }
        func writeChunk(
            _ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?
        ) async throws { throw ChunkStorageError.readOnly }

        /// Returns the kind of data that differs in a storage into which the documents were restored, or `nil`.
        func difference(_ other: any ChunkStorage) async throws -> String? {
            for (name, data) in kept where try await other.readChunk(name) != data { return "a document" }
            return nil
        }
    }

    static func store(_ count: Int, clusters: Bool = true) async throws -> InMemoryStorageProvider {
        let storage = InMemoryStorageProvider()
        for start in stride(from: 0, to: count, by: 500) {
            _ = try await storage.commit(
                WriteBatch(upserts: (start..<min(count, start + 500)).map { entry($0) }))
        }
        let sources = (0..<10).map {
            Source(
                id: "file:///\(3 * $0)", fingerprint: "sha256:" + ChunkIdentifier(hashing: document($0)).id,
                ingestedAt: Date(milliseconds: 1_700_000_000_000))
        }
        _ = try await storage.commit(WriteBatch(sources: sources))
        guard clusters, count > 10 else { return storage }
        let made = (0..<5).map { number in
            Cluster(
                label: "cluster \(number)", keywords: ["a", "b\(number)"],
                centroid: entry(number * 7).embeddings, cohesion: 0.5,
                createdAt: Date(milliseconds: 1_700_000_000_000))
        }
        let run = ClusteringRun(
            algorithm: "test", parameters: ["k": 5], seed: 1, stamp: try await storage.snapshot().stamp)
        let assignments = (0..<count).compactMap { number -> Assignment? in
            if number % 11 == 0 { return nil }
            let target: Assignment.Target =
                number % 13 == 0 ? .outlier(.distant) : .cluster(made[number % 5].id)
            return Assignment(
                entry: entry(number).id, target: target, run: number % 17 == 0 ? nil : run.id,
                similarity: 0.25,
                confidence: 0.75)
        }
        _ = try await storage.commit(
            WriteBatch(clustering: .init(run: run, clusters: made, assignments: assignments)))
        return storage
    }

    /// Returns the kind of data in which two stores differ, or `nil`. Row numbers are not compared.
    static func difference(
        _ left: any StorageSnapshot, _ right: any StorageSnapshot
    ) async throws -> String? {
        func entries(_ snapshot: any StorageSnapshot) async throws -> [Entry] {
            try await snapshot.entries(after: nil, limit: 1_000_000, matching: .all).entries
        }
        if try await entries(left) != entries(right) { return "entries" }
        if try await left.clusters() != right.clusters() { return "clusters" }
        if try await left.assignments(of: nil) != right.assignments(of: nil) { return "assignments" }
        if try await left.clusteringRun() != right.clusteringRun() { return "run" }
        if try await left.sources() != right.sources() { return "sources" }
        return nil
    }

    /// Restores a snapshot into an empty store and returns the first difference from the store that was backed up.
    static func check(
        _ snapshot: BackupSnapshot, _ repository: BackupRepository, _ expected: any StorageSnapshot
    ) async throws -> String? {
        let target = InMemoryStorageProvider()
        let restored = ComposedChunkStorage(
            organization: GitStyleOrganization(), retrieval: InMemoryRetrieval())
        let stamp = try await repository.restore(snapshot, into: target, documents: restored)
        if snapshot.originalCount > 0, let kept = documents as? Documents {
            if snapshot.originalCount != 9 { return "\(snapshot.originalCount) documents" }
            if let difference = try await kept.difference(restored) { return difference }
        }
        if stamp.epoch == snapshot.stamp.epoch { return "the epoch" }
        return try await difference(try await target.snapshot(), expected)
    }
}

/// A retrieval that counts changes and fails at a given change.
final class FaultyRetrieval: ChunkRetrievalDecorator {
    enum Fault: Sendable {
        /// All further changes fail, as if the process had been killed.
        case killed
        case fails
    }

    struct Stopped: Error {}

    let wrapped: any ChunkStorageRetrieval
    private let fault: Fault
    private let limit: Int
    private let calls = Atomic<Int>(0)

    init(_ base: InMemoryRetrieval, _ fault: Fault, after limit: Int) {
        (wrapped, self.fault, self.limit) = (base, fault, limit)
    }

    var count: Int { calls.load(ordering: .sequentiallyConsistent) }

    private func step() throws {
        let number = calls.add(1, ordering: .sequentiallyConsistent).newValue
        switch fault {
        case .killed where number > limit: throw Stopped()
        case .fails where number == limit + 1: throw ChunkStorageError.storageFull(reason: "test")
        default: break
        }
    }

    func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try step()
        try await wrapped.writeChunk(data, at: path, metadata: metadata)
    }
    func createChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws -> Bool {
        try step()
        return try await wrapped.createChunk(data, at: path, metadata: metadata)
    }
    func deleteChunk(at path: String) async throws {
        try step()
        try await wrapped.deleteChunk(at: path)
    }
}

extension InMemoryRetrieval {
    func copy() async throws -> InMemoryRetrieval {
        let copy = InMemoryRetrieval()
        for path in try await paths(in: "") {
            if let data = try await readChunk(at: path) {
                try await copy.writeChunk(data, at: path, metadata: nil)
            }
        }
        return copy
    }

    func size() async throws -> Int {
        var size = 0
        for path in try await paths(in: "") { size += try await readChunk(at: path)?.count ?? 0 }
        return size
    }

    /// Deletes all locks. A test simulates killed processes within its own process, which is still running,
    /// so their locks would not be recognized as stale.
    func removeLocks() async throws {
        for path in try await paths(in: RepositoryObject.locks) { try await deleteChunk(at: path) }
    }
}
