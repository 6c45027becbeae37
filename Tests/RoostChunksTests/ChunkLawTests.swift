import Foundation
import RoostTestKit
import TestSupport
import Testing

@testable import RoostChunks

/// Every organization, retrieval, stack of decorators and existence check in the package obeys the laws of
/// chunk storage.
@Suite(.temporaryFolders) struct ChunkLawTests {
    static let organizations: [any ChunkStorageOrganization] =
        [FlatOrganization()] + [0, 1, 2, 3, 8].map(GitStyleOrganization.init(directoryDepth:))

    @Test(arguments: ChunkOrganizationLaw.allCases)
    func `organizations satisfy the law`(law: ChunkOrganizationLaw) throws {
        for organization in Self.organizations { try law.check(organization) }
    }

    enum Stack: String, CaseIterable, Sendable {
        case bare, zlib, zstd, encrypted, cached, compressedAndEncrypted, all, cachedBelow

        func over(_ base: any ChunkStorageRetrieval) -> any ChunkStorageRetrieval {
            let key = EncryptionKey(bytes: [UInt8](repeating: 9, count: 32))
            return switch self {
            case .bare: base
            case .zlib: CompressedRetrieval(wrapped: base)
            case .zstd: CompressedRetrieval(wrapped: base, algorithm: .zstd)
            case .encrypted: EncryptedRetrieval(wrapped: base, key: key)
            case .cached: CachedRetrieval(wrapped: base, limit: 200_000)
            case .compressedAndEncrypted:
                CompressedRetrieval(wrapped: EncryptedRetrieval(wrapped: base, key: key), algorithm: .zstd)
            case .all:
                CachedRetrieval(
                    wrapped: CompressedRetrieval(wrapped: EncryptedRetrieval(wrapped: base, key: key)))
            case .cachedBelow:
                EncryptedRetrieval(
                    wrapped: CompressedRetrieval(wrapped: CachedRetrieval(wrapped: base)), key: key)
            }
        }
    }

    @Test(arguments: ChunkRetrievalLaw.allCases, Stack.allCases)
    func `retrievals in memory and in files satisfy the law`(law: ChunkRetrievalLaw, stack: Stack)
        async throws
    {
        try await law.check(stack.over(InMemoryRetrieval()))
        let folder = TemporaryFolder.unusedURL()
        try await law.check(stack.over(FileSystemRetrieval(baseURL: folder)))
    }

    @Test(arguments: ChunkExistenceLaw.allCases)
    func `existence checks of files satisfy the law`(law: ChunkExistenceLaw) async throws {
        for organization in Self.organizations {
            let folder = TemporaryFolder.unusedURL()
            try await law.check(ComposableFileSystemChunkStorage(baseURL: folder, organization: organization))
        }
    }

    @Test(arguments: ChunkStorageLaw.allCases)
    func `composed storages satisfy the law`(law: ChunkStorageLaw) async throws {
        try await law.check(ComposableFileSystemChunkStorage(baseURL: TemporaryFolder.unusedURL()))
        let retrieval = Stack.all.over(InMemoryRetrieval())
        try await law.check(ComposedChunkStorage(organization: FlatOrganization(), retrieval: retrieval))
    }

    /// A storage that compares identifiers like strings, without regard to case, and keeps deleted chunks.
    private actor CarelessStorage: ChunkStorage {
        private var chunks: [String: Data] = [:]
        private var metadata: [String: ChunkMetadata] = [:]

        func writeChunk(_ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?) async throws {
            let name = identifier.id.lowercased()
            chunks[name] = data.prefix(1000)
            if let metadata { self.metadata[name] = ChunkMetadata(size: metadata.size) }
        }

        func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
            chunks[identifier.id.lowercased()]
        }

        func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool { true }

        func deleteChunk(_ identifier: ChunkIdentifier) async throws {}

        func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata? {
            metadata[identifier.id.lowercased()]
        }
    }

    @Test(arguments: ChunkStorageLaw.allCases)
    func `violations of a law of storages are reported`(law: ChunkStorageLaw) async {
        await #expect(throws: LawViolation.self) { try await law.check(CarelessStorage()) }
    }

    @Test func `violations of a law are reported`() async throws {
        struct Careless: ChunkStorageOrganization {
            let name = "careless", description = ""
            func storagePath(for identifier: ChunkIdentifier) -> String { identifier.id }
            func identifier(from path: String) -> ChunkIdentifier? { ChunkIdentifier(id: path) }
            func isValidPath(_ path: String) -> Bool { true }
        }
        for law in ChunkOrganizationLaw.allCases where law != .pathsIdentifyChunks {
            #expect(throws: LawViolation.self) { try law.check(Careless()) }
        }
        struct Forgetful: ChunkStorageRetrieval {
            func readChunk(at path: String) async throws -> Data? { nil }
            func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {}
            func chunkExists(at path: String) async -> Bool { true }
            func deleteChunk(at path: String) async throws {}
        }
        for law in [
            ChunkRetrievalLaw.writtenChunksCanBeRead, .missingChunkIsNoError, .deletedChunksAreRemoved,
        ] {
            await #expect(throws: LawViolation.self) { try await law.check(Forgetful()) }
        }
    }
}
