import Foundation
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of labeling clusters with a labeler.
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
        // A label that a person sets replaces that of the labeler, which is not asked to label the cluster
        // again.
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

/// Tests of the labels of clusters of notes with badges, addresses and footers.
@Suite struct VaultLabelTests {
    @Test func `labels of the sample vault contain no addresses and no hexadecimal numbers`() async throws {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        _ = try await store.ingest(folder: Fixtures.folder.appendingPathComponent("vault"))
        let labels = try await store.recluster().clusters.map(\.label)
        #expect(labels.count > 1)
        let markup: Set<String> = ["http", "https", "www", "shields", "badge", "img", "svg", "png", "html"]
        for label in labels {
            let words = label.lowercased().split { !$0.isLetter && !$0.isNumber }
            #expect(markup.isDisjoint(with: words.map(String.init)), "\(label)")
            let hexadecimal = words.filter { word in
                word.count >= 5 && word.allSatisfy(\.isHexDigit) && word.contains(where: \.isNumber)
            }
            #expect(hexadecimal.isEmpty, "\(label)")
        }
    }
}

/// Tests of the names of folders that contribute to labels.
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
