import FakeServer
import Foundation
import HTTPTypes
import RoostChunks
import RoostModel
import RoostTestKit
import Testing

@testable import RoostRemote

/// A real object store on this machine, which `Scripts/test` starts.
enum ObjectStore {
    static let endpoint = ProcessInfo.processInfo.environment["ROOST_TEST_S3"]

    static let credentials = S3Credentials(accessKey: "tester", secretKey: Secret("secret-of-tests")!)

    static func bucket(prefix: String = "") async throws -> S3Bucket {
        let name = "roost-\(UUID().uuidString.lowercased())"
        let bucket = try S3Bucket(
            "s3://\(name)" + (prefix.isEmpty ? "" : "/\(prefix)"), endpoint: endpoint,
            credentials: credentials)
        let made = try await S3Client(bucket).send(.init(method: .put))
        #expect(made.status == 200)
        return bucket
    }
}

@Suite(.enabled(if: ObjectStore.endpoint != nil, "ROOST_TEST_S3 does not name an object store"))
struct S3RetrievalTests {
    @Test(arguments: ChunkRetrievalLaw.allCases)
    func `the retrieval obeys every law of chunk retrievals`(law: ChunkRetrievalLaw) async throws {
        try await law.check(S3Retrieval(try await ObjectStore.bucket(prefix: "a b/ü")))
    }

    @Test(arguments: ChunkRetrievalLaw.allCases)
    func `decorators over an object store obey every law of chunk retrievals`(law: ChunkRetrievalLaw)
        async throws
    {
        let stack = CachedRetrieval(
            wrapped: CompressedRetrieval(
                wrapped: EncryptedRetrieval(
                    wrapped: S3Retrieval(try await ObjectStore.bucket()), key: EncryptionKey()),
                algorithm: .zstd))
        try await law.check(stack)
    }

    @Test func `a listing includes all pages and only the folder`() async throws {
        let bucket = try await ObjectStore.bucket(prefix: "mine")
        let retrieval = S3Retrieval(bucket)
        var other = bucket
        other.prefix = "mine-too"
        try await S3Retrieval(other).writeChunk(Data([1]), at: "x", metadata: nil)
        let names = (0..<1203).map { "folder/\($0) + %41 é" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask { try await retrieval.writeChunk(Data([2]), at: name, metadata: nil) }
            }
            try await group.waitForAll()
        }
        try await retrieval.writeChunk(Data([1]), at: "folder2/x", metadata: nil)
        #expect(try await Set(retrieval.paths(in: "folder")) == Set(names))
        #expect(try await retrieval.paths(in: "").count == names.count + 1)
        #expect(try await retrieval.paths(in: "nothing").isEmpty)
    }

    @Test func `a missing bucket is an error and is not reported as a missing chunk`() async throws {
        let bucket = try S3Bucket(
            "s3://missing-\(UUID().uuidString.lowercased())", endpoint: ObjectStore.endpoint,
            credentials: ObjectStore.credentials)
        let retrieval = S3Retrieval(bucket)
        let expected = ChunkStorageError.storageUnavailable(
            reason: "the bucket '\(bucket.name)' does not exist at \(bucket.server.host)")
        await #expect(throws: expected) { try await retrieval.readChunk(at: "a") }
        await #expect(throws: expected) { try await retrieval.presence(at: "a") }
        await #expect(throws: expected) { try await retrieval.paths(in: "") }
        await #expect(throws: expected) { try await retrieval.writeChunk(Data(), at: "a", metadata: nil) }
        #expect(await !retrieval.chunkExists(at: "a"))
    }

    @Test func `names and metadata that exceed the limits of S3 are errors`() async throws {
        let retrieval = S3Retrieval(try await ObjectStore.bucket(prefix: "p"))
        let long = Array(repeating: "abcdefgh", count: 128).joined(separator: "/")
        await #expect(throws: ChunkStorageError.invalidPath(long)) {
            try await retrieval.writeChunk(Data(), at: long, metadata: nil)
        }
        await #expect(throws: ChunkStorageError.tooLarge(path: "a", limit: 1800)) {
            try await retrieval.writeChunk(
                Data(), at: "a",
                metadata: ChunkMetadata(size: 0, custom: ["a": String(repeating: "x", count: 3000)]))
        }
        #expect(try await retrieval.presence(at: "a") == false)
    }
}
