import FakeServer
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import RoostRemote

@Suite struct HTTPClientTests {
    private static let timeout = Duration.seconds(1200)
    private static let limit = BodyLimit(size: 1 << 20, timeout: timeout)
    private static let client = HTTPClient(connectTimeout: timeout, pauseTimeout: timeout)

    private static func withServer(
        _ respond: @escaping FakeServer.Respond, _ body: (FakeServer) async throws -> Void
    ) async throws {
        let server = try await FakeServer(respond)
        do {
            try await body(server)
        } catch {
            await server.close()
            throw error
        }
        await server.close()
    }

    private static func withServer(
        _ answer: FakeServer.Answer = .init(), _ body: (FakeServer) async throws -> Void
    ) async throws { try await withServer({ _, _ in answer }, body) }

    /// Sends a call without tight limits.
    private static func send(_ call: HTTPCall, by client: HTTPClient = client) async throws -> HTTPAnswer {
        try await client.send(call, timeout: timeout, limit: limit)
    }

    private static func failure(_ call: () async throws -> Void) async -> NetworkFailure.Code? {
        do {
            try await call()
            return nil
        } catch {
            return (error as? NetworkFailure)?.code
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"])
    func `a call arrives unchanged`(method: String) async throws {
        try await Self.withServer { request, _ in
            FakeServer.Answer(status: 201, headers: ["X-Two": "b"], body: request.body)
        } _: { server in
            let hasBody = ["POST", "PUT", "PATCH"].contains(method)
            let body = hasBody ? Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0) }) : nil
            var call = HTTPCall(
                try #require(HTTPRequest.Method(rawValue: method)), server.address + "/a/../b%2F?c=%20d",
                headers: [.accept: "text/x"], body: body)
            call.headers.add("X-Empty", "")
            let answer = try await Self.send(call)
            #expect(answer.status == 201)
            #expect(answer.headers[named: "x-two"] == "b")
            #expect(answer.body == body ?? Data())
            let request = try #require(server.requests.first)
            #expect(request.method == method)
            #expect(request.path == "/a/../b%2F?c=%20d")
            let headers = Dictionary(request.headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
            #expect(headers["accept"] == "text/x")
            #expect(headers["x-empty"] == "")
            #expect(headers["expect"] == nil)
        }
    }

    @Test func `a header cannot contain another one`() async throws {
        try await Self.withServer { server in
            let call = HTTPCall(.get, server.address, headers: [.authorization: "Bearer x\r\nX-Other: y"])
            _ = try await Self.send(call)
            let names = try #require(server.requests.first).headers.keys.map { $0.lowercased() }
            #expect(!names.contains("x-other"))
        }
    }

    @Test func `limits end a call`() async throws {
        try await Self.withServer { request, _ in
            var answer = FakeServer.Answer(body: Data(count: 100_000))
            switch request.path {
            case "/drip": answer.drips = .milliseconds(20)
            case "/stall": answer.stalls = true
            case "/cut": answer.cutsOff = true
            case "/hang": answer.hangsUp = true
            case "/late": answer.delay = .seconds(1200)
            default: break
            }
            return answer
        } _: { server in
            func code(_ path: String, _ limit: BodyLimit, pause: Duration = timeout, head: Duration = timeout)
                async -> NetworkFailure.Code?
            {
                await Self.failure {
                    _ = try await HTTPClient(pauseTimeout: pause).send(
                        HTTPCall(.get, server.address + path), timeout: head, limit: limit)
                }
            }
            let timeout = Self.timeout
            #expect(await code("/", Self.limit) == nil)
            #expect(await code("/", BodyLimit(size: 99_999, timeout: timeout)) == .tooLarge)
            #expect(await code("/", BodyLimit(size: 100_000, timeout: timeout)) == nil)
            #expect(await code("/cut", Self.limit) == .other)
            #expect(await code("/hang", Self.limit) == .other)
            #expect(await code("/stall", Self.limit, pause: .milliseconds(300)) == .timedOut)
            #expect(await code("/late", Self.limit, head: .milliseconds(300)) == .timedOut)
            let slow = BodyLimit(size: 1 << 20, timeout: .milliseconds(300))
            #expect(await code("/drip", slow) == .timedOut)
        }
    }

