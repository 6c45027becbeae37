import Foundation
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostMCP

@Suite(.temporaryFolders) struct LineTransportTests {
    @Test func `a client that no longer reads ends the server, also with waiting messages`() async throws {
        let folder = try TemporaryFolder().url
        let file = folder.appendingPathComponent("messages")
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n"
        try Data(String(repeating: ping, count: 200).utf8).write(to: file)
        let input = try FileHandle(forReadingFrom: file)
        // Writing to a file that is open for reading fails, as writing to a closed pipe does.
        let output = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let server = MCPServer(StoreHandle { store }, AccessRules(), version: "test")
        for _ in 0..<20 {
            try input.seek(toOffset: 0)
            try await LineTransport(input: input.fileDescriptor, output: output.fileDescriptor).serve(server)
        }
        #expect(try output.read(upToCount: 1)?.isEmpty ?? true)
    }
}
