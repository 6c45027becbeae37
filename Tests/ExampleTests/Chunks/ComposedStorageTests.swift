import Foundation
import RoostChunks
import RoostTestKit
import Testing

// Code as users of chunk storage would write it: custom parts combined with parts of the library. The target
// can access only public API and has none of the package's Swift settings.

final actor RecordDatabase {
    private var records: [String: Data] = [:]

    func record(_ name: String) -> Data? { records[name] }
    func save(_ data: Data, as name: String) { records[name] = data }
    func delete(_ name: String) { records[name] = nil }
    func names(of names: [String]) -> Set<String> { Set(names).intersection(records.keys) }
}

/// A custom organization.
public struct RecordOrganization: ChunkStorageOrganization {
    public let name = "records"
    public let description = "Names of records"

    public init() {}

    public func storagePath(for identifier: ChunkIdentifier) -> String { return "Chunk_\(identifier.id)" }

    public func identifier(from path: String) -> ChunkIdentifier? {
        guard path.hasPrefix("Chunk_") else { return nil }
        let hash = String(path.dropFirst(6))
        return ChunkIdentifier(id: hash)
    }

    public func isValidPath(_ path: String) -> Bool { return path.hasPrefix("Chunk_") && path.count > 6 }
}

struct RecordRetrieval: ChunkStorageRetrieval {
    let database: RecordDatabase
    let organization: ChunkStorageOrganization

    func readChunk(at path: String) async throws -> Data? {
        guard let identifier = organization.identifier(from: path) else { return nil }
        return await database.record(identifier.id)
    }

    func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        guard let identifier = organization.identifier(from: path) else {
            throw ChunkStorageError.invalidPath(path)
        }
        await database.save(data, as: identifier.id)
    }

    func chunkExists(at path: String) async -> Bool {
        guard let identifier = organization.identifier(from: path) else { return false }
        return await database.record(identifier.id) != nil
    }

    func deleteChunk(at path: String) async throws {
        guard let identifier = organization.identifier(from: path) else {
            throw ChunkStorageError.invalidPath(path)
        }
        await database.delete(identifier.id)
    }
}

struct RecordExistence: ChunkStorageExistence {
    let database: RecordDatabase

    func chunkExists(identifier: ChunkIdentifier) async -> Bool {
        await database.record(identifier.id) != nil
    }

    func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool] {
        let found = await database.names(of: identifiers.map { $0.id })
        return Dictionary(uniqueKeysWithValues: Set(identifiers).map { ($0, found.contains($0.id)) })
    }
}

/// A custom decorator.
public struct ReversedRetrieval: ChunkStorageRetrieval {
    private let wrapped: ChunkStorageRetrieval

    public init(wrapped: ChunkStorageRetrieval) { self.wrapped = wrapped }

    public func readChunk(at path: String) async throws -> Data? {
        guard let stored = try await wrapped.readChunk(at: path) else { return nil }
        return Data(stored.reversed())
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await wrapped.writeChunk(Data(data.reversed()), at: path, metadata: metadata)
    }

    public func chunkExists(at path: String) async -> Bool { return await wrapped.chunkExists(at: path) }

    public func deleteChunk(at path: String) async throws { try await wrapped.deleteChunk(at: path) }
}

struct RecordChunkStorage: ChunkStorageComposable {
    let organization: ChunkStorageOrganization
    let retrieval: ChunkStorageRetrieval
    let existence: ChunkStorageExistence?

    var export: ChunkStorageExport? { nil }
    var `import`: ChunkStorageImport? { nil }
    var sharing: ChunkStorageSharing? { nil }
}

/// A storage in a system-provided folder, composed of parts of the library.
public struct DriveChunkStorage: ChunkStorageComposable {
    public let organization: ChunkStorageOrganization
    public let retrieval: ChunkStorageRetrieval
    public let existence: ChunkStorageExistence?

    private let baseURL: URL

