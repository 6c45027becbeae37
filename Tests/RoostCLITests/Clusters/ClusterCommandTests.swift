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

    @Test func `without clusters, the commands name the command that creates them`() throws {
        try makeStore()
        let outliers = try cli.roost("cluster", "outliers")
        #expect(outliers.error.contains("no clusters yet") && !outliers.error.contains("last run"))
        let export = try cli.roost("export", "clusters")
        #expect(export.error.contains("no clusters yet") && !export.error.contains("last run"))
    }

    @Test func `a run with a filter reports the clusters that end, and asks for labeled ones`() throws {
        try makeStore()
        #expect(try cli.roost("recluster", "--clusters", "4").status == 0)
        let filter = ["recluster", "--where", "kind=letter", "--clusters", "2"]
        let dry = try cli.roost(filter + ["--dry-run"])
        #expect(dry.status == 0 && dry.error.split(separator: "\n").count { $0.hasPrefix("ended") } == 2)
        let ended = try #require(dry.error.split(separator: "\n").first { $0.hasPrefix("ended") })
        let id = try #require(ended.split(separator: " ").last.map(String.init))
        #expect(try cli.roost("cluster", "label", id, "My notes").status == 0)
        let refused = try cli.roost(filter)
        #expect(refused.status == 64 && refused.error.contains("'My notes'"), "\(refused.error)")
        #expect(try cli.roost("cluster", "list").output.contains("My notes"))
        let done = try cli.roost(filter + ["--yes"])
        #expect(done.status == 0, "\(done.error)")
        let lines = done.error.split(separator: "\n").filter { $0.hasPrefix("ended") }
        #expect(lines.count == 2 && lines[0].contains("My notes"), "\(lines)")
        #expect(try !cli.roost("cluster", "list").output.contains("My notes"))
    }

    @Test func `members are listed with their titles`() throws {
        #expect(try cli.roost("init", "--model", "lexical").status == 0)
        for number in 0..<4 {
            let text = "---\ntags: [x]\n---\n# Night \(number)\n\nThe stars of night \(number)."
            try FileManager.default.createDirectory(
                at: cli.home.appendingPathComponent("notes"), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: cli.home.appendingPathComponent("notes/\(number).md"))
        }
        #expect(try cli.roost("ingest", "notes").status == 0)
        let run = try cli.roost("recluster", "--clusters", "1", "--json").output
        let id = try #require(run.firstMatch(of: /"id" : "([0-9a-f-]+)"/)?.1)
        let shown = try cli.roost("cluster", "show", String(id))
        #expect(shown.output.contains("Night 3") && !shown.output.contains("tags:"), "\(shown)")
    }
}
