import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The files of a ``LocalStorageProvider``, and the state that has been read from them.
final class LocalFiles: Sendable {
    let folder: StoreFolder
    let options: LocalStorageProvider.Options
    let files: FileSystem
    let writers = TaskQueue()
    private let loaded: Mutex<LoadedStore>

    init(directory: URL, options: LocalStorageProvider.Options) throws {
        files = options.files
        try files.createFolder(directory)
        folder = StoreFolder(directory)
        self.options = options
        var loaded = LoadedStore(state: StoreState())
        try GenerationLoader(folder: folder, access: .reader(lock: folder.lock(options))).refresh(&loaded)
        self.loaded = Mutex(loaded)
    }

    var lockURL: URL { folder.lock(options) }

    /// Returns the state after the latest commit.
    func currentState() async throws -> StoreState {
        try await BlockingWork.run { [self] _ in
            try Self.mappingErrors {
                try withLoaded { loaded in
                    try GenerationLoader(folder: folder, access: .reader(lock: lockURL)).refresh(&loaded)
                    return loaded.state
                }
            }
        }
    }

    func close() async throws {
        // Waiting in the queue lets writers that called earlier finish first.
        try await writers.run(isStoppable: false) {
            // A reader can hold the state for as long as it reads the files.
            try await BlockingWork.run { [self] _ in loaded.withLock { $0.isClosed = true } }
        }
    }

    /// Calls `body` with exclusive access to the state in memory.
    ///
    /// - Throws: `StorageError` with `.closed`; the errors of `body`.
    func withLoaded<Value: Sendable>(_ body: (inout LoadedStore) throws -> Value) throws -> Value {
        try loaded.withLock { loaded in
            guard !loaded.isClosed else { throw StorageError(.closed, "the store was closed") }
            return try body(&loaded)
        }
    }

    /// Runs `body`, and converts file, lock and JSON errors that it throws to `StorageError`.
    static func mappingErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try StorageError.mappingFileErrors(body)
        } catch let error as DecodingError {
            throw StorageError(
                .damaged, "cannot read the store: a file does not contain the expected JSON",
                underlying: error, remedy: .inspectStore)
        }
    }
}
