import FakeServer
import Foundation
import TestSupport
import Testing

/// Tests of the command `roost ingest` with URLs.
@Suite(.temporaryFolders) struct WebIngestTests {
    private let driver = CommandLineDriver()

    private static let page = """
        <html><head><title>The river</title></head><body><p>The river rises in the hills, and its water reaches \
        the sea after forty miles of meadows.</p></body></html>
        """

    private func counts(_ outcome: CommandLineDriver.Outcome) -> String {
        String(outcome.output.split(separator: "\n").last ?? "")
    }

    @Test(arguments: [
        ("ETag", "\"7\"", "if-none-match"),
        ("Last-Modified", "Fri, 14 Mar 2025 10:00:00 GMT", "if-modified-since"),
    ])
    func `A page becomes an entry, and is not sent again while it is unchanged`(
        header: String, validator: String, condition: String
    ) async throws {
        let server = try await FakeServer { request, _ in
            guard request.path == "/river" else { return .init(status: 404) }
            if request.headers[condition] == validator { return .init(status: 304) }
            return .init(
                headers: ["Content-Type": "text/html", header: validator], body: Data(Self.page.utf8))
        }
        let address = server.address + "/river"
        let first = try driver.roost("ingest", "--allow-private", address)
        #expect(counts(first).hasPrefix("1 new, 0 updated"), "\(first)")
        let second = try driver.roost("ingest", "--allow-private", address)
        #expect(counts(second).contains("0 new, 0 updated, 0 removed, 1 unchanged"), "\(second)")
        let headers = try #require(server.requests.last?.headers)
        let conditions = headers.filter { ["if-none-match", "if-modified-since"].contains($0.key) }
        #expect(conditions == [condition: validator])
        let hits = try driver.roost("query", "river meadows", "--json")
        #expect(hits.output.contains("The river") && hits.output.contains("/river"), "\(hits)")
        await server.close()
    }

    @Test func `The spelling of a host and a fragment do not make another page`() async throws {
        let server = try await FakeServer { _, _ in
            .init(headers: ["Content-Type": "text/html"], body: Data(Self.page.utf8))
        }
        let address = server.address + "/river"
        #expect(counts(try driver.roost("ingest", "--allow-private", address)).hasPrefix("1 new"))
        let other = address.replacing("http://", with: "HTTP://") + "#bank"
        let again = try driver.roost("ingest", "--allow-private", other)
        #expect(counts(again).hasPrefix("0 new"), "\(again)")
        #expect(try driver.roost("show", other).output.contains("The river"))
        #expect(try driver.roost("list", "--source", other).output.contains("The river"))
        let removed = try driver.roost("remove", "--source", server.address + "#top")
        #expect(removed.output == "removed 1 entry\n", "\(removed)")
        await server.close()
    }

    @Test func `A private address is refused with the option that permits it`() async throws {
        let server = try await FakeServer { _, _ in .init(body: Data(Self.page.utf8)) }
        let outcome = try driver.roost("ingest", server.address + "/")
        #expect(outcome.status != 0)
        #expect(outcome.error.contains("--allow-private"), "\(outcome)")
        #expect(server.requests.isEmpty)
        await server.close()
    }

    @Test func `A redirect to a private address is refused with the option that permits it`() async throws {
        let target = try await FakeServer { _, _ in
            .init(headers: ["Content-Type": "text/html"], body: Data(Self.page.utf8))
        }
        let location = target.address + "/river"
        // The proxy resolves the host of the page, so this host is not a private address.
        let proxy = try await FakeServer { _, _ in
            .init(status: 302, headers: ["Location": location])
        }
        func ingest(_ options: String...) throws -> CommandLineDriver.Outcome {
            let running = try driver.start(
                ["ingest", "http://pages.example/"] + options, environment: ["http_proxy": proxy.address])
            try running.input.close()
            return try running.outcome()
        }
        let refused = try ingest()
        #expect(refused.status == 65 && refused.error.contains("--allow-private"), "\(refused)")
        #expect(refused.error.contains("redirects"), "\(refused)")
        #expect(proxy.requests.last?.path == "http://pages.example/" && target.requests.isEmpty)
        let permitted = try ingest("--allow-private")
        #expect(counts(permitted).hasPrefix("1 new"), "\(permitted)")
        #expect(target.requests.last?.path == "/river")
        await target.close()
        await proxy.close()
    }

    @Test func `Items that a feed no longer contains stay in the store`() async throws {
        func feed(_ numbers: [Int]) -> Data {
            let items = numbers.map {
                "<item><guid>\($0)</guid><title>Item \($0)</title><description>Text \($0)</description></item>"
            }
            return Data("<rss><channel><title>F</title>\(items.joined())</channel></rss>".utf8)
        }
        let (old, new) = (feed([1, 2]), feed([2, 3]))
        let server = try await FakeServer { _, number in
            .init(body: number <= 1 ? old : new)
        }
        let address = server.address + "/feed"
        let first = try driver.roost("ingest", "--allow-private", "--feed", address)
        #expect(counts(first).hasPrefix("2 new"), "\(first)")
        let second = try driver.roost("ingest", "--allow-private", "--feed", address)
        #expect(counts(second).hasPrefix("1 new, 0 updated, 0 removed, 1 unchanged"), "\(second)")
        await server.close()
    }

    @Test func `A page that cannot be fetched does not prevent the others`() async throws {
        let server = try await FakeServer { request, _ in
            request.path == "/river" ? .init(body: Data(Self.page.utf8)) : .init(status: 404)
        }
        let outcome = try driver.roost(
            "ingest", "--allow-private", server.address + "/missing", server.address + "/river")
        #expect(counts(outcome).contains("1 new"), "\(outcome)")
        #expect(outcome.error.contains("404"), "\(outcome)")
        let missing = try driver.roost("ingest", "--allow-private", server.address + "/missing")
        #expect(missing.status == 66, "\(missing)")
        await server.close()
    }
}
