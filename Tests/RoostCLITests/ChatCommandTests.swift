import Foundation
import TestSupport
import Testing

/// Tests of `roost chat`.
@Suite(.temporaryFolders) struct ChatCommandTests {
    let cli = CommandLineDriver()

    @Test func `filters select messages, missing files are reported, and empty searches have status 1`()
        throws
    {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let lines = [
            ("ada", "one", "birds", "2024-01-01"), ("ada", "two", "birds", "2024-02-01"),
            ("bo", "one", "trees", "2024-03-01"), ("bo", "one", "trees", "5000-01-01"),
        ].map { user, session, agent, date in
            "{\"role\": \"user\", \"content\": \"said by \(user) on \(date)\", \"user\": \"\(user)\", "
                + "\"session\": \"\(session)\", \"agent\": \"\(agent)\", \"timestamp\": \"\(date)\"}"
        }
        try lines.joined(separator: "\n").write(
            to: cli.home.appendingPathComponent("c.jsonl"), atomically: true, encoding: .utf8)
        let imported = try cli.roost("chat", "import", "--store=s", "c.jsonl", "missing.jsonl", "--quiet")
        #expect(imported.status == 66 && imported.error.contains("missing.jsonl"), "\(imported.error)")
        #expect(imported.output.hasPrefix("4 new messages"))
        func count(_ arguments: String...) throws -> Int {
            let all = ["chat", "search", "--store=s", "said", "--json", "--context=0"]
            let result = try cli.roost(all + arguments)
            let found = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [Any]
            #expect(result.status == (found?.isEmpty == true ? 1 : 0))
            return found?.count ?? -1
        }
        #expect(try count("--user=ada") == 2)
        #expect(try count("--agent=trees") == 2)
        #expect(try count("--since=2024-02-01") == 3)
        // A day is included; a time is exact.
        #expect(try count("--until=2024-01-31") == 1)
        #expect(try count("--until=2024-02-01") == 2)
        #expect(try count("--until=2024-01") == 1)
        #expect(try count("--until=2024-02-01T00:00:00Z") == 1)
        #expect(try count("--since=2024-01-15", "--until=2024-02-15", "--session=two") == 1)
        #expect(try count("--user=nobody") == 0)
        let empty = try cli.roost("chat", "list", "--store=s", "--user=nobody", "--json")
        #expect(empty.status == 0 && empty.output == "[]\n", "\(empty)")
        #expect(empty.error == "no conversation matches the filters\n")
        let list = try cli.roost("chat", "list", "--store=s").output
        #expect(list.contains("ada · one") && list.contains("bo · one"), "\(list)")
        #expect(try cli.roost("chat", "show", "--store=s", "two", "--session=one").status == 64)
        #expect(try cli.roost("chat", "show", "--store=s", "two", "--until=2000-01-01").status == 0)
        let several = try cli.roost("chat", "show", "--store=s", "one")
        #expect(several.error.contains("ada, bo"), "\(several.error)")
        #expect(
            try cli.roost("chat", "delete", "--store=s", "--user=ada", "--dry-run").output
                == "would remove 2 messages\n")
        #expect(try cli.roost("chat", "delete", "--store=s", "--user=ada").output == "removed 2 messages\n")
        #expect(try cli.roost("chat", "export", "--store=s").output.split(separator: "\n").count == 2)
    }

    @Test func `a session of two users requires --user, and an import of an export adds nothing`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        for user in ["ada", "bo"] {
            let line =
                "{\"role\": \"user\", \"content\": \"hello of \(user)\", \"session\": \"main\", \"user\": \"\(user)\"}\n"
            #expect(try cli.roost("chat", "import", "--store=s", "-", input: line).status == 0)
        }
        let exported = try cli.roost("chat", "export", "--store=s").output
        #expect(
            try cli.roost("chat", "import", "--store=s", "-", input: exported).output
                .hasPrefix("0 new messages, 2 known"))
        let several = try cli.roost("chat", "delete", "--store=s", "main")
        #expect(several.status == 66 && several.error.contains("--user"), "\(several.error)")
        #expect(try cli.roost("chat", "delete", "--store=s", "main", "--user=bo").status == 0)
        #expect(try cli.roost("chat", "list", "--store=s").output.contains("hello of ada"))
    }

    @Test func `searches of messages report corrections, exclusions and noise like queries`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let lines = [
            "the heron stood in the shallow water", "the bread rises in the oven", "the hull needs paint",
            "tomatoes are planted out after the last frost", "the choir rehearses on Friday",
        ].map { "{\"role\": \"user\", \"content\": \"\($0)\", \"session\": \"day\"}" }
        let imported = try cli.roost(
            "chat", "import", "--store=s", "-", input: lines.joined(separator: "\n"))
        #expect(imported.status == 0)
        func search(_ arguments: String...) throws -> CommandLineDriver.Outcome {
            try cli.roost(["chat", "search", "--store=s", "--context=0"] + arguments)
        }
        let excluded = try search("heron in the water -oven", "--all")
        #expect(excluded.output.contains("heron") && !excluded.output.contains("bread"))
        let corrected = try search("herron", "in", "the", "water")
        #expect(
            corrected.error.contains("no message contains 'herron'; searching for 'heron' instead"),
            "\(corrected.error)")
        #expect(try !search("herron", "--exact-words", "--all").error.contains("searching for"))
        let noise = try search("quantum", "chromodynamics", "lattice", "--json")
        #expect(noise.status == 1 && noise.output == "[\n\n]\n", "\(noise.output)")
        #expect(noise.error.contains("nothing close; the nearest are:"), "\(noise.error)")
        #expect(noise.error.split(separator: "\n").count == 4, "\(noise.error)")
        let all = try search("quantum", "chromodynamics", "lattice", "--all")
        #expect(all.status == 0 && all.output.contains("heron"), "\(all.error)")
        let found = try search("heron water", "--json", "-n1")
        let hit = try #require(
            try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [[String: Any]]
        )[0]
        #expect(hit["message"] is [String: Any] && hit["similarity"] is Double)
        let colored = try search("heron", "-n1", "--all", "--color=always").output
        #expect(colored.contains("the \u{1B}[1;33mheron\u{1B}[0m stood in the shallow"), "\(colored)")
        let long = try search("heron", "--all", "--tokens=1")
        #expect(long.status == 1 && long.error.contains("a higher --tokens finds more"), "\(long)")
    }

    /// Checks that a search of messages accepts the syntax of queries.
    private func checkQuerySyntax() throws {
        let words = try cli.roost(
            "chat", "search", "--store=s", "bread", "in", "the", "oven", "--limit=1", "--context=0")
        #expect(words.status == 0 && words.output.contains("bread"), "\(words.output)")
        let read = try cli.roost(
            "chat", "search", "--store=s", "-", "-n1", "--json", input: "bread in the oven\n")
        #expect(read.status == 0 && read.output.contains("bread"))
        #expect(try cli.roost("chat", "search", "--store=s").status == 64)
    }

    @Test(arguments: ["sqlite", "json"])
    func `conversations are imported, found, shown, exported and removed`(provider: String) throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        let lines = (0..<30).map { number in
            let role = number % 2 == 0 ? "user" : "assistant"
            let text = ["the heron stood in the water", "the bread rises in the oven"][number / 15]
            return
                "{\"role\": \"\(role)\", \"content\": \"\(text) \(number)\", \"session\": \"day-\(number / 15)\"}"
        }
        try (lines + ["broken"]).joined(separator: "\n").write(
            to: cli.home.appendingPathComponent("c.jsonl"), atomically: true, encoding: .utf8)
        let imported = try cli.roost("chat", "import", "--store=s", "c.jsonl")
        #expect(imported.status == 0 && imported.output.hasPrefix("30 new messages"), "\(imported.error)")
        #expect(imported.error.contains("skipped c.jsonl, line 31"))
        #expect(
            try cli.roost("chat", "import", "--store=s", "c.jsonl").output.hasPrefix("0 new messages, 30"))
        #expect(try cli.roost("chat", "list", "--store=s").output.split(separator: "\n").count == 2)
        let found = try cli.roost("chat", "search", "--store=s", "bread in the oven", "--json", "-n", "2")
        let hits = try #require(
            try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [[String: Any]])
        #expect(hits.count == 2)
        let message = try #require(hits[0]["message"] as? [String: Any])
        #expect(
            (message["content"] as? String)?.contains("bread") == true
                && message["session"] as? String == "day-1")
        #expect(
            try cli.roost("chat", "search", "--store=s", "bread", "--session=day-0", "--mode=text").status
                == 1)
        #expect(try cli.roost("chat", "show", "--store=s", "day-1").output.split(separator: "\n").count == 15)
        #expect(try cli.roost("chat", "show", "--store=s", "day").status == 66)
        #expect(try cli.roost("chat", "search", "--store=s", "x", "--since=someday").status == 64)
        try checkQuerySyntax()
        // A note is not a message, so it is not clustered.
        #expect(try cli.roost("add", "--store=s", "the heron is a note").status == 0)
        let clusters = try cli.roost("recluster", "--store=s", "--where", "kind=message", "--clusters=2")
        #expect(
            clusters.status == 0 && clusters.error.contains("2 clusters of 30 entries"), "\(clusters.error)")
        #expect(try cli.roost("recluster", "--store=s", "--where", "kind=none").status == 66)
        // The output has a header line and one line for each cluster.
        #expect(try cli.roost("cluster", "list", "--store=s").output.split(separator: "\n").count == 3)
        let exported = try cli.roost("chat", "export", "--store=s")
        #expect(try cli.roost("init", "--store=t", "--model=lexical").status == 0)
        #expect(
            try cli.roost("chat", "import", "--store=t", "-", input: exported.output).output
                .hasPrefix("30 new messages"))
        #expect(try cli.roost("chat", "export", "--store=t").output.split(separator: "\n").count == 30)
        #expect(try cli.roost("chat", "delete", "--store=s").status == 64)
        #expect(try cli.roost("chat", "delete", "--store=s", "day-0").output == "removed 15 messages\n")
        #expect(try cli.roost("chat", "list", "--store=s").output.split(separator: "\n").count == 1)
        #expect(try cli.roost("undo", "--store=s").status == 0)
        #expect(try cli.roost("chat", "list", "--store=s").output.split(separator: "\n").count == 2)
        #expect(try cli.roost("chat", "list", "--store=s", "-n1").output.split(separator: "\n").count == 1)
        #expect(try cli.roost("chat", "list", "--store=s", "--limit=0").status == 64)
        #expect(try cli.roost("doctor", "--store=s").status == 0)
    }

    @Test func `times are shown in the time zone in which they are read`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let message = #"{"role": "user", "content": "hello", "timestamp": "2026-01-31T05:30:00Z"}"#
        #expect(try cli.roost("chat", "import", "--store=s", "-", "--session=a", input: message).status == 0)
        for (zone, time) in [("UTC", "2026-01-31 05:30"), ("America/Los_Angeles", "2026-01-30 21:30")] {
            func output(_ arguments: String...) throws -> String {
                try cli.start(
                    ["chat"] + arguments + ["--store=s"], environment: ["TZ": zone]
                ).outcome().output
            }
            #expect(try output("list").hasPrefix(time + "  "))
            #expect(try output("show", "a").hasPrefix(time + "  "))
            #expect(try output("search", "hello").contains("\n\(time)  user: hello"))
            #expect(try output("list", "--since", time).hasPrefix(time))
        }
    }
}
