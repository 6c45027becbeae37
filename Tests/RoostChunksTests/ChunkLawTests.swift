import Crypto
import Foundation
import RoostTestKit
import Testing

@testable import RoostChunks

/// Every organization, retrieval, stack of decorators and existence of the package obeys the laws.
struct ChunkLawTests {
    static let organizations: [any ChunkStorageOrganization] =
        [FlatOrganization()] + [0, 1, 2, 3, 8].map(GitStyleOrganization.init(directoryDepth:))

    @Test(arguments: ChunkOrganizationLaw.allCases)
    func `an organization obeys`(law: ChunkOrganizationLaw) throws {
        for organization in Self.organizations { try law.check(organization) }
    }

    /// Ways to stack retrievals on one that keeps chunks.
    enum Stack: String, CaseIterable, Sendable {
        case bare, zlib, zstd, encrypted, cached, compressedAndEncrypted, all, cachedBelow

        func over(_ base: any ChunkStorageRetrieval) -> any ChunkStorageRetrieval {
            let key = SymmetricKey(data: Data(repeating: 9, count: 32))
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
    func `retrievals in memory and in files obey`(law: ChunkRetrievalLaw, stack: Stack) async throws {
        try await law.check(stack.over(InMemoryRetrieval()))
        try await Folder.with { try await law.check(stack.over(FileSystemRetrieval(baseURL: $0))) }
    }

    @Test(arguments: ChunkRetrievalLaw.allCases)
    func `a retrieval that compares obeys, with names that are digests`(law: ChunkRetrievalLaw) async throws {
        let organization = GitStyleOrganization()
        @Sendable func path(_ number: Int, _ data: Data) -> String {
            organization.storagePath(for: ChunkIdentifier(hashing: data))
        }
        try await law.check(VerifyingRetrieval(wrapped: InMemoryRetrieval()), path: path)
        try await Folder.with { folder in
            let base = CompressedRetrieval(wrapped: FileSystemRetrieval(baseURL: folder), algorithm: .zstd)
            try await law.check(CachedRetrieval(wrapped: VerifyingRetrieval(wrapped: base)), path: path)
        }
    }

    @Test(arguments: ChunkExistenceLaw.allCases)
    func `existence in files obeys`(law: ChunkExistenceLaw) async throws {
        for organization in Self.organizations {
            try await Folder.with { folder in
                try await law.check(
                    ComposableFileSystemChunkStorage(baseURL: folder, organization: organization))
            }
        }
    }

    @Test func `what breaks a law is told`() async throws {
        struct Careless: ChunkStorageOrganization {
            let name = "careless", description = ""
            func storagePath(for identifier: ChunkIdentifier) -> String { identifier.id }
            func identifier(from path: String) -> ChunkIdentifier? { ChunkIdentifier(id: path) }
            func isValidPath(_ path: String) -> Bool { true }
        }
        for law in ChunkOrganizationLaw.allCases where law != .pathsLeadBackToTheirIdentifiers {
            #expect(throws: ChunkLawViolation.self) { try law.check(Careless()) }
        }
        struct Forgetful: ChunkStorageRetrieval {
            func readChunk(at path: String) async throws -> Data? { nil }
            func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {}
            func chunkExists(at path: String) async -> Bool { true }
            func deleteChunk(at path: String) async throws {}
        }
        for law in [ChunkRetrievalLaw.whatIsWrittenIsRead, .whatIsMissingIsNoError, .whatIsDeletedIsGone] {
            await #expect(throws: ChunkLawViolation.self) { try await law.check(Forgetful()) }
        }
    }
}

/// A folder for a test, which is gone after it.
enum Folder {
    static func with<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-chunks-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url)
    }
}
