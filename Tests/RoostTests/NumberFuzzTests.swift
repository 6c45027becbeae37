import Foundation
import RoostFiles
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import Roost

/// Fuzz tests of the numbers in a store's files: a number that is out of range is an error, and never causes
/// a crash, an overflow or a huge allocation.
///
/// `ROOST_FUZZ_MUTATIONS` sets the number of mutations of each file; `Scripts/fuzz-sanitized` runs them with
/// AddressSanitizer.
@Suite(.temporaryFolders) struct NumberFuzzTests {
    private let space = EmbeddingSpace(model: "m", revision: "r", dimension: 32, pooling: "mean")

    @Test func `mutated manifests are read or refused`() throws {
        let folder = try TemporaryFolder().url
        let file = folder.appendingPathComponent("store.json")
        var manifest = StoreManifest(provider: .json, space: space, maximumSize: 5_000_000)
        manifest.move = StoreManifest.Move(space: space, epoch: UUID())
        let text = try JSONEncoder().encode(manifest)
        var generator = Seeded(state: 23)
        var (refused, accepted) = (0, 0)
        for _ in 0..<JSONMutator.count(default: 1500) {
            try JSONMutator.mutated(text, using: &generator).write(to: file)
            do {
                let found = try StoreManifest.read(in: folder)
                #expect(found.format >= 1 && found.maximumSize ?? 0 >= 0)
                for space in [found.space, found.move?.space ?? found.space] {
                    #expect((1...EmbeddingSpace.maximumDimension).contains(space.dimension))
                }
                accepted += 1
            } catch let error as RoostError {
                #expect([.damagedManifest, .newerFormat].contains(error.code))
                refused += 1
            }
        }
        #expect(refused > 0 && accepted > 0, "\(refused) \(accepted)")
    }

    @Test(arguments: [
        ("format", "0"), ("format", "-9223372036854775808"), ("maximumSize", "-1"), ("dimension", "0"),
        ("dimension", "-1"), ("dimension", "65537"), ("dimension", "2147483648"),
        ("dimension", "9223372036854775807"),
    ])
    func `a manifest with a number out of range is reported as damaged`(key: String, value: String) throws {
        let folder = try TemporaryFolder().url
        let manifest = StoreManifest(provider: .json, space: space, maximumSize: 5_000_000)
        let text = String(decoding: try JSONEncoder().encode(manifest), as: UTF8.self)
        let pattern = try NSRegularExpression(pattern: "\"\(key)\":[0-9]+")
        let changed = pattern.stringByReplacingMatches(
            in: text, range: NSRange(text.startIndex..., in: text), withTemplate: "\"\(key)\":\(value)")
        #expect(changed != text)
        try changed.write(to: folder.appendingPathComponent("store.json"), atomically: true, encoding: .utf8)
        let error = #expect(throws: RoostError.self) { try StoreManifest.read(in: folder) }
        #expect(error?.code == .damagedManifest)
    }

    @Test func `every mutation of settings is read or has a cause`() {
        let text = Data("{\"limit\":\"7\",\"model\":\"a \\ud83d\\ude00\",\"x\":[1e5,{\"y\":null}]}".utf8)
        var generator = Seeded(state: 27)
        var refused = 0
        for round in 0..<JSONMutator.count(default: 1500) {
            var data = JSONMutator.mutated(text, using: &generator)
            if round % 3 == 0 { data = data.prefix(Int.random(in: 0...data.count, using: &generator)) }
            guard (try? JSONDecoder().decode([String: String].self, from: data)) == nil else { continue }
            #expect(!JSONFault.description(of: data, fallback: "a value is not a string").isEmpty)
            refused += 1
        }
        #expect(refused > 0)
    }

