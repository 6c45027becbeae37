package import Foundation
package import RoostFiles
package import RoostModel
import RoostStorage
package import RoostTestKit
import RoostVectors

/// A fixed sequence of writes of every kind. A child process performs the writes and is killed at some step.
/// The test knows the expected contents after each write.
package enum CrashWorkload {
    package enum Step: Sendable {
        case commit(WriteBatch)
        case renewEpoch
        case compact
    }

    package enum Backend: String, Sendable, CaseIterable {
        case json, sqlite
    }

    private static func id(_ number: Int) -> UUID {
        UUID(
            uuidString: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number).count)
                + String(number))
            ?? UUID()
    }

    private static let date = Date(milliseconds: 1_700_000_000_000)

    private static func entry(_ number: Int, _ content: String, passages: Int = 0, source: String? = nil)
        -> Entry
    {
        var vector: [Float] = [0, 0, 0, 0]
        vector[number % 4] = 1
        let length = content.utf8.count
        return Entry(
            id: id(number), content: content, embeddings: vector,
            passages: (0..<passages).map {
                Passage(ordinal: $0, utf8Range: 0..<length, tokenCount: $0, vector: Array(vector.reversed()))
            },
            source: source, metadata: ["number": .integer(Int64(number)), "größe": "☃"],
            tags: ["t\(number % 3)"],
            createdAt: date)
    }

    private static func cluster(_ number: Int, _ label: String) -> Cluster {
        Cluster(
            id: id(900 + number), label: label, keywords: [label], centroid: [1, 0, 0, 0], cohesion: 0.5,
            createdAt: date)
    }

    private static func run(_ number: Int) -> ClusteringRun {
        ClusteringRun(
            id: id(950 + number), algorithm: "spherical-k-means", seed: 1,
            stamp: Stamp(store: id(0), epoch: id(0), revision: .zero, entryCount: 3, clusterCount: 0),
            createdAt: date)
    }

    package static let steps: [Step] = [
        .commit(
            WriteBatch(
                upserts: (1...3).map { entry($0, "entry \($0)", source: "s") },
                sources: [Source(id: "s", fingerprint: "1", ingestedAt: date)])),
        .commit(
            WriteBatch(upserts: [
                entry(2, "entry 2, changed", source: "s"), entry(4, "with passages", passages: 3),
            ])),
        .commit(
            WriteBatch(
                clustering: .init(
                    run: run(1), clusters: [cluster(1, "one"), cluster(2, "two")],
                    assignments: [
                        Assignment(entry: id(1), target: .cluster(id(901)), run: id(951), similarity: 0.9),
                        Assignment(entry: id(2), target: .cluster(id(902)), run: id(951), similarity: 0.8),
                        Assignment(entry: id(3), target: .outlier(.distant), run: id(951), similarity: 0.1),
                    ]))),
        .commit(
            WriteBatch(
                removals: [id(3)], assignments: [Assignment(entry: id(4), target: .cluster(id(901)))])),
        .compact,
        .commit(
            WriteBatch(upserts: [entry(3, "back again"), entry(5, String(repeating: "long ", count: 60_000))])
        ),
        .renewEpoch,
        .commit(
            WriteBatch(
                sources: [Source(id: "s", fingerprint: "2", ingestedAt: date)],
                clusters: [cluster(2, "renamed")],
                unassignments: [id(1)])),
        .compact,
        .commit(WriteBatch(upserts: (10..<30).map { entry($0, "entry \($0)", passages: $0 % 3) })),
        .commit(WriteBatch(removals: (10..<20).map { id($0) } + [id(1)], removedSources: ["s"])),
        .commit(WriteBatch(clustering: .init(run: run(2), clusters: [cluster(3, "three")], assignments: []))),
        .compact,
        .commit(WriteBatch(upserts: [entry(40, "the last")])),
    ]

    package static func open(
        _ backend: Backend, in folder: URL, files: FileSystem = .standard
    ) async throws -> any StorageProvider {
        switch backend {
        case .json:
            var options = LocalStorageProvider.Options()
            options.files = files
            options.lockTimeout = lockTimeout
            return try LocalStorageProvider(
                directory: folder.appendingPathComponent("Storage"), options: options)
        case .sqlite:
            var options = SQLiteStorageProvider.Options()
            options.lockTimeout = lockTimeout
            return try await SQLiteStorageProvider(
                databaseURL: folder.appendingPathComponent("roost.sqlite"), options: options)
        }
    }

    /// The number of seconds to wait for other writers. On a busy machine, several processes that write
    /// without a pause can keep one of them waiting for longer than the default.
    private static let lockTimeout: TimeInterval = 600

    package static func perform(_ step: Step, on store: any StorageProvider) async throws {
        switch step {
        case .commit(let batch): _ = try await store.commit(batch)
        case .renewEpoch: try await store.renewEpoch()
        case .compact: try await store.compact()
        }
    }

    /// Returns the contents of a store before the first step and after each step.
    package static func expected() async throws -> [StorageContents] {
        let model = InMemoryStorageProvider()
        var all = [try await StorageContents(model)]
        for step in steps {
            try await perform(step, on: model)
            all.append(try await StorageContents(model))
        }
        return all
    }
}