    @Test func `a canceled call ends at once, and others continue`() async throws {
        try await Self.withServer { request, _ in
            var answer = FakeServer.Answer(body: Data("done".utf8))
            if request.path == "/late" { answer.delay = .seconds(1200) }
            return answer
        } _: { server in
            let task = Task { try await Self.send(HTTPCall(.get, server.address + "/late")) }
            while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            let other = try await Self.send(HTTPCall(.get, server.address + "/now"))
            #expect(other.body == Data("done".utf8))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `an error of a receiver ends the call and is thrown`() async throws {
        struct Full: Error {}
        try await Self.withServer(.init(body: Data(count: 100_000))) { server in
            await #expect(throws: Full.self) {
                try await Self.client.stream(
                    HTTPCall(.get, server.address), timeout: Self.timeout, limit: Self.limit, head: { _ in }
                ) { _ in throw Full() }
            }
        }
    }

    @Test func `the reasons of failed connections are distinguished`() async throws {
        func code(_ url: String) async -> NetworkFailure.Code? {
            await Self.failure { _ = try await Self.send(HTTPCall(.get, url)) }
        }
        #expect(await code("http://host.invalid/") == .other)
        #expect(await code("http://127.0.0.1:1/") == .other)
        #expect(await code("file:///etc/hostname") == .invalidCall)
        #expect(await code("http://127.0.0.1:99999/") == .invalidCall)
        #expect(await code("") == .invalidCall)
        #expect(await code("http://a\u{0}b/") == .invalidCall)
        try await Self.withServer { server in
            #expect(await code(server.address.replacing("http:", with: "https:")) == .other)
        }
    }

