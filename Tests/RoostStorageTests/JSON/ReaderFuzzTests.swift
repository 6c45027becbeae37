import Foundation
import RoostModel
import Testing

@testable import RoostJSON

/// The readers of the JSON store's files on bytes that nobody wrote: an answer or an error, never a crash.
/// What checksums would refuse first is given to the readers without them.
struct ReaderFuzzTests {
    /// How many mutations of each; more with `ROOST_FUZZ_SEEDS`.
    static let count =
        (ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 1) * 2000

    /// Bytes changed, removed, repeated and put in, now and then numbers that are too large.
    static func mutated(_ bytes: [UInt8], _ generator: inout Seeded) -> [UInt8] {
        var mutated = bytes
        for _ in 0...Int(generator.next() % 4) where !mutated.isEmpty {
            let place = Int(generator.next() % UInt64(mutated.count))
            let end = min(mutated.count, place + Int(generator.next() % 24))
            switch generator.next() % 7 {
            case 0: mutated[place] = UInt8(truncatingIfNeeded: generator.next())
            case 1: mutated.removeSubrange(place..<end)
            case 2: mutated.insert(contentsOf: mutated[place..<end], at: place)
            case 3: mutated.replaceSubrange(place..<end, with: repeatElement(0xFF, count: end - place))
            case 4: mutated.insert(contentsOf: "99999999999999999999".utf8, at: place)
            case 5: mutated.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: 300), at: place)
            default: mutated.removeLast(mutated.count - place)
            }
        }
        return mutated
    }

    /// The files of a small store.
    private func files() async throws -> (
        sidecar: [UInt8], journal: [UInt8], current: [UInt8], clusters: [UInt8]
    ) {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store = try LocalStorageProvider(directory: folder.url)
        let entries = (0..<6).map {
            Entry(
                content: "entry \($0) \"é\"", embeddings: [1, 0], source: "s\($0 % 2)",
                metadata: ["n": 1, "x": ["y"]])
        }
        try await store.saveEntries(entries)
        try await store.updateCluster(Cluster(label: "c", members: [entries[1].id]))
        try await store.deleteEntry(entries[2].id)
        _ = try await store.commit(WriteBatch(sources: [Source(id: "s1", fingerprint: "f")]))
        try await store.compact()
        try await store.saveEntry(Entry(content: "in the journal", embeddings: [0, 1]))
        try await store.renewEpoch()
        try await store.deleteEntry(entries[3].id)
        func bytes(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: folder.url.appendingPathComponent(name)))
        }
        return (
            try bytes("generations/2/sidecar"), try bytes("journal-2.jsonl"), try bytes("CURRENT"),
            try bytes("generations/2/clusters.json")
        )
    }

    @Test func `files that nobody wrote`() async throws {
        let files = try await files()
        var generator = Seeded(state: 17)
        var (refused, taken) = (0, 0)
        for _ in 0..<Self.count {
            let sidecar = Self.mutated(files.sidecar, &generator)
            let archive = try? sidecar.withUnsafeBytes { try Sidecar($0) }
            if archive == nil { refused += 1 } else { taken += 1 }
            let journal = Self.mutated(files.journal, &generator)
            let contents = journal.withUnsafeBytes { Journal.read($0) }
            #expect(contents.length + contents.tail <= journal.count)
            // A line whose checksum was made for it.
            let body = Self.mutated(Array("{\"batch\":{\"removals\":[]},\"date\":5}".utf8), &generator)
            let line = Journal.sealed(body, revision: Revision(rawValue: 7))
            _ = Array(line).withUnsafeBytes { Journal.read($0) }
            _ = try? Generation.decoded(Data(Self.mutated(files.current, &generator)), path: "CURRENT")
            _ = try? JSONDecoder().decode(
                [Cluster].self, from: Data(Self.mutated(files.clusters, &generator)))
        }
        #expect(refused > Self.count / 4)
        print(
            "readers: \(Self.count) mutations of each of 5 files; sidecars refused \(refused), taken \(taken)"
        )
    }

    /// What a sidecar says may be read and yet contradict itself: it must be refused before it is used.
    @Test func `archives that contradict themselves`() async throws {
        let files = try await files()
        struct Nothing: EntryContents {
            func entry(at index: Int, withVectors: Bool) throws -> Entry {
                throw StorageError(.damaged, "none")
            }
        }
        var generator = Seeded(state: 23)
        for _ in 0..<Self.count {
            let bytes = Self.mutated(files.sidecar, &generator)
            guard let sidecar = try? bytes.withUnsafeBytes({ try Sidecar($0) }),
                let state = try? StoreState(sidecar.archive, contents: Nothing())
            else { continue }
            _ = try? state.changes(after: .start, limit: 3)
            _ = state.archive
            _ = InMemorySnapshot(state: state).sources()
            _ = try? InMemorySnapshot(state: state).clusters()
            var next = state
            _ = try? next.apply(WriteBatch(upserts: [Entry(content: "x", embeddings: [1, 0])]))
        }
    }
}
