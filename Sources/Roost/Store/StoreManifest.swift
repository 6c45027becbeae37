public import Foundation
import RoostFiles
public import RoostModel

/// `store.json`: what a store is. Written atomically, under the writers' lock where there is one before.
public struct StoreManifest: Codable, Sendable, Hashable {
    /// How entries are kept.
    public enum Provider: String, Codable, Sendable, CaseIterable {
        case sqlite, json
    }

    /// A move to another space that has been prepared: vectors are of it from the commit on that begins its
    /// history. So that storage and manifest need not be written at one instant.
    public struct Move: Codable, Sendable, Hashable {
        public var space: EmbeddingSpace
        public var epoch: UUID
    }

    /// 2 while a move is prepared, so that earlier versions, which know nothing of moves, keep off; else 1.
    public static let currentFormat = 2
    static let fileName = "store.json"

    public var format: Int
    public var provider: Provider
    /// What all vectors of the store are.
    public var space: EmbeddingSpace
    /// The most bytes that the present files of the storage may take; `nil` for no limit.
    public var maximumSize: Int?
    /// What may have become of `space` since; ``settled(in:)`` tells.
    public internal(set) var move: Move? {
        didSet { format = move == nil ? 1 : 2 }
    }

    public init(provider: Provider, space: EmbeddingSpace, maximumSize: Int? = nil) {
        format = 1
        self.provider = provider
        self.space = space
        self.maximumSize = maximumSize
    }

    /// Whether a folder has a store.
    public static func exists(in directory: URL) -> Bool {
        var status = stat()
        // What may not be looked at is there.
        return stat(directory.appendingPathComponent(fileName).path, &status) == 0 || errno == EACCES
    }

    /// - Throws: ``RoostError``: `.noStore`, `.damagedManifest`, `.newerFormat`, `.foreignStore`.
    public static func read(in directory: URL) throws -> StoreManifest {
        let url = directory.appendingPathComponent(fileName)
        guard exists(in: directory) else {
            throw RoostError(.noStore, "there is no store in \(directory.path); `roost init` makes one")
        }
        struct Format: Decodable { var format: Int }
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw StorageError(
                .inputOutput, "cannot read \(url.path): permission denied or an I/O error", underlying: error)
        }
        guard let format = try? JSONDecoder().decode(Format.self, from: data) else {
            throw RoostError(
                .damagedManifest,
                "\(url.path) is damaged; `roost doctor --repair` writes it anew, the entries are untouched")
        }
        guard format.format <= currentFormat else {
            throw RoostError(
                .newerFormat,
                "the store in \(directory.path) has format \(format.format); this version reads up to "
                    + "\(currentFormat): update Roost")
        }
        guard let manifest = try? JSONDecoder().decode(StoreManifest.self, from: data) else {
            throw RoostError(
                .damagedManifest,
                "\(url.path) is damaged; `roost doctor --repair` writes it anew, the entries are untouched")
        }
        return manifest
    }

    /// The nearest folder `.roost` with a store, from a folder upward.
    ///
    /// - Throws: ``RoostError`` with `.foreignStore` where it belongs to another user: what lies above a
    ///   folder need not be trusted.
    public static func findUpward(from folder: URL) throws -> URL? {
        var folder = folder.standardizedFileURL
        while true {
            let candidate = folder.appendingPathComponent(".roost", isDirectory: true)
            var status = stat()
            let isThere = stat(candidate.appendingPathComponent(fileName).path, &status) == 0
            if isThere || errno == EACCES {
                guard isThere, status.st_uid == getuid() else {
                    throw RoostError(
                        .foreignStore,
                        "the store in \(candidate.path) belongs to another user and is not "
                            + "opened; name it with --store if "
                            + "you trust it, or another")
                }
                return candidate
            }
            let parent = folder.deletingLastPathComponent().standardizedFileURL
            if parent.path == folder.path { return nil }
            folder = parent
        }
    }

    /// The bytes of the present files of a store's storage: what its limit is about.
    ///
    /// - Throws: as ``read(in:)``.
    public static func presentSize(in directory: URL) throws -> Int {
        StoreConfiguration(directory: directory, manifest: try read(in: directory)).presentSize()
    }

    /// Changes the most bytes that a store may take.
    ///
    /// - Throws: as ``read(in:)``; ``StorageError``.
    public static func setMaximumSize(_ size: Int?, in directory: URL) throws {
        try change(in: directory) { $0.maximumSize = size }
    }

    /// What all vectors of a store are in one of its histories.
    func space(inEpoch epoch: UUID) -> EmbeddingSpace { move?.epoch == epoch ? move?.space ?? space : space }

    /// The manifest without a prepared move: done where its commit was made, and else not. What was found is
    /// written where the store's lock can be had.
    ///
    /// - Throws: as ``read(in:)``; ``StorageError``.
    public static func settled(in directory: URL) async throws -> StoreManifest {
        let manifest = try read(in: directory)
        guard manifest.move != nil else { return manifest }
        let lock = try? await BlockingWork.run { isCancelled in
            try FileLock.acquire(
                StoreConfiguration.lockURL(directory), timeout: 2, isCancelled: isCancelled)
        }
        defer { lock?.release() }
        guard lock != nil else { return try await settled(try read(in: directory), in: directory, nil) }
        // While the lock is held nobody prepares a move or makes its commit.
        let found = try await settled(
            try read(in: directory), in: directory, StoreConfiguration.insideLockURL(directory))
        // Best effort: until somebody may write it, everybody looks again.
        try? found.write(in: directory)
        unlink(StoreConfiguration.insideLockURL(directory).path)
        return found
    }

    private static func settled(
        _ manifest: StoreManifest, in directory: URL, _ lockURL: URL?
    ) async throws -> StoreManifest {
        let storage = try await StoreConfiguration(directory: directory, manifest: manifest, lockURL: lockURL)
            .open(isForLooking: true)
        let epoch: UUID
        do {
            epoch = try await storage.snapshot().stamp.epoch
        } catch {
            try? await storage.close()
            throw error
        }
        try await storage.close()
        var manifest = manifest
        manifest.space = manifest.space(inEpoch: epoch)
        manifest.move = nil
        return manifest
    }

    /// Reads it, changes it and writes it under the writers' lock. Blocks its thread while it waits.
    ///
    /// - Throws: as ``read(in:)``; ``StorageError``.
    static func change(in directory: URL, _ body: (inout StoreManifest) -> Void) throws {
        do {
            let lock = try FileLock.acquire(StoreConfiguration.lockURL(directory), timeout: 30)
            defer { lock.release() }
            var manifest = try read(in: directory)
            let before = manifest
            body(&manifest)
            if manifest != before { try manifest.write(in: directory) }
        } catch let error as LockTimeout {
            throw StorageError(.locked, "\(error)", underlying: error, isRetryable: true)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    /// Writes it in place of what is there.
    ///
    /// - Throws: ``StorageError``.
    func write(in directory: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try AtomicFile.write(
                try encoder.encode(self), to: directory.appendingPathComponent(Self.fileName))
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    /// Writes it where there is none.
    ///
    /// - Throws: ``RoostError`` with `.storeExists`; ``StorageError``.
    func create(in directory: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            let data = try encoder.encode(self)
            try AtomicFile.create(data, at: directory.appendingPathComponent(Self.fileName))
        } catch let error as FileError where error.errno == EEXIST {
            throw RoostError(.storeExists, "there is a store in \(directory.path) already")
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }
}
