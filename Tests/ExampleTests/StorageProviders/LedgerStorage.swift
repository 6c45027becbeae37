import Foundation
import Roost

/// A full backend: every batch is a file of its own in a folder, named by its revision; what the store holds is what
/// the batches make in order. Several handles of one process may use a folder; several processes may not.
actor LedgerStorage: StorageProvider {
    private struct Page: Codable {
        var batch: WriteBatch?
        var epoch: UUID?
    }

    private let folder: URL
    private let state: InMemoryStorageProvider
    private var known = 0
    private var isClosed = false

    /// A page that is there was written in full: its name is given to it last.
    init(folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let identity = folder.appendingPathComponent("identity")
        if !FileManager.default.fileExists(atPath: identity.path) {
            try? Data(UUID().uuidString.utf8).write(to: identity, options: .withoutOverwriting)
        }
        let text = try String(contentsOf: identity, encoding: .utf8)
        guard let store = UUID(uuidString: text) else {
            throw StorageError(.damaged, "\(identity.path) is no UUID; put back a copy of it")
        }
        state = InMemoryStorageProvider(store: store)
    }

    func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        // No `await` from here on: what was looked at is what is written after.
        while true {
            try catchUp()
            // The reference says what the batch comes to, or why it is refused, before anything is written.
            let trial = state.copy()
            let revision = try trial.apply(batch)
            if revision == state.stamp.revision { return revision }
            var page = batch
            page.expecting = .init()
            if try write(Page(batch: page), number: known + 1) { return revision }
        }
    }

    func renewEpoch() async throws -> Stamp {
        try Task.checkCancellation()
        repeat { try catchUp() } while try !write(Page(epoch: UUID()), number: known + 1)
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

    /// - Returns: whether the number was free; the commit point is the link.
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

    /// Applies the pages that are not known yet, whoever wrote them.
    private func catchUp() throws {
        guard !isClosed else { throw StorageError(.closed, "the store was closed") }
        while FileManager.default.fileExists(atPath: url(known + 1).path) {
            guard let data = try? Data(contentsOf: url(known + 1)),
                let page = try? JSONDecoder().decode(Page.self, from: data)
            else {
                throw StorageError(.damaged, "\(url(known + 1).path) is not as it was written")
            }
            if let batch = page.batch { try state.apply(batch) }
            if let epoch = page.epoch { try state.renewEpoch(to: epoch) }
            known += 1
        }
    }
}
