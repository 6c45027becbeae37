package import Foundation
import RoostFiles
package import RoostModel

/// A whole store, out of its files and into new ones, as it is: with its rows, revisions and removals.
extension LocalStorageProvider {
    /// The bytes of the standing generation and its journal; 0 where they cannot be read.
    package static func presentSize(of directory: URL) -> Int {
        let current = LocalFiles.currentURL(directory)
        guard let data = try? LocalFiles.contents(of: current),
            let generation = try? Generation.decoded(data, path: current.path)
        else { return 0 }
        let journal = Generation.journal(generation.number, in: directory).path
        let attributes = try? FileManager.default.attributesOfItem(atPath: journal)
        return generation.size + ((attributes?[.size] as? Int) ?? 0)
    }

    /// Everything; entries that are not in memory are read when they are asked for.
    package func transferableState() async throws -> StoreState { try await local.reading() }

    /// Writes a state into a folder that has no store. What a call left that did not come to its end is
    /// written anew.
    ///
    /// - Throws: ``StorageError``; the folder has no store then.
    package static func fill(directory: URL, options: Options, from state: StoreState) async throws {
        try await BlockingWork.run { isCancelled in
            try LocalFiles.translating {
                try options.files.createFolder(directory)
                let lockURL = options.lockURL ?? directory.appendingPathComponent("lock")
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                let current = LocalFiles.currentURL(directory)
                guard try LocalFiles.contents(of: current) == nil else {
                    throw FileError(operation: "write a store to", path: directory.path, errno: EEXIST)
                }
                let generation = try Generation.write(
                    state, number: 1, in: directory, from: nil, files: options.files)
                if isCancelled() { throw CancellationError() }
                try AtomicFile.write(try generation.encoded(), to: current, files: options.files)
                CommitMark(generation: 1, length: 0).write(directory, options.files)
                for name in [Generation.entriesFile, Generation.clustersFile] {
                    let source = Generation.folder(1, in: directory).appendingPathComponent(name)
                    try AtomicFile.copy(
                        source, to: directory.appendingPathComponent(name), files: options.files)
                }
            }
        }
    }
}
