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

    @Test func `A page becomes an entry, and is not sent again while it is unchanged`() async throws {
        let (header, validator, condition) = ("ETag", "\"7\"", "if-none-match")
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
        let hits = try driver.roost("query", "river meadows")
        #expect(hits.output.contains("The river") && hits.output.contains("/river"), "\(hits)")
        // The spelling of the host and a fragment make no other page.
        let other = address.replacing("http://", with: "HTTP://") + "#bank"
        #expect(try driver.roost("remove", "--source", other).output == "removed 1 entry\n")
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