    public init(drive: URL?) throws {
        guard let drive = drive else {
            throw ChunkStorageError.storageUnavailable(reason: "the drive is not available")
        }
        self.baseURL = drive.appendingPathComponent("ChunkStorage")
        try FileManager.default.createDirectory(at: baseURL, withIntermediateDirectories: true)
        self.organization = GitStyleOrganization(directoryDepth: 2)
        self.retrieval = FileSystemRetrieval(baseURL: baseURL)
        self.existence = FileSystemExistence(organization: organization, baseURL: baseURL)
    }
}

/// A storage that is not composed of parts.
actor MonolithicStorage: ChunkStorage {
    private var chunks: [ChunkIdentifier: Data] = [:]

    func writeChunk(_ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?) async throws {
        guard !identifier.id.isEmpty else { throw ChunkStorageError.invalidIdentifier("") }
        chunks[identifier] = data
    }
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? { chunks[identifier] }
    func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool { chunks[identifier] != nil }
    func deleteChunk(_ identifier: ChunkIdentifier) async throws { chunks[identifier] = nil }
}

struct ComposedStorageTests {
    let data = Data("some bytes, some bytes, some bytes".utf8)

    func folder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-example-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }

    func use(_ storage: ChunkStorage) async throws {
        let identifier = ChunkIdentifier(id: "a1b2c3d4...")
        let metadata = ChunkMetadata(size: data.count)
        #expect(try await storage.chunkExists(identifier) == false)
        #expect(try await storage.readChunk(identifier) == nil)
        try await storage.writeChunk(data, identifier: identifier, metadata: metadata)
        let exists = try await storage.chunkExists(identifier)
        let readData = try await storage.readChunk(identifier)
        #expect(exists && readData == data)
        try await storage.deleteChunk(identifier)
        try await storage.deleteChunk(identifier)
        #expect(try await storage.readChunk(identifier) == nil)
    }

    @Test func `composed storages in folders store and delete chunks`() async throws {
        try await folder { baseURL in
            try await use(ComposableFileSystemChunkStorage(baseURL: baseURL))
            let flatOrg = FlatOrganization()
            try await use(ComposableFileSystemChunkStorage(baseURL: baseURL, organization: flatOrg))
            let deepOrg = GitStyleOrganization(directoryDepth: 3)
            try await use(ComposableFileSystemChunkStorage(baseURL: baseURL, organization: deepOrg))
            try await use(DriveChunkStorage(drive: baseURL))
            #expect(throws: ChunkStorageError.self) { try DriveChunkStorage(drive: nil) }
        }
    }

    @Test func `custom parts work together with decorators of the library`() async throws {
        let database = RecordDatabase()
        let organization = RecordOrganization()
        let baseRetrieval = RecordRetrieval(database: database, organization: organization)
        let compressedRetrieval = CompressedRetrieval(wrapped: baseRetrieval, algorithm: .zlib)
        let reversed = ReversedRetrieval(wrapped: compressedRetrieval)
        let cachedRetrieval = CachedRetrieval(wrapped: reversed)
        let existence = RecordExistence(database: database)
        let storage = RecordChunkStorage(
            organization: organization, retrieval: cachedRetrieval, existence: existence)
        try await use(storage)
        try await use(
            ComposedChunkStorage(organization: organization, retrieval: reversed, existence: existence))
        try await use(MonolithicStorage())
        let (written, missing) = (ChunkIdentifier(hashing: data), ChunkIdentifier(id: "x"))
        let metadata = ChunkMetadata(size: 3, contentType: "text/plain")
        try await storage.writeChunk(data, identifier: written, metadata: metadata)
        #expect(await database.record(written.id) != nil)
        #expect(
            await existence.chunkExists(identifiers: [written, missing]) == [written: true, missing: false])
    }

    @Test(arguments: ChunkRetrievalLaw.allCases)
    func `a custom decorator obeys the laws`(law: ChunkRetrievalLaw) async throws {
        // The decorator neither lists chunks nor stores metadata, which is allowed. It uses the default
        // `createChunk`, which is not atomic.
        guard law != .onlyOneTaskCreatesChunk else { return }
        try await law.check(ReversedRetrieval(wrapped: InMemoryRetrieval()))
    }

    @Test(arguments: ChunkStorageLaw.allCases)
    func `a storage that is not composed obeys the laws`(law: ChunkStorageLaw) async throws {
        try await law.check(MonolithicStorage())
    }
}
