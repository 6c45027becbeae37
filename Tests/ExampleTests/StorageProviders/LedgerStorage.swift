import Foundation
import Roost

/// A complete backend: each batch is a separate, numbered file (a page) in a folder. The contents of the store result
/// from applying the pages in order. Several handles of one process can use a folder; several processes cannot.
actor LedgerStorage: StorageProvider {
    private struct Page: Codable {
        var batch: WriteBatch?
        var epoch: UUID?
    }

    private let folder: URL
    private let state: InMemoryStorageProvider
    /// The number of the last page that was applied to the state.
    private var lastPage = 0
    private var isClosed = false

    init(folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let identity = folder.appendingPathComponent("identity")
        if !FileManager.default.fileExists(atPath: identity.path) {
            try? Data(UUID().uuidString.utf8).write(to: identity, options: .withoutOverwriting)
        }
        let text = try String(contentsOf: identity, encoding: .utf8)
        guard let store = UUID(uuidString: text) else {
            throw StorageError(.damaged, "\(identity.path) does not contain a UUID; restore it from a copy")
        }
        state = InMemoryStorageProvider(store: store)
    }

    func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        // No `await` from here on, so that the state does not change between reading it and writing the page.
        while true {
            try catchUp()
            // The reference implementation validates the batch and determines its revision before the write.
            let trial = state.copy()
            let revision = try trial.apply(batch)
            if revision == state.stamp.revision { return revision }
            var page = batch
            page.expecting = .init()
            if try write(Page(batch: page), number: lastPage + 1) { return revision }
        }
    }

    func renewEpoch() async throws -> Stamp {
        try Task.checkCancellation()
        repeat { try catchUp() } while try !write(Page(epoch: UUID()), number: lastPage + 1)
        try catchUp()
        return state.stamp
    }

    func snapshot() async throws -> any StorageSnapshot {
        try catchUp()
        return try await state.snapshot()
    }

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try catchUp()
        return try await state.changes(after: cursor, limit: limit)
    }

    func close() async throws { isClosed = true }

    private func url(_ number: Int) -> URL { folder.appendingPathComponent("\(number).json") }

    /// Writes a complete page and links it to its number. The link is the commit point.
    ///
    /// - Returns: `false` if another writer already used the number.
    private func write(_ page: Page, number: Int) throws -> Bool {
        let temporary = folder.appendingPathComponent(".\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: temporary) }
        do {
            try JSONEncoder().encode(page).write(to: temporary)
            let file = try FileHandle(forWritingTo: temporary)
            try file.synchronize()
            try file.close()
            try FileManager.default.linkItem(at: temporary, to: url(number))
            return true
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            return false
        } catch {
            throw StorageError(
                .inputOutput, "cannot write page \(number) of \(folder.path)", underlying: error)
        }
    }

    /// Applies the pages that other handles have written.
    private func catchUp() throws {
        guard !isClosed else { throw StorageError(.closed, "the store is closed") }
        while FileManager.default.fileExists(atPath: url(lastPage + 1).path) {
            guard let data = try? Data(contentsOf: url(lastPage + 1)),
                let page = try? JSONDecoder().decode(Page.self, from: data)
            else {
                throw StorageError(.damaged, "cannot read \(url(lastPage + 1).path): it is corrupt")
            }
            if let batch = page.batch { try state.apply(batch) }
            if let epoch = page.epoch { try state.renewEpoch(to: epoch) }
            lastPage += 1
        }
    }
}
