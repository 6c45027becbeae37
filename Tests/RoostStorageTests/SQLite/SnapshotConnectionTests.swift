import Foundation
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostStorage

@Suite(.temporaryFolders) struct SnapshotConnectionTests {
    /// Returns the number of files that this process has open for a database, without its log.
    private func openFiles(_ url: URL) throws -> Int {
        let folder = "/proc/self/fd"
        let path = url.resolvingSymlinksInPath().path
        return try FileManager.default.contentsOfDirectory(atPath: folder).count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
        }
    }

    private func provider(_ folder: TemporaryFolder) async throws -> (SQLiteStorageProvider, URL) {
        let url = folder.url.appendingPathComponent("roost.sqlite")
        return (try await SQLiteStorageProvider(databaseURL: url), url)
    }

    @Test func `each snapshot shows the latest state, whichever connection it uses`() async throws {
        let folder = try TemporaryFolder()
        let (provider, url) = try await provider(folder)
        let other = try await SQLiteStorageProvider(databaseURL: url)
        var held: [any StorageSnapshot] = []
        for number in 1...20 {
            let writer = number.isMultiple(of: 2) ? provider : other
            try await writer.saveEntry(Entry(content: "entry \(number)", embeddings: [1]))
            let snapshot = try await provider.snapshot()
            #expect(snapshot.stamp.entryCount == number)
            let page = try await snapshot.entries(after: nil, limit: 100, matching: EntryFilter())
            #expect(page.entries.count == number)
            if number.isMultiple(of: 5) { held.append(snapshot) }
        }
        for (index, snapshot) in held.enumerated() {
            let page = try await snapshot.entries(after: nil, limit: 100, matching: EntryFilter())
            #expect(page.entries.count == 5 * (index + 1))
        }
        held = []
        try await provider.close()
        try await other.close()
    }

    #if os(Linux)
        @Test func `many snapshots leave few files open, and closing leaves none`() async throws {
            let folder = try TemporaryFolder()
            let (provider, url) = try await provider(folder)
            try await provider.saveEntry(Entry(content: "a swift", embeddings: [1]))
            _ = try await provider.snapshot().sources()
            let before = try openFiles(url)
            for _ in 0..<50 { _ = try await provider.snapshot().sources() }
            // A snapshot can end a moment later than its last call, and then needs a connection of its own.
            let after = try openFiles(url)
            #expect(after <= before + 10, "\(before)")

            // SQLite keeps the files of closed connections open while others hold locks, and uses them again.
            var held: [any StorageSnapshot] = []
            for _ in 0..<20 { held.append(try await provider.snapshot()) }
            let most = try openFiles(url)
            held = []
            for _ in 0..<20 { held.append(try await provider.snapshot()) }
            #expect(try openFiles(url) <= most)
            held.removeLast(19)
            try await provider.close()
            // A snapshot can be used after its provider was closed.
            let page = try await held[0].entries(after: nil, limit: 1, matching: EntryFilter())
            #expect(page.entries.count == 1)
            held = []
            #expect(try openFiles(url) == 0)
        }

        @Test func `a canceled query leaves a usable connection`() async throws {
            let folder = try TemporaryFolder()
            let (provider, url) = try await provider(folder)
            for start in stride(from: 0, to: 2_000, by: 500) {
                var batch = WriteBatch()
                batch.upserts = (start..<(start + 500)).map {
                    Entry(content: "entry \($0)", embeddings: [1], tags: ["t\($0)"])
                }
                _ = try await provider.commit(batch)
            }
            for delay in 0..<20 {
                let task = Task {
                    let snapshot = try await provider.snapshot()
                    return try await snapshot.entries(after: nil, limit: .max, matching: EntryFilter())
                        .entries.count
                }
                try await Task.sleep(for: .microseconds(delay * 300))
                task.cancel()
                do { #expect(try await task.value == 2_000) } catch is CancellationError {}
                let rows = try await provider.snapshot().rows(matching: EntryFilter())
                #expect(rows.count == 2_000)
            }
            try await provider.close()
            #expect(try openFiles(url) == 0)
        }
    #endif
}
