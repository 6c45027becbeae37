import Foundation
import TestSupport
import Testing

/// Tests of the options that select entries by their dates.
@Suite(.temporaryFolders) struct DateFilterTests {
    private let cli = CommandLineDriver()

    private func paths(_ zone: String, _ arguments: String...) throws -> [String] {
        let outcome = try cli.start(
            ["list", "--store=s", "--format=paths"] + arguments, environment: ["TZ": zone]
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.error)")
        return outcome.output.split(separator: "\n").map { String($0.split(separator: "/").last ?? $0) }
            .sorted()
    }

    private func prepare(_ zone: String) throws {
        let folder = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, fields) in [
            ("before.md", "date: 2025-05-31"), ("day.md", "date: 2025-06-01"),
            ("after.md", "date: 2025-06-02"), ("time.md", "date: 2025-06-01T12:00:00Z"),
            ("both.md", "created: 2020-03-04\nupdated: 2021-05-06"),
        ] {
            try Data("---\n\(fields)\n---\n\nThe swifts of \(name)".utf8).write(
                to: folder.appendingPathComponent(name))
        }
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let ingested = try cli.start(
            ["ingest", "notes", "--store=s"], environment: ["TZ": zone]
        ).outcome()
        #expect(ingested.status == 0, "\(ingested.error)")
    }

    @Test(arguments: ["UTC", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati"])
    func `an entry dated by a day is found by this day in every time zone`(zone: String) throws {
        try prepare("Europe/Berlin")
        let day = try paths(zone, "--since", "2025-06-01", "--until", "2025-06-01")
        #expect(day.contains("day.md") && !day.contains("before.md") && !day.contains("after.md"), "\(day)")
        let created = try paths(zone, "--where", "created=2025-06-01")
        #expect(created.contains("day.md") && !created.contains("before.md"), "\(created)")
        let later = try paths(zone, "--where", "created>=2025-06-02")
        // The time of `time.md` is on the next day in Kiritimati.
        #expect(later.filter { $0 != "time.md" } == ["after.md"], "\(later)")
        #expect(try paths(zone, "--where", "created<2025-06-01") == ["before.md", "both.md"])
        #expect(
            try paths(zone, "--since", "2025-05-31", "--until", "2025-06")
                == ["after.md", "before.md", "day.md", "time.md"])
    }

    @Test func `times of a day are in the day of the time zone`() throws {
        try prepare("UTC")
        // In Kiritimati, noon in UTC is on the next day.
        #expect(try paths("UTC", "--where", "created=2025-06-01") == ["day.md", "time.md"])
        #expect(try paths("Pacific/Kiritimati", "--where", "created=2025-06-01") == ["day.md"])
        #expect(try paths("Pacific/Kiritimati", "--where", "created=2025-06-02") == ["after.md", "time.md"])
    }

    @Test func `metadata are compared with the days that words stand for`() throws {
        try prepare("UTC")
        let due = cli.home.appendingPathComponent("notes/due.md")
        try Data("---\ndue: 2025-06-01\n---\n\nFeed the swifts".utf8).write(to: due)
        #expect(try cli.roost("ingest", "notes", "--store=s").status == 0)
        for condition in ["due<last-week", "due<last week", "due<jan 2026", "due<=last-24-hours"] {
            #expect(try paths("UTC", "--where", condition) == ["due.md"], "\(condition)")
        }
        for condition in ["due<monday", "due<=2025-06", "due<=2025", "due>2024", "due>=2025-06-01"] {
            #expect(try paths("UTC", "--where", condition) == ["due.md"], "\(condition)")
        }
        for condition in ["due>=last-week", "due<2025-06", "due>2025-06", "due>2025"] {
            #expect(try paths("UTC", "--where", condition).isEmpty, "\(condition)")
        }
        let refused = try cli.roost("list", "--store=s", "--where", "due<7d")
        #expect(refused.status == 64 && refused.error.contains("such as '2 days ago'"), "\(refused)")
    }

    @Test func `the dates of creation and of the last change are compared separately`() throws {
        try prepare("UTC")
        #expect(try paths("UTC", "--where", "updated=2021-05") == ["both.md"])
        #expect(try paths("UTC", "--where", "created < 2021", "--where", "updated > 2020") == ["both.md"])
        #expect(try paths("UTC", "--where", "updated<2021").isEmpty)
        #expect(try paths("UTC", "--where", "updated>=1h").count == 4)
        // A period finds both dates.
        #expect(try paths("UTC", "--since=2020", "--until=2020") == ["both.md"])
        #expect(try paths("UTC", "--since=2021", "--until=2021") == ["both.md"])
        #expect(try paths("UTC", "--since=2022", "--until=2023").isEmpty)
        #expect(try paths("UTC", "--until=yesterday").count == 5)
        // Other values are compared with metadata.
        #expect(try paths("UTC", "--where", "created=soon").isEmpty)
        let refused = try cli.roost("list", "--store=s", "--where", "created>=soon")
        #expect(refused.status == 64 && refused.error.contains("invalid time 'soon'"), "\(refused.error)")
    }

    /// Returns the numbers of messages that calls of the tool `recall` return.
    private func recalled(_ calls: [String], in zone: String) throws -> [Int] {
        let requests = calls.enumerated().map { number, arguments in
            #"{"jsonrpc":"2.0","id":\#(number),"method":"tools/call","params":{"name":"recall","arguments":"#
                + arguments + #","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#
                + #""io.modelcontextprotocol/clientCapabilities":{}}}}"#
        }
        let running = try cli.start(["mcp", "--store=s"], environment: ["TZ": zone])
        try running.input.write(contentsOf: Data((requests.joined(separator: "\n") + "\n").utf8))
        try running.input.close()
        var counts: [Int: Int] = [:]
        for line in try running.outcome().output.split(separator: "\n") {
            let answer = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let result = (answer["result"] as? [String: Any])?["structuredContent"] as? [String: Any]
            let number = try #require(answer["id"] as? Int)
            counts[number] = try #require(result?["messages"] as? [Any], "\(line)").count
        }
        return calls.indices.map { counts[$0] ?? -1 }
    }

    @Test(arguments: [("UTC", 31), ("America/Los_Angeles", 30)])
    func `questions and filters of agents have the days of the time zone`(zone: String, day: Int) throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let message = #"{"role": "user", "content": "hello", "timestamp": "2026-01-31T05:30:00Z"}"#
        #expect(try cli.roost("chat", "import", "--store=s", "-", "--session=a", input: message).status == 0)
        for other in [30, 31] {
            let date = "2026-01-\(other)"
            let counts = try recalled(
                [
                    #"{"query":"what happened on \#(other) January 2026?"}"#,
                    #"{"query":"hello","since":"\#(date)","until":"\#(date)"}"#,
                ], in: zone)
            #expect(counts == (other == day ? [1, 1] : [0, 0]), "\(date)")
        }
    }
}
