import Foundation
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost
@testable import RoostFiles

/// Tests of ``ClusterForest``.
@Suite struct ClusterForestTests {
    private static func cluster(_ parent: Cluster?, members: Int) -> Cluster {
        var cluster = Cluster(label: "c", members: (0..<members).map { _ in UUID() })
        cluster.parent = parent?.id
        return cluster
    }

    @Test func `a cluster has the members of all clusters below it`() {
        let root = Self.cluster(nil, members: 1)
        let child = Self.cluster(root, members: 2)
        let grandchild = Self.cluster(child, members: 4)
        let orphan = Self.cluster(Self.cluster(nil, members: 0), members: 8)
        let forest = ClusterForest([grandchild, child, root, orphan])
        #expect(forest.roots.map(\.id) == [root.id, orphan.id])
        #expect(forest.children(of: root).map(\.id) == [child.id])
        #expect(forest.size(of: root) == 7)
        #expect(Set(forest.members(of: root)).count == 7)
    }

    @Test func `clusters whose parents form a cycle are roots`() {
        var (first, second) = (Self.cluster(nil, members: 1), Self.cluster(nil, members: 2))
        (first.parent, second.parent) = (second.id, first.id)
        let below = Self.cluster(first, members: 4)
        var own = Self.cluster(nil, members: 8)
        own.parent = own.id
        let forest = ClusterForest([first, second, below, own])
        #expect(Set(forest.roots.map(\.id)) == [first.id, second.id, own.id])
        #expect(forest.size(of: first) == 5)
        #expect(forest.children(of: own).isEmpty)
    }

    @Test func `a long chain of parents is divided and walked in linear time`() {
        var chain = [Self.cluster(nil, members: 1)]
        for _ in 1..<100_000 { chain.append(Self.cluster(chain[chain.count - 1], members: 1)) }
        let clock = ContinuousClock()
        let time = clock.measure {
            let forest = ClusterForest(chain)
            #expect(forest.roots.first?.id == chain[0].id)
            #expect(forest.roots.count == (chain.count - 1) / ClusterForest.maximumLevels + 1)
            #expect(forest.roots.reduce(0) { $0 + forest.size(of: $1) } == chain.count)
            #expect(forest.members(of: chain[0]).count == ClusterForest.maximumLevels)
        }
        #expect(time < .seconds(20))
    }

    @Test func `an export nests a long chain of clusters only to the maximum number of levels`() async throws
    {
        var chain = [Cluster(label: "c")]
        for _ in 1..<20_000 { chain.append(Cluster(label: "c", parent: chain[chain.count - 1].id)) }
        let storage = InMemoryStorageProvider()
        _ = try await storage.commit(
            WriteBatch(clustering: .init(run: nil, clusters: chain.shuffled(), assignments: [])))
        let export = try await KnowledgeStore(storage: storage, embedder: LexicalEmbedder()).clusters.export()
        #expect(export.allClusters.count == chain.count)
        #expect(export.clusters.count == (chain.count - 1) / ClusterForest.maximumLevels + 1)
    }
}

struct ClusterMembersTests {
    private let storage = InMemoryStorageProvider()

    private func fill() async throws -> Cluster {
        let top = Cluster(label: "top")
        var (left, right, other) = (Cluster(label: "left"), Cluster(label: "right"), Cluster(label: "other"))
        var below = Cluster(label: "below")
        (left.parent, right.parent, below.parent) = (top.id, top.id, right.id)
        other.keywords = ["other"]
        let clusters = [top, left, right, below, other]
        let entries = (0..<50).map { Entry(content: "entry \($0)", embeddings: [1, 0]) }
        let assignments = entries.enumerated().map { number, entry in
            Assignment(
                entry: entry.id, target: .cluster(clusters[number % 5].id), run: nil, similarity: 1,
                confidence: 1)
        }
        _ = try await storage.commit(
            WriteBatch(
                upserts: entries,
                clustering: .init(run: nil, clusters: clusters, assignments: assignments)))
        return top
    }

    @Test(arguments: [1, 3, 10, 13, 40, 1_000])
    func `the pages contain all members in the order of the clusters`(limit: Int) async throws {
        let top = try await fill()
        let snapshot = try await storage.snapshot()
        let expected = ClusterForest(try await snapshot.clusters()).members(
            of: try #require(try await snapshot.clusters().first { $0.id == top.id }))
        #expect(expected.count == 40)
        let members = try await ClusterMembers(
            of: top, among: try await snapshot.clusterRecords(), in: snapshot)
        #expect(members.count == 40)
        var found: [Entry.ID] = []
        while true {
            let page = try await members.entries(from: found.count, limit: limit)
            #expect(page.count == min(limit, 40 - found.count))
            found += page.map(\.id)
            if page.isEmpty { break }
        }
        #expect(found == expected)
        #expect(try await members.ids() == expected)
        #expect(try await members.entries(from: 1_000, limit: limit).isEmpty)
    }
}

struct ClusterPageTests {
    private func page() async throws -> String {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for number in 0..<3 { try await store.add("</script> \(number)") }
        let made = try await store.recluster(clusters: 1).clusters
        try await store.clusters.label(made[0].id, as: "</style>")
        return String(decoding: try await store.clusters.map().page, as: UTF8.self)
    }

