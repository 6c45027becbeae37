import Foundation
import RoostFiles
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

/// The readers of the JSON store's files return a value or an error for any bytes, and never crash. The tests
/// bypass the checksums, which would otherwise reject most corrupt bytes first.
@Suite(.temporaryFolders) struct ReaderFuzzTests {
    /// The number of mutations of each file, a multiple of `ROOST_FUZZ_SEEDS`.
    static let count =
        (ProcessInfo.processInfo.environment["ROOST_FUZZ_SEEDS"].flatMap { Int($0) } ?? 1) * 2000

    /// Returns a copy in which random bytes are changed, removed or repeated, or huge numbers or brackets are inserted.
    static func mutated(_ bytes: [UInt8], _ generator: inout Seeded) -> [UInt8] {
        var mutated = bytes
        for _ in 0...Int(generator.next() % 4) where !mutated.isEmpty {
            let offset = Int(generator.next() % UInt64(mutated.count))
            let end = min(mutated.count, offset + Int(generator.next() % 24))
            switch generator.next() % 7 {
            case 0: mutated[offset] = UInt8(truncatingIfNeeded: generator.next())
            case 1: mutated.removeSubrange(offset..<end)
            case 2: mutated.insert(contentsOf: mutated[offset..<end], at: offset)
            case 3: mutated.replaceSubrange(offset..<end, with: repeatElement(0xFF, count: end - offset))
            case 4: mutated.insert(contentsOf: "99999999999999999999".utf8, at: offset)
            case 5: mutated.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: 300), at: offset)
            default: mutated.removeLast(mutated.count - offset)
            }
        }
        return mutated
    }

    private func files() async throws -> (
        sidecar: [UInt8], journal: [UInt8], current: [UInt8], clusters: [UInt8]
    ) {
        let folder = try TemporaryFolder()
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

    @Test func `readers never crash on corrupt files`() async throws {
        let files = try await files()
        var generator = Seeded(state: 17)
        var (refused, accepted) = (0, 0)
        for _ in 0..<Self.count {
            let sidecar = Self.mutated(files.sidecar, &generator)
            let archive = try? sidecar.withUnsafeBytes { try Sidecar($0) }
            if archive == nil { refused += 1 } else { accepted += 1 }
            let journal = Self.mutated(files.journal, &generator)
            let contents = journal.withUnsafeBytes { Journal.read($0) }
            #expect(contents.length + contents.tail <= journal.count)
            // A line with a valid checksum for its corrupt record.
            let body = Self.mutated(Array("{\"batch\":{\"removals\":[]},\"date\":5}".utf8), &generator)
            let line = Journal.sealed(body, revision: Revision(rawValue: 7))
            _ = Array(line).withUnsafeBytes { Journal.read($0) }
            _ = try? Generation.decoded(Data(Self.mutated(files.current, &generator)), path: "CURRENT")
            _ = try? JSONDecoder().decode(
                [Cluster].self, from: Data(Self.mutated(files.clusters, &generator)))
        }
        #expect(refused > Self.count / 4)
        print(
            "readers: \(Self.count) mutations of each of 5 files; sidecars refused \(refused), accepted \(accepted)"
        )
    }

    /// The contents of an archive that is only opened. They must not be read.
    @Sendable private static func noEntry(_ index: Int, _ withVectors: Bool) throws -> Entry {
        throw StorageError(.damaged, "this archive has no contents")
    }

    @Test func `an archive that contradicts itself is refused`() async throws {
        let files = try await files()
        let intact = try files.sidecar.withUnsafeBytes { try Sidecar($0) }.archive
        let state = try StoreState(intact, entry: Self.noEntry)
        #expect(state.stamp.entryCount == intact.records.count && intact.records.count > 2)
        #expect(!intact.assignments.isEmpty)
        let contradictions: [(String, (inout StoreState.Archive) -> Void)] = [
            (
                "duplicate id",
                {
                    var copy = $0.records[0]
                    copy.row = UInt32($0.nextRow)
                    $0.nextRow += 1
                    $0.records.append(copy)
                }
            ),
            ("rows not ascending", { $0.records.swapAt(0, 1) }),
            ("row beyond the last", { $0.nextRow = Int($0.records[1].row) }),
            ("different dimensions", { $0.records[0].dimension += 5 }),
            ("position after the revision", { $0.records[0].position.revision = $0.revision.next }),
            ("horizon after the revision", { $0.horizon = $0.revision.next }),
            (
                "existing entry among the removals",
                {
                    let record = $0.records[0]
                    $0.removals.append(.init(id: record.id, position: record.position, removedAt: Date()))
                }
            ),
            ("assignment of a missing entry", { $0.assignments[0].entry = UUID() }),
            ("assignment to a missing cluster", { $0.clusters = [] }),
        ]
        for (name, change) in contradictions {
            var archive = intact
            change(&archive)
            let error = #expect(throws: StorageError.self, "\(name)") {
                try StoreState(archive, entry: Self.noEntry)
            }
            #expect(error?.code == .damaged, "\(name)")
        }
    }

    @Test func `a corrupt archive is refused or gives a consistent store`() async throws {
        let files = try await files()
        var generator = Seeded(state: 23)
        var (refused, accepted) = (0, 0)
        for _ in 0..<Self.count {
            let bytes = Self.mutated(files.sidecar, &generator)
            guard let sidecar = try? bytes.withUnsafeBytes({ try Sidecar($0) }) else { continue }
            guard let state = try? StoreState(sidecar.archive, entry: Self.noEntry) else {
                refused += 1
                continue
            }
            accepted += 1
            let archive = state.archive
            #expect(archive.records == sidecar.archive.records)
            #expect(state.stamp.entryCount == archive.records.count)
            let ids = Set(archive.records.map(\.id))
            #expect(archive.assignments.allSatisfy { ids.contains($0.entry) })
            _ = try? state.changes(after: .start, limit: 3)
            _ = InMemorySnapshot(state: state).sources()
            _ = InMemorySnapshot(state: state).clusters()
            var next = state
            try next.apply(WriteBatch(upserts: [Entry(content: "x")]))
            #expect(next.stamp.revision == state.stamp.revision.next)
            #expect(next.stamp.entryCount == state.stamp.entryCount + 1)
        }
        #expect(refused > 0 && accepted > 0, "\(refused) refused, \(accepted) accepted")
    }
}

