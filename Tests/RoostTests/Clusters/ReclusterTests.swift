import Foundation
import RoostClustering
import RoostModel
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of the progress that clustering runs report.
struct ReclusterProgressTests {
    /// Runs a function with a store, and returns what it reported.
    private static func progress(
        _ run: (KnowledgeStore, @escaping @Sendable (ReclusterProgress) -> Void) async throws -> Void
    ) async throws -> [ReclusterProgress] {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for number in 0..<10 {
            try await store.add("tomato soil garden water seeds plant \(number)")
            try await store.add("engine piston gearbox oil brake motor \(number)")
        }
        let reported = Mutex<[ReclusterProgress]>([])
        try await run(store) { progress in reported.withLock { $0.append(progress) } }
        return reported.withLock(\.self)
    }

    private static func check(_ reported: [ReclusterProgress]) {
        let shares = reported.map(\.share)
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 }, "\(shares)")
        #expect(shares.first == 0 && shares.last == 1)
        let steps = reported.map(\.step)
        let order = ClusteringStep.allCases.filter(steps.contains)
        #expect(steps.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == order)
    }

    @Test(arguments: [false, true])
    func `a run reports all steps in order`(isDryRun: Bool) async throws {
        let reported = try await Self.progress { store, report in
            _ = try await store.recluster(isDryRun: isDryRun, progress: report)
        }
        Self.check(reported)
        #expect(Set(reported.map(\.step)) == Set(ClusteringStep.allCases))
    }

    @Test func `runs with a number of clusters, and continued ones, report their steps`() async throws {
        let counted = try await Self.progress { store, report in
            _ = try await store.recluster(clusters: 2, progress: report)
        }
        Self.check(counted)
        let continued = try await Self.progress { store, report in
            _ = try await store.recluster()
            _ = try await store.recluster(progress: report)
        }
        Self.check(continued)
    }
}

/// The partition is determined by the texts alone.
@Suite(.temporaryFolders) struct ClusterIndependenceTests {
    /// Copies the notes to a new folder, ingests them in the given order, and returns the clusters as sets of
    /// texts.
    func clusters(reversed: Bool, seed: UInt64) async throws -> Set<Set<String>> {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Fixtures.folder.appendingPathComponent("notes"), to: folder)
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let subjects = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
        for subject in reversed ? subjects.reversed() : subjects where subject.hasDirectoryPath {
            try await store.ingest(folder: subject)
        }
        _ = try await store.recluster(seed: seed)
        var texts: [Entry.ID: String] = [:]
        for try await entry in store.entries() { texts[entry.id] = entry.content }
        var members: [Cluster.ID: Set<String>] = [:]
        for assignment in try await store.storage.snapshot().assignments(of: nil) {
            guard let cluster = assignment.cluster, let text = texts[assignment.entry] else { continue }
            members[cluster, default: []].insert(text)
        }
        return Set(members.values)
    }

    @Test func `folder, order of ingestion and seed do not change the clusters`() async throws {
        let first = try await clusters(reversed: false, seed: 1)
        #expect(first.count > 1)
        #expect(try await clusters(reversed: true, seed: 2) == first)
    }
}