    @Test func `mutated metadata of index files are read or refused`() async throws {
        let folder = try TemporaryFolder().url
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder(dimension: 32))
        let words = ["swift", "roof", "boat", "bread", "oven", "night"]
        for number in 0..<40 { try await store.add("\(words[number % 6]) \(words[number % 5]) \(number)") }
        _ = try await store.index.build()
        let stamp = try await store.storage.snapshot().stamp
        let index = IndexFolder(of: folder)
        let catalog = BoilerplateCatalog(in: index)
        await catalog.save(BoilerplateVectors(space, ["a line": [Float](repeating: 0, count: 32)]))
        var generator = Seeded(state: 29)
        var accepted = 0
        for name in [PassageFile.name, TextFile.name, "boilerplate"] {
            let file = index.file(name)
            let original = try Data(contentsOf: file)
            let metadata = try SectionFile(file).metadata
            let sections = try Self.sections(of: file)
            for _ in 0..<JSONMutator.count(default: 300) {
                try Self.write(sections, JSONMutator.mutated(metadata, using: &generator), to: file)
                do {
                    if name == TextFile.name {
                        if try TextFile(in: index, for: stamp) != nil { accepted += 1 }
                    } else if name == PassageFile.name, let opened = try PassageFile(in: index, for: stamp) {
                        try PassageVectors(of: opened).verify()
                        accepted += 1
                    } else if name == "boilerplate", !catalog.load().vectors.isEmpty {
                        accepted += 1
                    }
                } catch is SectionFile.Unusable {
                    continue
                }
            }
            try original.write(to: file)
        }
        #expect(accepted > 0)
        try await store.close()
    }

    /// Returns the names and bytes of the sections of an index file.
    private static func sections(of url: URL) throws -> [(name: String, bytes: Data)] {
        let file = try SectionFile(url)
        let data = try Data(contentsOf: url)
        let length = data[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
        let header = try JSONSerialization.jsonObject(with: data[24..<24 + length]) as? [String: Any]
        let names = (header?["sections"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
        return try names.map { ($0, Data(try file.section($0))) }
    }

    private static func write(
        _ sections: [(name: String, bytes: Data)], _ metadata: Data, to url: URL
    ) throws {
        let copies = sections.map { section in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: section.bytes.count, alignment: 64)
            copy.copyBytes(from: section.bytes)
            return (name: section.name, bytes: UnsafeRawBufferPointer(copy))
        }
        defer { for copy in copies { copy.bytes.deallocate() } }
        try SectionFile.write(to: url, metadata: metadata, sections: copies)
    }

    @Test func `mutated records of runs and clusters are read or refused`() async throws {
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 32))
        let topics = [
            "swifts nest below the roof of the mill", "bread and rolls bake in the oven",
            "the boat crosses the lake under sail", "paint dries on the wooden door",
        ]
        for number in 0..<60 { try await store.add("\(topics[number % 4]), note \(number)") }
        _ = try await store.recluster()
        let snapshot = try await store.storage.snapshot()
        let run = try JSONEncoder().encode(try #require(try await snapshot.clusteringRun()))
        var cluster = try #require(try await snapshot.clusters().first)
        cluster.labelPin = Cluster.LabelPin(of: cluster.members)
        cluster.isLabelPinned = true
        cluster.origins = [.init(cluster: cluster.id, label: "x", size: 5, remaining: 4, shared: 3)]
        let clusterText = try JSONEncoder().encode(cluster)
        let assignments = try await snapshot.assignments(of: nil)
        let clusters = try await snapshot.clusters()
        var generator = Seeded(state: 31)
        var accepted = 0
        for round in 0..<JSONMutator.count(default: 400) {
            let mutatedRun = try? JSONDecoder().decode(
                ClusteringRun.self, from: JSONMutator.mutated(run, using: &generator))
            if let mutatedRun {
                let batch = WriteBatch(
                    clustering: .init(run: mutatedRun, clusters: clusters, assignments: assignments))
                guard (try? await store.storage.commit(batch)) != nil else { continue }
                _ = try? await store.clusters.drift()
                if round % 50 == 0 { _ = try? await store.recluster() }
                accepted += 1
            }
            let mutatedCluster = try? JSONDecoder().decode(
                Cluster.self, from: JSONMutator.mutated(clusterText, using: &generator))
            guard let mutatedCluster else { continue }
            _ = [mutatedCluster].clustersWithOutdatedLabels()
            _ = mutatedCluster.stability
            accepted += 1
        }
        #expect(accepted > 0)
    }
}

/// Fuzz tests of the readers of external input: mutated input gives a result or an error, never a crash.
///
/// `ROOST_FUZZ_MUTATIONS` sets the number of mutations of each input.
@Suite(.temporaryFolders) struct InputFuzzTests {
    private func mutated(_ text: String, _ generator: inout Seeded) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0...Int.random(in: 0..<4, using: &generator) where !bytes.isEmpty {
            let offset = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, offset + Int.random(in: 0..<12, using: &generator))
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(offset..<end)
            case 2: bytes.insert(contentsOf: bytes[offset..<end], at: offset)
            case 3: bytes.insert(contentsOf: "1e999".utf8, at: offset)
            case 4: bytes.insert(contentsOf: [UInt8](repeating: UInt8(ascii: "["), count: 400), at: offset)
            case 5: bytes.insert(contentsOf: "\\ud800\"\r\n".utf8, at: offset)
            default: bytes.removeLast(bytes.count - offset)
            }
        }
        return bytes
    }

    @Test func `mutated JSON Lines, tables and exports are read or refused`() async throws {
        let lines =
            "{\"id\":1,\"text\":\"é \\\"x\\\"\",\"tags\":[\"a\"],\"deep\":{\"a\":[1,null]}}\n{\"text\":\"two\"}\n"
        let table = "id,text,note\n1,\"a, \"\"b\"\"\nc\",x\n2,d,\n"
        var archive = Data()
        let store = KnowledgeStore(
            storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(dimension: 16))
        _ = try await store.add("one", tags: ["t"])
        _ = try await store.add("two", metadata: ["n": 1])
        try await store.exportEntries(withEmbeddings: true) { archive += $0 }
        let export = String(decoding: archive, as: UTF8.self)
        var generator = Seeded(state: 7)
        var (refused, accepted) = (0, 0)
        func count(_ body: () throws -> Void) rethrows {
            do {
                try body()
                accepted += 1
            } catch let error as RoostError {
                #expect(!error.message.isEmpty)
                refused += 1
            }
        }
        for _ in 0..<JSONMutator.count(default: 1500) {
            if let text = String(validating: mutated(lines, &generator), as: UTF8.self) {
                try count {
                    let reader = RowReader(textColumn: nil, idColumn: nil, name: "lines")
                    let rows = try reader.jsonLines(text)
                    #expect(rows.skipped.allSatisfy { !$0.reason.isEmpty })
                }
            }
            if let text = String(validating: mutated(table, &generator), as: UTF8.self) {
                let tabs = text.replacingOccurrences(of: ",", with: "\t")
                try count { _ = try DelimitedRows.all(",", of: text, name: "table") }
                try count { _ = try DelimitedRows.all("\t", of: tabs, name: "table") }
            }
            let archive = Data(mutated(export, &generator))
            try count { _ = try EntryArchive(archive, name: "export") }
        }
        #expect(refused > 100 && accepted > 50, "\(refused) \(accepted)")
    }
}