    @Test func `the page contains all entries and positions as data`() async throws {
        let parts = try await page().components(separatedBy: #"type="application/json">"#)
        let json = try #require(parts.last?.components(separatedBy: "</script>").first)
        let data = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let texts = (data["entries"] as? [[String: Any]])?.compactMap { $0["text"] as? String }
        #expect(texts == (0..<3).map { "</script> \($0)" })
        #expect((data["clusters"] as? [[String: Any]])?.map { $0["label"] as? String } == ["</style>"])
        let map = try #require((data["map"] as? String).flatMap { Data(base64Encoded: $0) })
        let header = map.prefix(4).enumerated().reduce(0) { $0 + Int($1.element) << (8 * $1.offset) }
        #expect(header % 4 == 0 && map.count == 4 + header + 3 * 28)
    }

    @Test func `the policy of the page permits exactly its style and its script`() async throws {
        let page = try await page()
        func digest(_ begin: String, _ end: String) throws -> String {
            let text = try #require(
                page.components(separatedBy: begin).last?.components(separatedBy: end).first)
            return "sha256-" + Data(SHA256.hash(Data(text.utf8))).base64EncodedString()
        }
        #expect(page.contains("style-src '\(try digest("<style>", "</style>"))'"))
        #expect(page.contains("script-src '\(try digest(#"<script type="module">"#, "</script>"))'"))
        #expect(!page.contains("unsafe-inline") && !page.contains("/page/"))
    }
}

struct ClusterLabelingTests {
    /// A labeler that calls a function for its answers and records the excerpts that it receives.
    final class Labeler: ClusterLabeler {
        let name = "remote:namer"
        private let received = Mutex<[ClusterExcerpt]>([])
        private let answer: @Sendable (ClusterExcerpt) async throws -> String

        init(_ answer: @escaping @Sendable (ClusterExcerpt) async throws -> String) { self.answer = answer }

        var excerpts: [ClusterExcerpt] { received.withLock { $0 } }

        func label(_ excerpt: ClusterExcerpt) async throws -> String {
            received.withLock { $0.append(excerpt) }
            return try await answer(excerpt)
        }
    }

    func store(_ storage: any StorageProvider = InMemoryStorageProvider()) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        let drafts = (0..<120).map {
            EntryDraft(
                content: "\(SampleTexts.subjects[$0 % 4]) \($0)" + String(repeating: " \n filler", count: 90))
        }
        _ = try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        _ = try await store.recluster(clusters: 4, seed: 1)
        return store
    }

    @Test func `a labeler gets limited excerpts, and later runs keep its labels`() async throws {
        let store = try await store()
        let labeler = Labeler { "**About \($0.keywords[0])**" }
        let requests = try await store.clusters.labelingRequests()
        let report = try await store.clusters.label(with: labeler, requests)
        #expect((report.labeled.count, report.refused.count, report.outdatedCount) == (4, 0, 0))
        let limits = StoreClusters.labelingLimits
        #expect(labeler.excerpts.count == 4)
        for excerpt in labeler.excerpts {
            #expect(excerpt.texts.count == limits.texts && excerpt.keywords.count <= limits.keywords)
            #expect(excerpt.texts.allSatisfy { $0.count <= limits.charactersPerText && !$0.contains("\n") })
            #expect(excerpt.texts.contains { $0.count == limits.charactersPerText })
        }
        let stored = try await store.storage.fetchClusters()
        #expect(stored.allSatisfy { $0.label == "About \($0.keywords[0])" && $0.labeledBy == labeler.name })
        #expect(stored.allSatisfy { !$0.isLabelPinned })
        _ = try await store.add("bread oven dough flour once more")
        let again = try await store.recluster(clusters: 4, seed: 1)
        #expect(again.clusters.allSatisfy { $0.labeledBy == labeler.name && $0.label.hasPrefix("About ") })
        #expect(try await store.clusters.labelingRequests(unlessLabeledBy: labeler.name).isEmpty)
        #expect(try await store.clusters.export().clusters.allSatisfy { $0.labeledBy == labeler.name })
        // A label that a person sets replaces that of the labeler, which is not asked to label the cluster again.
        let id = again.clusters[0].id
        let named = try await store.clusters.label(id, as: "Mine")
        #expect(named.labeledBy == nil)
        #expect(try await store.clusters.labelingRequests().map(\.cluster).contains(id) == false)
        #expect(try await store.clusters.label(id, as: nil).labeledBy == nil)
        await #expect(throws: RoostError.self) { try await store.clusters.labelingRequests(of: [UUID()]) }
    }

    @Test func `a cluster whose members have mostly changed loses a labeler's label`() async throws {
        let store = try await store()
        _ = try await store.clusters.label(
            with: Labeler { _ in "Odds" }, try await store.clusters.labelingRequests())
        let ids = try await store.storage.fetchClusters().map(\.id)
        // The merged cluster shares only a quarter of its members with the cluster that was labeled.
        let merged = try await store.clusters.merge(ids)
        #expect(merged.labeledBy == nil && !merged.label.hasPrefix("Odds"))
    }