/// Numbers in the record of a generation, which has a valid checksum in a manipulated store, cause errors and
/// never a crash.
@Suite(.temporaryFolders) struct GenerationFuzzTests {
    private static func sealed(_ record: Data) -> Data {
        Data("{\"record\":".utf8) + record
            + Data(",\"sha256\":\"\(SHA256.hexadecimal(record))\"}\n".utf8)
    }

    private func makeStore() async throws -> (folder: URL, record: Data) {
        let folder = try TemporaryFolder().url
        let store = try LocalStorageProvider(directory: folder)
        try await store.saveEntries((0..<5).map { Entry(content: "entry \($0)", embeddings: [1, 0]) })
        try await store.compact()
        try await store.close()
        let current = try Data(contentsOf: folder.appendingPathComponent("CURRENT"))
        let generation = try Generation.decoded(current, path: "CURRENT")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (folder, try encoder.encode(generation))
    }

    @Test func `mutated records of a generation are read or refused`() async throws {
        let (folder, record) = try await makeStore()
        let current = folder.appendingPathComponent("CURRENT")
        var generator = Seeded(state: 41)
        var refused = 0
        for _ in 0..<JSONMutator.count(default: 400) {
            try Self.sealed(JSONMutator.mutated(record, using: &generator)).write(to: current)
            do {
                let store = try LocalStorageProvider(directory: folder)
                _ = try await store.snapshot().stamp
                try await store.close()
            } catch is StorageError {
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test(arguments: [
        "\"size\":-9223372036854775808", "\"size\":9223372036854775807", "\"size\":-1",
    ])
    func `a length out of range is reported as damage`(size: String) async throws {
        let (folder, record) = try await makeStore()
        let text = String(decoding: record, as: UTF8.self)
        let changed = text.replacingOccurrences(
            of: "\"size\":[0-9]+", with: size, options: .regularExpression)
        #expect(changed != text)
        try Self.sealed(Data(changed.utf8)).write(to: folder.appendingPathComponent("CURRENT"))
        let error = await #expect(throws: StorageError.self) {
            _ = try await LocalStorageProvider(directory: folder).snapshot()
        }
        #expect(error?.code == .damaged)
    }

    @Test func `numbers of a foreign file that would overflow later are refused`() async throws {
        let id = UUID().uuidString
        let entry = "\"id\":\"\(id)\",\"content\":\"one\",\"embeddings\":[1]"
        for text in [
            "{\(entry),\"passages\":[{\"range\":[-9223372036854775808,9223372036854775807],\"tokens\":1}]}",
            "{\(entry),\"passages\":[{\"range\":[0,9223372036854775807],\"tokens\":1}]}",
            "{\(entry),\"location\":{\"line\":9223372036854775807}}", "{\(entry),\"createdAt\":1e300}",
        ] {
            let folder = try TemporaryFolder().url
            try "[\(text)]".write(
                to: folder.appendingPathComponent("entries.json"), atomically: true, encoding: .utf8)
            await #expect(throws: StorageError.self, "\(text)") {
                _ = try await LocalStorageProvider(directory: folder).snapshot()
            }
        }
    }
}
