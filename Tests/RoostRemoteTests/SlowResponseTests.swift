import FakeServer
import Foundation
import NIOCore
import RoostChunks
import RoostModel
import TestSupport
import Testing

@testable import RoostRemote

/// Tests with servers that send a response very slowly, or without end.
@Suite(.temporaryFolders) struct SlowResponseTests {
    /// A server that sends one byte every 50 milliseconds: 4000 bytes take 200 seconds, without any long pause.
    private func drippingServer() async throws -> FakeServer {
        try await FakeServer { _, _ in
            var answer = FakeServer.Answer(body: Data(repeating: UInt8(ascii: " "), count: 4000))
            answer.drips = .milliseconds(50)
            return answer
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `an embedding server that sends a byte at a time is given up`() async throws {
        let server = try await drippingServer()
        var model = try RemoteModel(endpoint: server.address + "/v1", name: "slow", key: nil)
        model.timeout = .milliseconds(500)
        await #expect { try await RemoteEmbedder.connect(model) } throws: {
            ($0 as? EmbedderError)?.code == .unavailable
        }
        await server.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `an object store that sends a byte at a time is given up`() async throws {
        let server = try await drippingServer()
        let credentials = S3Credentials(accessKey: "x", secretKey: try #require(Secret("y")))
        var bucket = try S3Bucket("s3://bucket", endpoint: server.address, credentials: credentials)
        bucket.timeout = .milliseconds(500)
        bucket.attempts = 1
        let retrieval = S3Retrieval(bucket)
        await #expect { try await retrieval.readChunk(at: "a") } throws: {
            if case .storageUnavailable(let reason)? = $0 as? ChunkStorageError {
                return reason.contains("did not respond within")
            }
            return false
        }
        await server.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a model server that sends a byte at a time is given up`() async throws {
        let server = try await drippingServer()
        var hub = try ModelHub(address: server.address)
        (hub.timeout, hub.attempts) = (.milliseconds(500), 1)
        let folder = TemporaryFolder.unusedURL()
        await #expect { try await hub.fetch("a/b", files: ["config.json"], into: folder) } throws: {
            ($0 as? EmbedderError)?.code == .unavailable
        }
        await server.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a list of objects whose continuation token repeats ends with an error`() async throws {
        let page = """
            <ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key></Contents>\
            <NextContinuationToken>again</NextContinuationToken></ListBucketResult>
            """
        let server = try await FakeServer { _, _ in FakeServer.Answer(body: Data(page.utf8)) }
        let credentials = S3Credentials(accessKey: "x", secretKey: try #require(Secret("y")))
        let retrieval = S3Retrieval(
            try S3Bucket("s3://bucket", endpoint: server.address, credentials: credentials))
        await #expect { try await retrieval.paths(in: "") } throws: {
            if case .storageUnavailable(let reason)? = $0 as? ChunkStorageError {
                return reason.contains("never ends it")
            }
            return false
        }
        #expect(server.requests.count == 2)
        await server.close()
    }
}