    @Test func `equal labels get a keyword, and unusable answers are refused`() async throws {
        let store = try await store()
        let requests = try await store.clusters.labelingRequests()
        let same = try await store.clusters.label(with: Labeler { _ in "Things" }, requests)
        #expect(Set(same.labeled.map(\.label)).count == 4)
        #expect(same.labeled.allSatisfy { $0.label.hasPrefix("Things") })
        let first = requests[0].excerpt
        let chatty = Labeler { excerpt in
            if excerpt == first { return "I am sorry, but as a model I can not give a name to these texts." }
            throw EmbedderError(.badAnswer, "no text")
        }
        let before = try await store.storage.snapshot().stamp
        let report = try await store.clusters.label(with: chatty, requests)
        #expect(report.labeled.isEmpty && report.refused.count == 4 && report.failure == nil)
        #expect(try await store.storage.snapshot().stamp == before)
    }

    @Test func `labels received before a failure are kept, and a label set by a person takes precedence`()
        async throws
    {
        let store = try await store()
        let requests = try await store.clusters.labelingRequests()
        let first = requests[0].excerpt
        let failing = Labeler { excerpt in
            if excerpt == first { return "Good" }
            throw EmbedderError(.unavailable, "the line is dead", isRetryable: true)
        }
        let report = try await store.clusters.label(with: failing, requests)
        #expect(report.labeled.map(\.label) == ["Good"])
        #expect(report.failure?.message == "the line is dead")
        let pinned = requests[1].cluster
        let slow = Labeler { excerpt in
            _ = try? await store.clusters.label(pinned, as: "Mine")
            return "Theirs \(excerpt.keywords[0])"
        }
        let second = try await store.clusters.label(with: slow, requests)
        #expect(second.outdatedCount == 1)
        let clusters = try await store.storage.fetchClusters()
        #expect(clusters.first { $0.id == pinned }?.label == "Mine")
        #expect(clusters.count { $0.label.hasPrefix("Theirs") } == 3)
    }

    @Test func `an error of any type ends the labeling but keeps the labels before it`() async throws {
        let store = try await store()
        let requests = try await store.clusters.labelingRequests()
        let first = requests[0].excerpt
        let failing = Labeler { excerpt in
            if excerpt == first { return "Good" }
            throw CocoaError(.fileReadNoSuchFile)
        }
        let report = try await store.clusters.label(with: failing, requests)
        #expect(report.labeled.map(\.label) == ["Good"])
        #expect(report.failure?.code == .unavailable)
        #expect(report.failure?.message.hasPrefix("cannot get a label from remote:namer: ") == true)
    }

    @Test func `a canceled labeling changes nothing`() async throws {
        let store = try await store()
        let requests = try await store.clusters.labelingRequests()
        let before = try await store.storage.snapshot().stamp
        let task = Task {
            try await store.clusters.label(
                with: Labeler { _ in
                    try await Task.sleep(for: .seconds(60))
                    return "x"
                }, requests)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.storage.snapshot().stamp == before)
    }

    @Test(arguments: [
        ("Sourdough Baking", "Sourdough Baking"), ("\"Sourdough baking.\"\n", "Sourdough baking"),
        ("<think>bread,\nor flour?</think>\n\nSourdough", "Sourdough"), ("hm, bread</think> Bread", "Bread"),
        ("Label: **Bread  and\tbutter**", "Bread and butter"), ("# Café", "Café"), ("<think>never ends", nil),
        ("", nil), ("\n \"\" \n", nil), ("…", nil), ("one two three four five six seven eight nine", nil),
        (String(repeating: "x", count: 81), nil), ("bad\u{7}bell", nil), ("\u{202E}reversed", nil),
        ("Pain\nBrot", "Pain"), ("日本語のパン", "日本語のパン"),
    ])
    func `a label is extracted from an answer`(answer: String, label: String?) {
        #expect(ClusterLabelText.label(in: answer) == label)
    }
}

@Suite struct FolderNamesTests {
    @Test func `names that more than half of the files share are common`() async throws {
        let storage = InMemoryStorageProvider()
        for (number, folder) in ["birds", "birds", "boats", "boats", "bread"].enumerated() {
            try await storage.saveEntry(
                Entry(
                    content: "text \(number)", embeddings: [1],
                    source: "file:///home/ana/vault/\(folder)/\(number).md"))
        }
        for number in 0..<20 {
            try await storage.saveEntry(
                Entry(content: "message \(number)", embeddings: [1], source: "chat:\(number)/x"))
        }
        #expect(try await FolderNames.common(in: storage.snapshot()) == ["vault"])
    }

    @Test func `the names are those of the two innermost folders`() {
        #expect(FolderNames.names(ofSource: "file:///a/b%20c/d/e.md") == ["b c", "d"])
        #expect(FolderNames.names(ofSource: "https://example.org/a/b") == [])
        #expect(FolderNames.names(ofSource: "stdin") == [])
    }
}
