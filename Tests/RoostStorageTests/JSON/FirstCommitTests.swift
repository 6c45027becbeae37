import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostStorage

/// A store whose first commit another process makes at the moment is not damaged.
@Suite(.temporaryFolders) struct FirstCommitTests {
    @Test func `CURRENT is read again before it counts as missing`() async throws {
        let folder = StoreFolder(try TemporaryFolder().url)
        #expect(try folder.currentRecord() == (nil, false))
        let store = try LocalStorageProvider(directory: folder.url)
        for number in 1...2 { try await store.saveEntry(Entry(content: "entry \(number)")) }
        // The first read finds no file, as if the commits had been made after it.
        var reads = 0
        let (record, hasHistory) = try folder.currentRecord { url in
            reads += 1
            return reads == 1 ? nil : try StoreFolder.contents(of: url)
        }
        #expect(record != nil && hasHistory)
        try FileManager.default.removeItem(at: folder.current)
        #expect(try folder.currentRecord() == (nil, true))
        let error = #expect(throws: StorageError.self) { try LocalStorageProvider(directory: folder.url) }
        #expect(error?.code == .damaged)
    }
    @Test func `processes that are ended before the first commit leave no history`() async throws {
        let folder = StoreFolder(try TemporaryFolder().url)
        let remnant = folder.generation(1)
        try FileManager.default.createDirectory(at: remnant, withIntermediateDirectories: true)
        let store = try LocalStorageProvider(directory: folder.url)
        try await store.saveEntry(Entry(content: "entry"))
        #expect(folder.generationNumbers == [1])
    }
}