    @Test func `a compressed body counts with its full size`() async throws {
        // 1 MB of zeros, compressed by gzip.
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "head -c 1000000 /dev/zero | gzip -c"]
        let output = Pipe()
        process.standardOutput = output
        try TestTool.start(process)
        let data = try #require(try output.fileHandleForReading.readToEnd())
        process.waitUntilExit()
        let gzip = ["Content-Encoding": "gzip"]
        try await Self.withServer(.init(headers: gzip, body: data)) { server in
            var client = Self.client
            client.decompresses = true
            let call = HTTPCall(.get, server.address)
            let answer = try await Self.send(call, by: client)
            #expect(answer.body == Data(count: 1_000_000))
            let small = BodyLimit(size: 999_999, timeout: Self.timeout)
            #expect(
                await Self.failure { _ = try await client.send(call, timeout: Self.timeout, limit: small) }
                    == .tooLarge)
        }
        try await Self.withServer(.init(headers: gzip, body: Data("not gzip".utf8))) { server in
            var client = Self.client
            client.decompresses = true
            let call = HTTPCall(.get, server.address)
            let code = await Self.failure { _ = try await Self.send(call, by: client) }
            #expect(code == .other)
        }
    }

    @Test func `an unknown encoding does not hide the head`() async throws {
        try await Self.withServer(
            .init(
                status: 301, headers: ["Content-Encoding": "utf-8", "Location": "/x"],
                body: Data("moved".utf8))
        ) { server in
            var client = Self.client
            client.decompresses = true
            let call = HTTPCall(.get, server.address)
            let answer = try await client.send(call, timeout: Self.timeout, limit: Self.limit) { _ in false }
            #expect(answer.status == 301)
            #expect(answer.headers[.location] == "/x")
        }
    }

    @Test func `a proxy that requires a password is distinguished from the server`() async throws {
        try await Self.withServer(.init(status: 407)) { proxy in
            let far = try #require(URL(string: "http://far.example/"))
            for scheme in ["http", "https"] {
                var client = Self.client
                client.proxy = HTTPProxy(for: far, ["http_proxy": proxy.address])
                let call = HTTPCall(.get, "\(scheme)://far.example/")
                let code = await Self.failure { _ = try await Self.send(call, by: client) }
                #expect(code == .proxyAuthentication)
            }
            #expect(HTTPProxy(for: far, ["http_proxy": "http://[::1]:3128"])?.host == "[::1]")
            let secret = HTTPProxy(for: far, ["all_proxy": "SOCKS5h://u%40x:p%40ss@proxy.example"])
            #expect(secret?.scheme == "socks5h" && secret?.port == 1080)
            #expect(secret?.user == "u@x" && secret?.password == "p@ss")
            #expect(HTTPProxy(for: far, ["http_proxy": "https://proxy.example"])?.port == 443)
            #expect(HTTPProxy(for: far, ["http_proxy": "proxy.example"])?.scheme == "http")
        }
        try await Self.withServer(.init(status: 403)) { proxy in
            let far = try #require(URL(string: "https://far.example/"))
            var client = Self.client
            client.proxy = HTTPProxy(for: far, ["https_proxy": proxy.address])
            let call = HTTPCall(.get, far.absoluteString)
            let code = await Self.failure { _ = try await Self.send(call, by: client) }
            #expect(code == .other)
        }
    }

    /// Sends the alert of TLS that reports a fault, and closes the connection.
    private final class Greeter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func channelActive(context: ChannelHandlerContext) {
            let alert = ByteBuffer(bytes: [0x15, 3, 1, 0, 2, 2, 70] as [UInt8])
            context.writeAndFlush(NIOAny(alert), promise: nil)
            context.close(promise: nil)
        }
    }

    @Test func `a broken handshake and an answer that is not HTTP are not final`() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Greeter())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        for scheme in ["https", "http"] {
            let call = HTTPCall(.get, "\(scheme)://127.0.0.1:\(port)/")
            let code = await Self.failure { _ = try await Self.send(call) }
            #expect(code == .other)
        }
        try await listener.close()
    }

    @Test func `redirects are followed only as often as permitted, without the key`() async throws {
        try await Self.withServer { request, _ in
            guard let number = Int(request.path.dropFirst()), number > 0 else {
                return FakeServer.Answer(body: Data("end".utf8))
            }
            return FakeServer.Answer(status: 302, headers: ["Location": "/\(number - 1)"])
        } _: { server in
            var client = Self.client
            client.maximumRedirects = 3
            func send(_ count: Int) async throws -> HTTPAnswer {
                try await Self.send(
                    HTTPCall(.get, server.address + "/\(count)", headers: [.authorization: "Bearer k"]),
                    by: client)
            }
            #expect(try await send(3).body == Data("end".utf8))
            #expect(await Self.failure { _ = try await send(4) } == .other)
            client.maximumRedirects = 0
            #expect(try await send(1).status == 302)
            let away = ["Location": server.address + "/0?other"]
            try await Self.withServer(.init(status: 302, headers: away)) { first in
                client.maximumRedirects = 1
                _ = try await Self.send(
                    HTTPCall(.get, first.address, headers: [.authorization: "Bearer k"]), by: client)
                #expect(first.requests.first?.headers.values.contains("Bearer k") == true)
                let last = try #require(server.requests.last)
                #expect(last.path == "/0?other" && !last.headers.values.contains("Bearer k"))
            }
        }
    }

    @Test func `a call whose connection ends without an answer is not repeated`() async throws {
        try await Self.withServer { request, _ in
            FakeServer.Answer(body: Data("x".utf8), hangsUp: request.path == "/hang")
        } _: { server in
            // The connection of the first call is used again.
            for path in ["/", "/hang"] {
                let call = HTTPCall(.post, server.address + path, body: Data("y".utf8))
                let code = await Self.failure { _ = try await Self.send(call) }
                #expect(code == (path == "/" ? nil : .other))
            }
            #expect(server.requests.map(\.path) == ["/", "/hang"])
        }
    }

    @Test func `a hundred calls at the same time get their own answers`() async throws {
        try await Self.withServer { request, _ in
            FakeServer.Answer(body: Data(request.path.utf8))
        } _: { server in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await Self.send(HTTPCall(.get, server.address + "/\(number)")).body
                            == Data("/\(number)".utf8)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }
}
