import Foundation
import RoostFiles
import RoostModel

/// Work records as files in the folder `work` of a store's folder, for storages that cannot keep them. All
/// workers of such a store use the same folder.
///
/// A file consists of the CRC-32C of the contents and the contents. The folder exists only while there are
/// records.
struct FolderWorkRecords: WorkRecords {
    private let folder: URL
    /// The number of bytes of the checksum.
    private static let checksumSize = 4

    /// Describes the records of a store. The folder need not exist.
    ///
    /// - Parameter store: The store's folder.
    init(of store: URL) { folder = store.appendingPathComponent("work") }

    func write(_ data: Data, as name: String) async throws {
        try WorkRecordLimits.check(data, name)
        try await perform { url in
            try FileSystem.standard.createFolder(url)
            var bytes = withUnsafeBytes(of: Self.checksum(data).littleEndian) { Data($0) }
            bytes.append(data)
            try AtomicFile.write(bytes, to: url.appendingPathComponent(name))
        }
    }

    func read(_ name: String) async throws -> Data? {
        guard WorkRecordLimits.isValid(name) else { return nil }
        return try await perform { url in
            let file = url.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            guard let bytes = FileManager.default.contents(atPath: file.path) else {
                throw StorageError(.inputOutput, "cannot read \(file.path)", remedy: .checkPermissions)
            }
            let data = Data(bytes.dropFirst(Self.checksumSize))
            let expected = withUnsafeBytes(of: Self.checksum(data).littleEndian) { Data($0) }
            guard bytes.prefix(Self.checksumSize) == expected else {
                throw StorageError(.damaged, "\(file.path) is damaged: its checksum does not match")
            }
            return data
        }
    }

    func names(withPrefix prefix: String) async throws -> [String] {
        try await perform { url in try Self.names(in: url, prefix).sorted() }
    }

    func remove(withPrefix prefix: String) async throws {
        try await perform { url in
            for name in try Self.names(in: url, prefix) {
                try FileSystem.standard.unlink(url.appendingPathComponent(name).path)
            }
            // The folder also contains temporary files of workers that were killed.
            if try Self.names(in: url, "").isEmpty { try FileSystem.standard.removeFolder(url) }
        }
    }

    /// Returns the names of the records in a folder; files that are no records are ignored.
    ///
    /// - Throws: `StorageError` if the folder exists and cannot be read.
    private static func names(in folder: URL, _ prefix: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        guard let found = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw StorageError(.inputOutput, "cannot read \(folder.path)", remedy: .checkPermissions)
        }
        return found.filter { $0.hasPrefix(prefix) && WorkRecordLimits.isValid($0) }
    }

    private static func checksum(_ data: Data) -> UInt32 { data.withUnsafeBytes { CRC32C.checksum($0) } }

    private func perform<Value: Sendable>(
        _ body: @escaping @Sendable (URL) throws -> Value
    ) async throws -> Value {
        let folder = folder
        return try await BlockingWork.run { isCancelled in
            if isCancelled() { throw CancellationError() }
            return try StorageError.mappingFileErrors { try body(folder) }
        }
    }
}
