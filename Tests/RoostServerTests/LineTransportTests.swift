import Foundation
import Roost
import RoostModel
import TestSupport
import Testing

@testable import RoostServer

@Suite(.temporaryFolders) struct LineTransportTests {
    /// A server that reads requests from one pipe and writes the answers to another one.
    private struct PipedServer {
        let requests = Pipe()
        let answers = Pipe()

        func start() -> Task<Void, any Error> {
            let transport = LineTransport(
                input: requests.fileHandleForReading.fileDescriptor,
                output: answers.fileHandleForWriting.fileDescriptor)
            return Task { try await transport.serve(LineTransportTests.server()) }
        }
    }

    private static func server() -> MCPServer {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        return MCPServer(StoreHandle { store }, AccessRules(), version: "test")
    }

    private static let initialize =
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#

    @Test func `a client that no longer reads ends the server, also with waiting messages`() async throws {
        let folder = try TemporaryFolder().url
        let file = folder.appendingPathComponent("messages")
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n"
        try Data(String(repeating: ping, count: 200).utf8).write(to: file)
        let input = try FileHandle(forReadingFrom: file)
        // Writing to a file that is open for reading fails, as writing to a closed pipe does.
        let output = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null"))
        let server = Self.server()
        for _ in 0..<20 {
            try input.seek(toOffset: 0)
            try await LineTransport(input: input.fileDescriptor, output: output.fileDescriptor).serve(server)
        }
        #expect(try output.read(upToCount: 1)?.isEmpty ?? true)
    }

    @Test func `a client whose pipes do not block gets all answers`() async throws {
        let piped = PipedServer()
        let (requests, answers) = (piped.requests, piped.answers)
        for pipe in [requests, answers] {
            for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
                let flags = fcntl(handle.fileDescriptor, F_GETFL)
                #expect(fcntl(handle.fileDescriptor, F_SETFL, flags | O_NONBLOCK) == 0)
            }
        }
        let serving = piped.start()
        // The first read of the server finds no request.
        try await Task.sleep(for: .milliseconds(100))
        let count = 30
        try requests.fileHandleForWriting.write(contentsOf: Data((Self.initialize + "\n").utf8))
        for id in 1..<count {
            let request = #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/list"}"# + "\n"
            try requests.fileHandleForWriting.write(contentsOf: Data(request.utf8))
        }
        try requests.fileHandleForWriting.close()
        // The answers exceed the buffer of a pipe, which the client empties late. It reads on a thread of its
        // own, because the server waits for it on the threads of tasks.
        let output = answers.fileHandleForReading.fileDescriptor
        let received = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 0.5)
                continuation.resume(returning: Self.lines(count, from: output))
            }
        }
        #expect(received.count > 1 << 16)
        try await serving.value
        withExtendedLifetime(piped) {}
    }

    @Test func `a client that reads late does not block other work and gets all answers`() async throws {
        let piped = PipedServer()
        let (requests, answers) = (piped.requests, piped.answers)
        let serving = piped.start()
        let (count, input) = (400, requests.fileHandleForWriting)
        Thread.detachNewThread {
            let lists = (1..<count).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"tools/list"}"# }
            for line in [Self.initialize] + lists { try? input.write(contentsOf: Data((line + "\n").utf8)) }
            try? input.close()
        }
        // The answers are larger than the buffer of a pipe, and no task would run if they waited for the
        // client on the threads of tasks. The client then reads on a thread of its own.
        for _ in 0..<20 { try await Task.sleep(for: .milliseconds(20)) }
        let output = answers.fileHandleForReading
        let received = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: Self.lines(count, from: output.fileDescriptor))
            }
        }
        #expect(received.count { $0 == UInt8(ascii: "\n") } == count)
        try await serving.value
        withExtendedLifetime(piped) {}
    }

    @Test func `a server that is canceled ends although the client does not read`() async throws {
        let piped = PipedServer()
        let (requests, answers) = (piped.requests, piped.answers)
        let serving = piped.start()
        let line = #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{}}}"# + "\n"
        let lines = Data(String(repeating: line, count: 4000).utf8)
        Thread.detachNewThread { try? requests.fileHandleForWriting.write(contentsOf: lines) }
        try await Task.sleep(for: .milliseconds(100))
        serving.cancel()
        await #expect(throws: CancellationError.self) { try await serving.value }
        // The threads that still write end with an error.
        signal(SIGPIPE, SIG_IGN)
        try answers.fileHandleForReading.close()
        try requests.fileHandleForReading.close()
        withExtendedLifetime(piped) {}
    }

    /// Reads lines from a descriptor that does not block, until the given number of them, the end, or a
    /// minute without data.
    private static func lines(_ count: Int, from descriptor: Int32) -> Data {
        var received = Data()
        var part = [UInt8](repeating: 0, count: 1 << 16)
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while received.count(where: { $0 == UInt8(ascii: "\n") }) < count, poll(&entry, 1, 60_000) > 0 {
            let length = read(descriptor, &part, part.count)
            guard length > 0 else { break }
            received += part[..<length]
        }
        return received
    }
}
