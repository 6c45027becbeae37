import Foundation
import Roost
import RoostFiles
import TestSupport
import Testing

/// Searches have the same results with an intact index, with a damaged index and without an index.
@Suite(.temporaryFolders) struct IndexTests {
    let directory = TemporaryFolder.unusedURL()
    var file: URL { directory.appendingPathComponent("index/passages") }

    private let cli = CommandLineDriver()

    private func store(_ provider: StoreManifest.Provider) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.create(
            at: directory, provider: provider, embedder: LexicalEmbedder())
        let words = ["swift", "boat", "bread", "roof", "paint", "night", "sea", "bird", "oven", "oar"]
        var generator = SeededGenerator(seed: 1)
        let drafts = (0..<400).map { number in
            let chosen = (0..<6).map { _ in words[generator.nextIndex(below: words.count)] }
            return EntryDraft(content: chosen.joined(separator: " ") + " \(number)")
        }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        return store
    }

    private func open() async throws -> KnowledgeStore {
        try await KnowledgeStore.open(at: directory) { _ in LexicalEmbedder() }
    }

    private func summary(_ hit: QueryHit) -> String {
        "\(hit.entry.content) \(hit.score) \(hit.textScore ?? 0)"
    }

    private func answers(_ store: KnowledgeStore) async throws -> [[String]] {
        var answers: [[String]] = []
        for mode in SearchMode.allCases {
            for question in ["swift on the roof", "bread in the oven", "a boat at sea", "\"boat sea\" -bird"]
            {
                var search = EntrySearch(question)
                search.mode = mode
                answers.append(try await store.search(search).hits.map(summary))
            }
        }
        return answers
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `results are the same with an index, without one, and after changes`(
        provider: StoreManifest.Provider
    ) async throws {
        let first = try await store(provider)
        let without = try await answers(first)
        #expect(try await first.index.description() == nil)
        let built = try #require(try await first.index.build())
        #expect((built.passages, built.changesSince) == (400, 0))
        let second = try await open()
        #expect(try await answers(second) == without)
        let (reads, readsAgain) = (await first.index.wasMissed, await second.index.wasMissed)
        #expect(reads && !readsAgain)
        #expect(try await second.search("swift").notices == [])

        // Makes three changes that the index does not contain: adds an entry, changes one and removes one.
        try await second.add("swift swift swift on the roof of the roof")
        let entries = try await second.storage.fetchEntries()
        try await second.update(entries[7].id, EntryChanges(content: "a boat a boat a boat at sea"))
        try await second.storage.deleteEntry(entries[8].id)
        let third = try await open()
        #expect(try await third.index.description()?.changesSince == 3)
        let caughtUp = try await answers(third)
        let isVector = SearchMode.allCases.firstIndex(of: .vector)! * 4
        #expect(caughtUp[isVector][0].hasPrefix("swift swift swift"))
        #expect(caughtUp[isVector + 2][0].hasPrefix("a boat a boat"))
        #expect(caughtUp.allSatisfy { !$0.contains { $0.contains("\(entries[8].content) ") } })
        try FileManager.default.removeItem(at: file)
        #expect(try await answers(try await open()) == caughtUp)
        #expect(try await answers(first) == caughtUp)
    }

    @Test func `a damaged index is reported, ignored, and can be rebuilt`() async throws {
        let first = try await store(.sqlite)
        let expected = try await answers(first)
        try await first.index.build()
        let intact = try Data(contentsOf: file)
        var generator = SeededGenerator(seed: 4)
        var damages: [Data] = [
            Data(), intact.prefix(10), intact.prefix(intact.count / 2), intact + Data([0]),
        ]
        for _ in 0..<60 {
            var bytes = intact
            bytes[generator.nextIndex(below: intact.count)] ^= 1 << UInt8(generator.nextIndex(below: 8))
            damages.append(bytes)
        }
        var noticed = 0
        for damage in damages {
            try damage.write(to: file)
            let store = try await open()
            let result = try await store.search("swift on the roof")
            #expect(result.hits.map(summary) == expected[0])
            noticed += result.notices.count
            try await store.close()
        }
        // Damage in the padding between sections has no effect and is not reported.
        #expect(noticed >= 50, "\(noticed)")
        let store = try await open()
        try await store.index.build()
        #expect(try Data(contentsOf: file).count == intact.count)
        #expect(try await store.index.description()?.passages == 400)
    }

    @Test func `an index of another history or of a later state is not used`() async throws {
        let first = try await store(.json)
        try await first.index.build()
        let old = try Data(contentsOf: file)
        try await first.storage.renewEpoch()
        #expect(try await first.index.description() == nil)
        let expected = try await answers(try await open())
        // The store was restored to an earlier state, and the index was built from a later one.
        try await first.index.build()
        let future = try Data(contentsOf: file)
        for data in [old, future] {
            try data.write(to: file)
            #expect(try await answers(try await open()) == expected)
        }
    }

    @Test func `builders and readers can work at the same time`() async throws {
        let first = try await store(.sqlite)
        let expected = try await answers(first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let store = try await open()
                    for _ in 0..<5 { try await store.index.build() }
                    try await store.close()
                }
                group.addTask {
                    for _ in 0..<5 {
                        let store = try await open()
                        #expect(try await answers(store) == expected)
                        try await store.close()
                    }
                }
            }
            try await group.waitForAll()
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(names.sorted() == ["lock", "passages", "words"])
    }

    @Test func `the index is refreshed only if enough entries have changed`() async throws {
        let store = try await store(.sqlite)
        #expect(try await store.index.refresh() == .current)
        #expect(try await store.index.refresh(minimumEntries: 100) == .written)
        #expect(try await store.index.refresh(minimumEntries: 100) == .current)
        for number in 0..<50 { try await store.add("one more \(number)") }
        #expect(try await store.index.refresh(minimumEntries: 100) == .current)
        try await store.add("the last one")
        #expect(try await store.index.refresh(minimumEntries: 100) == .written)
        #expect(try await store.index.description()?.passages == 451)
        let memory = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        #expect(try await memory.index.refresh(minimumEntries: 0) == .current)
        await #expect { try await memory.index.build() } throws: {
            ($0 as? RoostError)?.code == .configuration
        }
    }

    @Test func `an empty store has no index`() async throws {
        let store = try await KnowledgeStore.create(at: directory, embedder: LexicalEmbedder())
        #expect(try await store.index.build() == nil)
        #expect(try await store.search("anything").hits.isEmpty)
        #expect(try cli.roost("index", "--store", directory.path).status == 1)
    }

    @Test func `a build that is killed or runs out of space leaves the existing index unchanged`()
        async throws
    {
        let first = try await store(.sqlite)
        try await first.index.build(graphPassages: 100 ... .max)
        for number in 0..<30 { try await first.add("a bird that is new \(number)") }
        let expected = try await answers(first)
        try await first.close()
        let intact = try Data(contentsOf: file)
        func check() async throws {
            let store = try await open()
            #expect(try await answers(store) == expected)
            #expect(try await store.search("swift").notices == [])
            try await store.close()
        }
        // Files are limited to 100 blocks of 512 bytes, so the index cannot be written.
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "trap '' XFSZ; ulimit -f 100; exec \"$0\" index --store \"$1\"",
            CommandLineDriver.binary.path, directory.path,
        ]
        process.environment = ["HOME": cli.home.path, "PATH": "/usr/bin:/bin"]
        let errors = Pipe()
        process.standardError = errors
        try TestTool.start(process)
        let message = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 74 && message.contains("cannot write"), "\(message)")
        #expect(try Data(contentsOf: file) == intact)
        try await check()
        for delay in stride(from: 10, to: 130, by: 10) {
            let running = try cli.start(["index", "--store", directory.path])
            try await Task.sleep(for: .milliseconds(delay))
            kill(running.process.processIdentifier, SIGKILL)
            _ = try running.outcome()
            try await check()
        }
        let store = try await open()
        try await store.index.build(graphPassages: 100 ... .max)
        let names = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
        #expect(names.sorted() == ["graph", "lock", "passages", "words"])
        #expect(try await store.index.description()?.changesSince == 0)
    }

    var graph: URL { directory.appendingPathComponent("index/graph") }

    @Test func `a graph finds nearly all that an exact search finds, even after changes`() async throws {
        let first = try await store(.sqlite)
        let built = try #require(try await first.index.build(graphPassages: 100 ... .max))
        #expect(built.hasGraph)
        let store = try await open()
        func compare() async throws {
            var (hits, all) = (0, 0)
            for question in ["swift on the roof", "bread in the oven", "a boat at sea", "paint at night"] {
                var exact = EntrySearch(question)
                exact.isExact = true
                let expected = try await store.search(exact).hits.map(\.score)
                let found = try await store.search(question).hits.map(\.score)
                #expect(found.count == expected.count)
                hits += zip(found, expected).count { $0 == $1 }
                all += expected.count
            }
            #expect(Double(hits) >= 0.9 * Double(all), "\(hits) of \(all)")
        }
        try await compare()
        let entries = try await store.storage.fetchEntries()
        for entry in entries.prefix(12) { try await store.storage.deleteEntry(entry.id) }
        try await store.add("a boat on the roof of the sea")
        try await compare()
        let left = try await store.search("swift").hits.map(\.entry.id)
        #expect(Set(left).isDisjoint(with: entries.prefix(12).map(\.id)))
        // A graph with too many changes is kept. Searches include the changes made since it was built. Otherwise,
        // the changes are inserted, however large the graph is.
        for number in 0..<30 { try await store.add("a bird that is new \(number)") }
        for number in 0..<30 { try await store.storage.deleteEntry(entries[50 + number].id) }
        for (maximum, outcome) in [(72, IndexRefresh.due(changes: 73)), (73, .written)] {
            let found = try await store.index.refresh(minimumEntries: 100, maximumGraphPassages: maximum)
            #expect(found == outcome)
            try await compare()
        }
        #expect(try await store.index.description()?.hasGraph == true)
        for number in 0..<30 { try await store.storage.saveEntry(entries[50 + number]) }
        for entry in try await store.storage.fetchEntries()
        where entry.content.hasPrefix("a bird that is new") {
            try await store.storage.deleteEntry(entry.id)
        }
        // Half of all entries are removed.
        for entry in entries.dropFirst(12).prefix(200) { try await store.storage.deleteEntry(entry.id) }
        var search = EntrySearch("swift", limit: 1000)
        search.includesAll = true
        let everything = try await store.search(search)
        #expect(everything.hits.count == 400 - 212 + 1)
    }

    @Test func `a damaged graph or one over other vectors is ignored`() async throws {
        let first = try await store(.sqlite)
        try await first.index.build(graphPassages: 100 ... .max)
        let intact = try Data(contentsOf: graph)
        let expected = try await answers(first)
        var generator = SeededGenerator(seed: 6)
        var noticed = 0
        for round in 0..<40 {
            var bytes = intact
            bytes[generator.nextIndex(below: intact.count)] ^= 1 << UInt8(generator.nextIndex(below: 8))
            try (round == 0 ? intact.prefix(intact.count / 2) : bytes).write(to: graph)
            let store = try await open()
            let found = try await answers(store)
            let notices = try await store.search("swift").notices
            // Damage in parts that the searches did not read may go unnoticed.
            if !notices.isEmpty { #expect(found == expected) }
            if round == 0 { #expect(notices.count == 1) }
            noticed += notices.count
            try await store.close()
            if !notices.isEmpty, round > 0 {
                let findings = try await StoreInspector(directory).inspect()
                #expect(findings.contains { $0.subject == graph.path || $0.subject == self.file.path })
            }
        }
        #expect(noticed >= 20, "\(noticed)")
        // Changes the metadata to values out of range, with correct checksums.
        try intact.write(to: graph)
        let file = try SectionFile(graph)
        let text = String(decoding: file.metadata, as: UTF8.self)
        for metadata in [
            text.replacing(/"count":\d+/, with: "\"count\":999999999"),
            text.replacing(/"degree":\d+/, with: "\"degree\":0"),
            text.replacing(/"dimension":\d+/, with: "\"dimension\":-1"), "{}",
        ] {
            try SectionFile.write(to: graph, metadata: Data(metadata.utf8), sections: [])
            let store = try await open()
            #expect(try await answers(store) == expected)
            try await store.close()
        }
        try intact.write(to: graph)
        try await first.add("one more that the graph does not know")
        #expect(try await first.index.build() != nil)
        #expect(!FileManager.default.fileExists(atPath: graph.path))
        try intact.write(to: graph)
        #expect(try await open().index.description()?.hasGraph == false)
    }

    @Test func `an index that contradicts the store is detected`() async throws {
        let first = try await store(.sqlite)
        let expected = try await answers(first)
        try await first.index.build()
        // Creates an index that has the stamp of this store but other contents, as may result from copying folders.
        let file = try SectionFile(self.file)
        let count = 400
        let ids = try file.section("ids", of: uuid_t.self, count: count).map { _ in UUID().uuid }
        let rows = try file.section("entryRows", of: UInt32.self, count: count)
        let ordinals = try file.section("ordinals", of: UInt32.self, count: count)
        let vectors = try file.section("vectors", of: Float.self, count: count * 512)
        let mirrored = vectors.map { -$0 }
        let swaps: [([uuid_t], [Float])] = [
            (ids, Array(vectors)),
            (try file.section("ids", of: uuid_t.self, count: count).map { $0 }, mirrored),
        ]
        for (otherIDs, otherVectors) in swaps {
            try otherIDs.withUnsafeBytes { ids in
                try otherVectors.withUnsafeBytes { numbers in
                    try SectionFile.write(
                        to: self.file, metadata: file.metadata,
                        sections: [
                            ("entryRows", UnsafeRawBufferPointer(rows)), ("ids", ids),
                            ("ordinals", UnsafeRawBufferPointer(ordinals)), ("vectors", numbers),
                        ])
                }
            }
            let store = try await open()
            let result = try await store.search("swift on the roof")
            #expect(result.hits.map(summary) == expected[0])
            #expect(result.notices.count == 1)
            #expect(try await answers(store) == expected)
            try await store.close()
        }
        #expect(try await open().search("swift", limit: -1).hits.isEmpty)
    }

    @Test func `vectors that do not have unit length are found`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        var generator = SeededGenerator(seed: 8)
        for number in 0..<50 {
            let vector = (0..<512).map { _ in 1000 * Float(generator.nextNormal()) }
            try await store.storage.saveEntry(Entry(content: "entry \(number)", embeddings: vector))
        }
        let query = (0..<512).map { _ in 1000 * Float(generator.nextNormal()) }
        #expect(try await store.search(EntrySearch(.vector(query))).hits.count == 10)
    }

    @Test func `queries succeed while the entries that they find are being changed`() async throws {
        let store = try await store(.sqlite)
        try await store.index.build()
        let reader = try await open()
        let entries = try await store.search("swift on the roof").hits.map(\.entry)
        let writer = Task {
            for round in 0..<60 {
                let entry = entries[round % entries.count]
                try await store.update(entry.id, EntryChanges(content: "swift on the roof, round \(round)"))
            }
        }
        for _ in 0..<40 {
            let result = try await reader.search("swift on the roof")
            #expect(result.hits.count == 10 && result.notices == [])
        }
        try await writer.value
    }
}
