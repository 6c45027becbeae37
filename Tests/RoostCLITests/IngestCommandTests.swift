import FakeServer
import Foundation
import TestSupport
import Testing

/// Tests of the commands `ingest`, `add`, `import`, `export` and `config`.
@Suite(.temporaryFolders) struct IngestCommandTests {
    let commands = CommandLineDriver()
    private var home: URL { commands.home }

    @Test func `a dry run creates no store and reports what would change`() throws {
        try commands.write("a swift", to: "notes/a.md")
        let outcome = try commands.roost("ingest", "notes", "--dry-run")
        #expect(outcome.output == "dry run: 1 new, 0 updated, 0 removed, 0 unchanged, 0 skipped\n")
        #expect(try commands.roost("list").status == 66)
    }

    @Test func `empty standard input creates no store`() throws {
        let outcome = try commands.roost("ingest", "-", input: "\n \n")
        #expect(outcome.status == 66 && outcome.error.contains("standard input is empty"), "\(outcome)")
        #expect(try commands.roost("list").status == 66)
    }

    @Test func `a quiet ingest that reads nothing prints the reasons`() throws {
        for name in ["a.jsonl", "b.jsonl", "c.csv"] { try commands.write("{", to: name) }
        #expect(try commands.roost("add", "a swift").status == 0)
        let failed = try commands.roost("ingest", "-q", "a.jsonl", "c.csv")
        #expect(failed.status == 65 && failed.error.contains("a.jsonl: no row is valid"), "\(failed)")
        #expect(failed.error.contains("c.csv: it has no column"), "\(failed)")
        try commands.write("a heron", to: "d.md")
        #expect(try commands.roost("ingest", "-q", "b.jsonl", "d.md").error.isEmpty)
    }

    @Test func `patterns include and exclude files`() throws {
        for name in ["a.md", "b.txt", "deep/old/d.md", "e.unknown"] {
            try commands.write("text of \(name)", to: "notes/\(name)")
        }
        #expect(try commands.roost("ingest", "notes", "--exclude", "deep/old/**").output.hasPrefix("2 new"))
        #expect(
            try commands.roost("ingest", "notes", "--glob", "**/*.unknown").output.hasPrefix("1 new"))
        let list = "notes/a.md\nnotes/deep/old/d.md\n"
        #expect(
            try commands.roost("ingest", "--files-from", "-", input: list).output.hasPrefix(
                "1 new, 0 updated, 0 removed, 1 unchanged"))
        let zeros = list.replacing("\n", with: "\0")
        #expect(
            try commands.roost("ingest", "--files-from", "-", input: zeros).output.hasPrefix(
                "0 new, 0 updated, 0 removed, 2 unchanged"))
        try commands.expect(66, "no-list: No such file", "ingest", "--files-from", "no-list")
    }

    @Test func `settings apply`() throws {
        #expect(try commands.roost("config", "provider", "json").status == 0)
        #expect(try commands.roost("config", "limit", "1").status == 0)
        for text in ["a swift", "two swifts"] { #expect(try commands.roost("add", text).status == 0) }
        #expect(try commands.roost("status").output.contains("(json"))
        #expect(try commands.roost("query", "swift", "--all").output.split(separator: "\n").count == 1)
        #expect(try commands.roost("query", "swift", "--all", "-n2").output.split(separator: "\n").count == 2)
    }

    @Test func `the default folder of the published guide is in the user's documents`() throws {
        let running = Process()
        running.executableURL = CommandLineDriver.binary.deletingLastPathComponent()
            .appendingPathComponent("storage-worker")
        running.arguments = ["default-folder"]
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        running.environment = ["HOME": home.path, "CFFIXED_USER_HOME": home.path]
        try TestTool.start(running)
        running.waitUntilExit()
        #expect(running.terminationStatus == 0)
        let entries = home.appendingPathComponent("Documents/Storage/entries.json")
        #expect(try String(contentsOf: entries, encoding: .utf8).contains("\"Test\""))
    }

    @Test func `the number of threads does not change the clusters`() throws {
        let notes = Fixtures.folder.appendingPathComponent("notes").path
        #expect(try commands.roost("ingest", notes, "-q").status == 0)
        struct Export: Decodable {
            struct Member: Decodable { var id: String }
            struct Group: Decodable { var members: [Member] }
            var clusters: [Group]
        }
        var found: [Set<Set<String>>] = []
        for launcher in [["OPENBLAS_NUM_THREADS=4"], ["taskset", "-c", "0"]] {
            let recluster = ["recluster", "--clusters", "9", "--seed", "2", "-q"]
            #expect(try commands.start(recluster, launcher: launcher).outcome().status == 0)
            let text = try commands.roost("export", "clusters").output
            let export = try JSONDecoder().decode(Export.self, from: Data(text.utf8))
            found.append(Set(export.clusters.map { Set($0.members.map(\.id)) }))
        }
        #expect(found[0] == found[1] && found[0].count == 9)
    }

    @Test func `unusable input creates no store and fails`() throws {
        try commands.write("  ", to: "empty.md")
        try commands.write("id,text\n", to: "header.csv")
        let outcome = try commands.roost("ingest", "empty.md", "header.csv")
        #expect(outcome.status == 65 && outcome.error.split(separator: "\n").count == 1, "\(outcome)")
        #expect(try commands.roost("list").status == 66)
    }
}

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

    @Test func `A page becomes an entry, and is unchanged if it is fetched again`() async throws {
        let server = try await FakeServer { request, _ in
            guard request.path == "/river" else { return .init(status: 404) }
            return .init(headers: ["Content-Type": "text/html"], body: Data(Self.page.utf8))
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
}
