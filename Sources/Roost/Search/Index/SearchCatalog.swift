import Foundation
import RoostFiles
import RoostModel

/// One state of a store for searching: a snapshot, and the derived contents of exactly this snapshot.
struct SearchState: Sendable {
    let snapshot: any StorageSnapshot
    /// The place where vectors are compared.
    let place: SearchPlace
    /// The vectors of passages; `nil` if the database compares vectors or no search needs them.
    let passages: PassageContents?
    /// The words of passages; `nil` if no search needs them.
    let words: TextContents?
}

/// Opens the states of one store for searching.
struct SearchCatalog: Sendable {
    private let storage: any StorageProvider
    private let passages: DerivedCatalog<PassageContents>
    private let words: DerivedCatalog<TextContents>
    /// Opens states one after another, so that the contents only move forward from snapshot to snapshot.
    private let queue = TaskQueue()

    /// - Parameter directory: The store's folder, which contains the index; `nil` for a store without a folder.
    init(storage: any StorageProvider, directory: URL?) {
        self.storage = storage
        passages = DerivedCatalog(storage: storage, directory: directory)
        words = DerivedCatalog(storage: storage, directory: directory)
    }

    /// Returns the latest state of the store.
    ///
    /// - Parameters:
    ///   - place: Returns the place where vectors of a snapshot are compared.
    ///   - needsVectors: Whether a search compares vectors.
    ///   - needsWords: Whether a search looks up words.
    /// - Throws: `StorageError`; `CancellationError`.
    @concurrent
    func state(
        comparingAt place: @Sendable (any StorageSnapshot) -> SearchPlace, needsVectors: Bool,
        needsWords: Bool
    ) async throws -> SearchState {
        try await queue.run {
            let snapshot = try await storage.snapshot()
            let place = place(snapshot)
            let isLocal = needsVectors && place == .client
            async let passages = isLocal ? self.passages.contents(of: snapshot) : nil
            async let words = needsWords ? self.words.contents(of: snapshot) : nil
            return SearchState(
                snapshot: snapshot, place: place, passages: try await passages, words: try await words)
        }
    }

    /// Discards the contents after a new index has been written, so that the next use maps the new files.
    func reset() async {
        await passages.reset()
        await words.reset()
    }

    /// Discards the vectors and ignores their file until ``reset()``, because it is damaged or contradicts the
    /// storage.
    func rejectIndex(_ reason: String) async { await passages.rejectIndex(reason) }
}
