import FakeServer
import Foundation
import NIOCore
import TestSupport
import Testing

@testable import RoostRemote

/// Tests of fetching pages from a server on the loopback interface.
@Suite struct WebFetcherTests {
    private func fetcher(
        allowsPrivate: Bool = true, maximumSize: Int = 1 << 20, timeout: Duration = .seconds(1200)
    ) -> WebFetcher {
        var limits = WebFetcher.Limits()
        (limits.maximumSize, limits.timeout) = (maximumSize, timeout)
        return WebFetcher(version: "1.2", allowsPrivateAddresses: allowsPrivate, limits: limits)
    }

    private func server(
        _ answer: @escaping @Sendable (FakeServer.Request) -> FakeServer.Answer
    ) async throws -> FakeServer {
        try await FakeServer { request, _ in answer(request) }
    }

    private func code(_ body: () async throws -> Void) async -> WebError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? WebError)?.code
        }
    }

    @Test func `A page is fetched with its type and encoding`() async throws {
        let server = try await server { _ in
            .init(
                headers: ["Content-Type": "Text/HTML; charset=\"windows-1252\""], body: Data("<p>x</p>".utf8))
        }
        let page = try await fetcher().fetch(server.address + "/page?q=1")
        #expect(page.data == Data("<p>x</p>".utf8))
        #expect(page.mediaType == "text/html")
        #expect(page.encodingName == "windows-1252")
        #expect(server.requests.map(\.path) == ["/page?q=1"])
        #expect(server.requests.allSatisfy { $0.headers["user-agent"] == "roost/1.2" })
        await server.close()
    }

    @Test func `Private addresses are refused without a request`() async throws {
        let server = try await server { _ in .init(body: Data("x".utf8)) }
        let port = try #require(URL(string: server.address)?.port)
        for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1"] {
            let refused = await code {
                _ = try await fetcher(allowsPrivate: false).fetch("http://\(host):\(port)/")
            }
            #expect(refused == .privateAddress, "\(host)")
        }
        #expect(server.requests.isEmpty)
        await server.close()
    }

    @Test(arguments: ["2130706433", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.1.", "[::ffff:7f00:1]"])
    func `A proxy is not asked for a private address in any form`(host: String) async throws {
        let proxy = try await server { _ in .init(status: 302, headers: ["Location": "http://\(host):1/"]) }
        let fetcher = WebFetcher(version: "1", environment: ["http_proxy": proxy.address])
        #expect(await code { _ = try await fetcher.fetch("http://example.org/") } == .privateAddress)
        #expect(proxy.requests.count == 1)
        await proxy.close()
    }

    @Test func `A host name with a private address among its addresses is refused`() async throws {
        let fetcher = WebFetcher(
            version: "1", allowsPrivateAddresses: false, environment: [:], limits: .init()
        ) { _ in
            [
                try #require(IPAddress("93.184.216.34")),
                try #require(IPAddress("10.0.0.1")),
            ]
        }
        #expect(await code { _ = try await fetcher.fetch("http://example.org/") } == .privateAddress)
    }

    @Test func `The connection uses the address that was checked`() async throws {
        let server = try await server { _ in .init(body: Data("x".utf8)) }
        let port = try #require(URL(string: server.address)?.port)
        let fetcher = WebFetcher(
            version: "1", allowsPrivateAddresses: true, environment: [:], limits: .init()
        ) { _ in [try #require(IPAddress("127.0.0.1"))] }
        let page = try await fetcher.fetch("http://name.invalid:\(port)/")
        #expect(page.data == Data("x".utf8))
        #expect(server.requests.last?.headers["host"] == "name.invalid:\(port)")
        await server.close()
    }

    @Test(arguments: [
        ("8.8.8.8", true), ("10.1.2.3", false), ("172.16.0.1", false), ("172.32.0.1", true),
        ("192.168.1.1", false), ("169.254.169.254", false), ("100.64.0.1", false), ("224.0.0.1", false),
        ("255.255.255.255", false), ("192.0.2.1", false), ("2606:4700::1111", true), ("::", false),
        ("fe80::1", false), ("fc00::1", false), ("ff02::1", false), ("::ffff:10.0.0.1", false),
        ("::ffff:8.8.8.8", true), ("64:ff9b::7f00:1", false), ("2002:7f00:1::", false),
        ("2001:db8::1", false), ("::7f00:1", false),
    ])
    func `Addresses of special ranges are not public`(address: String, isPublic: Bool) throws {
        #expect(IPAddress(address)?.isPublic == isPublic)
    }

    @Test func `Redirects are followed, limited, and checked`() async throws {
        let server = try await server { request in
            switch request.path {
            case "/a": .init(status: 301, headers: ["Location": "b"])
            case "/b": .init(body: Data("end".utf8))
            case "/loop": .init(status: 302, headers: ["Location": "/loop"])
            default: .init(status: 302, headers: ["Location": "file:///etc/passwd"])
            }
        }
        let page = try await fetcher().fetch(server.address + "/a")
        #expect(page.url.absoluteString == server.address + "/b")
        let address = server.address
        #expect(await code { _ = try await fetcher().fetch(address + "/loop") } == .tooManyRedirects)
        #expect(await code { _ = try await fetcher().fetch(address + "/file") } == .invalidAddress)
        await server.close()
    }

    @Test func `Limits on size and time are enforced`() async throws {
        let server = try await server { request in
            var answer = FakeServer.Answer(body: Data(repeating: 0x20, count: 200_000))
            if request.path == "/slow" { answer.drips = .milliseconds(50) }
            return answer
        }
        let address = server.address
        #expect(await code { _ = try await fetcher(maximumSize: 100_000).fetch(address) } == .tooLarge)
        let slow = await code { _ = try await fetcher(timeout: .milliseconds(300)).fetch(address + "/slow") }
        #expect(slow == .unavailable)
        await server.close()
    }

    @Test(arguments: [
        "ftp://example.org", "https://", "file:///etc/passwd", "nonsense", "http://u:p@example.org",
    ])
    func `Addresses that are not http or https URLs are refused`(address: String) async {
        #expect(await code { _ = try await fetcher().fetch(address) } == .invalidAddress)
    }

    @Test(arguments: [401, 404, 500]) func `An error status is reported`(status: Int) async throws {
        let server = try await server { _ in .init(status: status) }
        let address = server.address
        #expect(await code { _ = try await fetcher().fetch(address) } == .refused)
        await server.close()
    }
}
