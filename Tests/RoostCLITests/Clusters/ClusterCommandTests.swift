import Foundation
import TestSupport
import Testing

/// Tests of the lines that the commands for clusters print.
@Suite(.temporaryFolders) struct ClusterCommandTests {
    private let cli = CommandLineDriver()

    private func makeStore() throws {
        #expect(try cli.roost("init", "--model", "lexical").status == 0)
        let rows = (0..<60).map {
            "{\"id\": \"\($0)\", \"kind\": \"\($0 % 2 == 0 ? "note" : "letter")\", "
                + "\"text\": \"\(SampleTexts.subjects[$0 % 4]) \($0)\"}\n"
        }
        try Data(rows.joined().utf8).write(to: cli.home.appendingPathComponent("rows.jsonl"))
        #expect(try cli.roost("ingest", "rows.jsonl").status == 0)
    }

    @Test func `fewer clusters or parts than requested are reported`() throws {
        #expect(try cli.roost("init", "--model", "lexical").status == 0)
        let rows = (0..<30).map { "{\"id\": \"\($0)\", \"text\": \"\(SampleTexts.subjects[$0 % 2])\"}\n" }
        try Data(rows.joined().utf8).write(to: cli.home.appendingPathComponent("rows.jsonl"))
        #expect(try cli.roost("ingest", "rows.jsonl").status == 0)
        let all = try cli.roost("recluster", "--clusters", "5")
        #expect(all.status == 0 && all.error.contains("only 2 of 5 clusters"), "\(all.error)")
        let one = try cli.roost("recluster", "--clusters", "1", "--json")
        let id = try #require(one.output.firstMatch(of: /"id" : "([0-9a-f-]+)"/)?.1)
        let again = try cli.roost("recluster", "--clusters", "1", "--dry-run")
        #expect(again.error.contains("; 1 continues an earlier cluster;"), "\(again.error)")
        #expect(again.error.contains("1 cluster has the same members as before"), "\(again.error)")
        let split = try cli.roost("cluster", "split", String(id), "--into", "3")
        #expect(split.status == 0 && split.error.contains("only 2 of 3 parts"), "\(split.error)")
        #expect(try cli.roost("cluster", "delete", String(id)).status == 0)
        #expect(try cli.roost("export", "clusters").error.contains("in no cluster since"))
    }

    @Test func `a run with a filter reports the clusters that end, and asks for labeled ones`() throws {
        try makeStore()
        #expect(try cli.roost("recluster", "--clusters", "4").status == 0)
        let filter = ["recluster", "--where", "kind=letter", "--clusters", "2"]
        let dry = try cli.roost(filter + ["--dry-run"])
        #expect(dry.status == 0 && dry.error.split(separator: "\n").count { $0.hasPrefix("ended") } == 2)
        let ended = try #require(dry.error.split(separator: "\n").first { $0.hasPrefix("ended") })
        let id = try #require(ended.split(separator: " ").last.map(String.init))
        #expect(dry.error.components(separatedBy: id).count == 2, "\(dry.error)")
        #expect(try cli.roost("cluster", "label", id, "My notes").status == 0)
        let labeled = try cli.roost(filter + ["--dry-run"]).error.components(separatedBy: id)
        #expect(labeled.count == 2 && labeled[1].hasPrefix(", a label that you set"), "\(labeled)")
        let refused = try cli.roost(filter)
        #expect(refused.status == 64 && refused.error.contains("'My notes'"), "\(refused.error)")
        let done = try cli.roost(filter + ["--yes"])
        #expect(done.status == 0, "\(done.error)")
        let lines = done.error.split(separator: "\n").filter { $0.hasPrefix("ended") }
        #expect(lines.count == 2 && lines[0].contains("My notes"), "\(lines)")
    }

    @Test func `a text finds a cluster, and entries are moved to it`() throws {
        try makeStore()
        #expect(try cli.roost("recluster", "--clusters", "4").status == 0)
        func find(_ words: String...) throws -> String {
            let found = try cli.roost(["cluster", "find"] + words + ["-n1", "--json"])
            #expect(found.status == 0, "\(found)")
            return String(try #require(found.output.firstMatch(of: /"id" : "([0-9a-f-]+)"/)?.1))
        }
        let (bread, boat) = (try find("bread", "oven"), try find("boat", "sail"))
        #expect(bread != boat)
        let moved = try cli.roost("cluster", "move", "--cluster", bread, "--where", "kind=note", "--to", boat)
        #expect(moved.status == 0 && moved.error.contains("moved 15 of 15 entries to "), "\(moved)")
        #expect(try cli.roost("cluster", "show", bread).status == 66)
        #expect(try cli.roost("undo").status == 0)
        #expect(try find("bread", "oven") == bread)
        let id = String(try cli.roost("list", "-n1").output.prefix(8))
        let out = try cli.roost("cluster", "move", id, "--to", "none")
        #expect(out.status == 0 && out.error.contains("moved 1 of 1 entry out of"), "\(out)")
        #expect(try cli.roost("list", "--cluster=none").output.hasPrefix(id))
        for (arguments, status, part) in [
            (["12345678", "--tag=x", "--to=none"], Int32(64), "either ids"),
            (["rows.jsonl", "--to=missing"], 66, "no cluster has the id or label 'missing'"),
        ] {
            let outcome = try cli.roost(["cluster", "move"] + arguments)
            #expect(outcome.status == status && outcome.error.contains(part), "\(arguments): \(outcome)")
        }
    }
}
