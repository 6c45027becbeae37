import Foundation
import Roost
import Testing

/// Files of conversations, and the command.
struct TranscriptTests {
    let cli = CommandLineTests()

    private func read(_ text: String) throws -> TranscriptFile {
        try TranscriptReader().read(Data(text.utf8), name: "file")
    }

    @Test func `JSON Lines are read line by line`() throws {
        let file = try read(
            """
            {"role": "user", "content": "hi", "timestamp": "2024-01-02T03:04:05Z", "id": 7}
            nonsense
            {"role": "assistant", "content": [{"type": "text", "text": "one"}, {"type": "image"}, {"text": "two"}]}
            {"role": "human", "text": "third", "timestamp": 1700000000.5, "speaker": "Ada", "session": "x"}

            {"role": "user"}
            [1]
            {"role": "user", "content": "x", "timestamp": "yesterday"}
            {"role": "model", "content": "y", "timestamp": 1700000000500, "session": "x"}
            """)
        #expect(file.format == .jsonLines)
        #expect(file.problems.map(\.place) == ["line 2", "line 6", "line 7", "line 8"])
        #expect(file.transcripts.map(\.sessionId) == [nil, "x"])
        let first = file.transcripts[0].messages
        #expect(first.map(\.content) == ["hi", "one\n\ntwo"])
        #expect(first[0].id == "7" && first[0].timestamp == Date(timeIntervalSince1970: 1_704_164_645))
        let second = file.transcripts[1].messages
        #expect(second.map(\.role) == [.user, .assistant])
        #expect(second[0].speaker == "Ada" && second[0].timestamp == second[1].timestamp)
    }

    @Test func `transcripts of Claude Code are read, without what nobody said`() throws {
        let file = try read(
            """
            {"type":"summary","summary":"x","leafUuid":"1"}
            {"type":"user","sessionId":"s1","uuid":"u1","timestamp":"2025-06-14T10:00:00Z","message":{"role":"user","content":"Hello"}}
            {"type":"assistant","sessionId":"s1","uuid":"u2","timestamp":"2025-06-14T10:00:30Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"Hi!"},{"type":"tool_use","id":"t","name":"ls","input":{}}]}}
            {"type":"user","sessionId":"s1","uuid":"u3","timestamp":"2025-06-14T10:00:31Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a b"}]}}
            {"type":"user","sessionId":"s1","uuid":"u4","isMeta":true,"message":{"role":"user","content":"Caveat"}}
            {"type":"assistant","sessionId":"s1","uuid":"u5","isSidechain":true,"timestamp":"2025-06-14T10:01:00Z","message":{"role":"assistant","content":"aside"}}
            {"type":"user","message":
            """)
        #expect(file.format == .claudeCode && file.omitted == 3)
        #expect(file.problems.map(\.place) == ["line 7"])
        #expect(file.transcripts.map(\.agentId) == ["claude-code", "claude-code-task"])
        #expect(file.transcripts[0].messages.map(\.content) == ["Hello", "Hi!"])
        #expect(file.transcripts[0].messages.map(\.id) == ["u1", "u2"])
    }

    @Test func `exports of ChatGPT give the thread that was shown`() throws {
        let file = try read(
            """
            [{"title": "t", "conversation_id": "c1", "current_node": "n3", "mapping": {
              "n0": {"id": "n0", "message": null, "parent": null, "children": ["n1"]},
              "n1": {"id": "n1", "parent": "n0", "message": {"id": "m1", "author": {"role": "user"}, "create_time": 1700000000.25, "content": {"content_type": "text", "parts": ["Where?"]}}},
              "n2": {"id": "n2", "parent": "n1", "message": {"id": "m2", "author": {"role": "assistant"}, "create_time": 1700000001, "content": {"content_type": "text", "parts": ["not shown"]}}},
              "n3": {"id": "n3", "parent": "n1", "message": {"id": "m3", "author": {"role": "assistant"}, "create_time": 1700000002, "content": {"content_type": "text", "parts": ["Here.", {"asset": 1}]}}}
            }}, {"unknown": true}]
            """)
        #expect(file.format == .chatGPT && file.problems.map(\.place) == ["conversation 2"])
        #expect(file.transcripts[0].sessionId == "c1")
        #expect(file.transcripts[0].messages.map(\.content) == ["Where?", "Here."])
        #expect(file.transcripts[0].messages.map(\.id) == ["m1", "m3"])
        #expect(file.transcripts[0].messages[0].timestamp == Date(timeIntervalSince1970: 1_700_000_000.25))
    }

    @Test func `a circle in an export ends`() throws {
        let file = try read(
            """
            [{"id": "c", "current_node": "a", "mapping": {
              "a": {"parent": "b", "message": {"author": {"role": "user"}, "content": {"parts": ["x"]}}},
              "b": {"parent": "a", "message": {"author": {"role": "assistant"}, "content": {"parts": ["y"]}}}}}]
            """)
        #expect(file.transcripts[0].messages.map(\.content) == ["y", "x"])
    }

    @Test func `exports of Claude are read`() throws {
        let file = try read(
            """
            [{"uuid": "c1", "name": "n", "chat_messages": [
              {"uuid": "m1", "sender": "human", "text": "Hello", "created_at": "2024-05-01T10:00:00.123456Z"},
              {"uuid": "m2", "sender": "assistant", "text": "", "content": [{"type": "text", "text": "Hi"}], "created_at": "2024-05-01T10:00:01.5+00:00"},
              {"uuid": "m3", "sender": "human", "text": ""}]}]
            """)
        #expect(file.format == .claude && file.omitted == 1)
        #expect(file.transcripts[0].messages.map(\.content) == ["Hello", "Hi"])
        #expect(file.transcripts[0].messages.allSatisfy { $0.timestamp != nil })
    }

    @Test(arguments: [
        "", "  \n", "plain text", "[1, 2", "[{\"a\": 1}]", "{\"a\": 1}", "\u{0}x", "{\"role\": \"user\"}",
    ])
    func `what is no conversation is an error`(text: String) {
        #expect { try read(text) } throws: { ($0 as? RoostError)?.code == .badInput }
    }

    @Test func `a bad line is of itself only, wherever it stands`() throws {
        for bad in ["oops", "[log] start", "[1, 2", "{\"a\":"] {
            let file = try read("\(bad)\n{\"role\": \"Critic\", \"content\": \"x\"}\n")
            #expect(
                file.problems.map(\.place) == ["line 1"] && file.transcripts[0].messages.count == 1, "\(bad)")
            #expect(file.transcripts[0].messages[0].role.rawValue == "Critic")
        }
        var data = Data("{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"user\", \"content\": \"".utf8)
        data += [0xFF] + Data("\"}\n{\"role\": \"user\", \"content\": \"b\", \"session\": null}".utf8)
        let file = try TranscriptReader().read(data, name: "file")
        #expect(file.problems.map(\.place) == ["line 2"])
        #expect(file.transcripts.map { $0.messages.map(\.content) } == [["a", "b"]])
        // Fields that other programs have too are no reason to leave a message out.
        let own = try read(
            "{\"role\": \"user\", \"content\": \"hello\", \"message\": \"x\", \"type\": \"system\"}")
        #expect(own.format == .jsonLines && own.transcripts[0].messages.count == 1)
        let forms = try read(
            "{\"role\": \"user\", \"content\": \"x\", \"session\": \"\u{E9}\"}\n"
                + "{\"role\": \"user\", \"content\": \"y\", \"session\": \"e\u{301}\"}")
        #expect(forms.transcripts.count == 2)
    }

    @Test func `ids are exact, and a message with another's id is not lost`() throws {
        let file = try read(
            """
            {"role": "user", "content": "a", "id": 1234567890123456789, "session": 9007199254740993}
            {"role": "user", "content": "b", "id": 1234567890123456790, "session": 9007199254740993}
            {"role": "user", "content": "c", "id": 1, "session": 9007199254740993}
            {"role": "user", "content": "d", "id": 1, "session": 9007199254740993}
            {"role": "user", "content": "c", "id": 1, "session": 9007199254740993}
            {"role": "user", "content": "x", "session": {"a": 1}}
            {"role": "user", "content": "e", "timestamp": "2020-01-31", "session": 9007199254740993}
            """)
        let messages = try #require(file.transcripts.first).messages
        #expect(file.transcripts.map(\.sessionId) == ["9007199254740993"])
        #expect(
            messages.map(\.id) == ["1234567890123456789", "1234567890123456790", "1", nil, "1", nil])
        #expect(file.problems.map(\.place) == ["line 4", "line 6"])
        #expect(file.problems.map(\.isSkipped) == [false, true])
        #expect(messages.last?.timestamp == DateText.date(from: "2020-01-31T00:00:00Z"))
    }

    @Test func `a time of an export that cannot be read is that of the message before`() throws {
        let file = try read(
            """
            [{"uuid": "c", "created_at": "2024-05-01T00:00:00Z", "chat_messages": [
              {"uuid": "1", "sender": "human", "text": "a", "created_at": "2024-05-02T00:00:00Z"},
              {"uuid": "2", "sender": "assistant", "text": "b", "created_at": "nonsense"},
              {"uuid": "2", "sender": "human", "text": "c"}]},
             {"mapping": [], "title": "x"}]
            """)
        let messages = try #require(file.transcripts.first).messages
        let date = DateText.date(from: "2024-05-02T00:00:00Z")
        #expect(messages.map(\.timestamp) == [date, date, date] && messages.map(\.id) == ["1", "2", nil])
        #expect(
            file.problems.map(\.place) == [
                "conversation 1, message 2", "conversation 1, message 3", "conversation 2",
            ])
    }

    @Test func `filters, files that are missing, and nothing found`() throws {
        defer { try? FileManager.default.removeItem(at: cli.home) }
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
        let taken = try cli.roost("chat", "import", "--store=s", "c.jsonl", "missing.jsonl", "--quiet")
        #expect(taken.status == 66 && taken.error.contains("missing.jsonl"), "\(taken.error)")
        #expect(taken.output.hasPrefix("4 messages new"))
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
        #expect(try count("--until=2024-02-01") == 1)
        #expect(try count("--since=2024-01-15", "--until=2024-02-15", "--session=two") == 1)
        #expect(try count("--user=nobody") == 0)
        for verb in ["chat", "session"] {
            #expect(try cli.roost(verb, "list", "--store=s", "--user=nobody", "--json").status == 1)
        }
        let list = try cli.roost("session", "list", "--store=s").output
        #expect(list.contains("ada · one") && list.contains("bo · one"), "\(list)")
        #expect(try cli.roost("chat", "show", "--store=s", "two", "--session=one").status == 64)
        #expect(try cli.roost("chat", "show", "--store=s", "two", "--until=2000-01-01").status == 1)
        let several = try cli.roost("session", "show", "--store=s", "one")
        #expect(several.error.contains("ada, bo"), "\(several.error)")
        #expect(
            try cli.roost("chat", "delete", "--store=s", "--user=ada", "--dry-run").output
                == "would remove 2 messages\n")
        #expect(try cli.roost("chat", "delete", "--store=s", "--user=ada").output == "removed 2 messages\n")
        #expect(try cli.roost("chat", "export", "--store=s").output.split(separator: "\n").count == 2)
        let pruned = try cli.roost("session", "prune", "--store=s", "--older-than=90d")
        #expect(pruned.output.contains("removed 0 of 1 sessions"), "\(pruned.output)")
    }

    @Test func `a session of two users wants its user named, and an export is known again`() throws {
        defer { try? FileManager.default.removeItem(at: cli.home) }
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        for user in ["ada", "bo"] {
            let line =
                "{\"role\": \"user\", \"content\": \"hello of \(user)\", \"session\": \"main\", \"user\": \"\(user)\"}\n"
            #expect(try cli.roost("chat", "import", "--store=s", "-", input: line).status == 0)
        }
        let exported = try cli.roost("chat", "export", "--store=s").output
        #expect(
            try cli.roost("chat", "import", "--store=s", "-", input: exported).output
                .hasPrefix("0 messages new, 2 known"))
        let several = try cli.roost("session", "delete", "--store=s", "main")
        #expect(several.status == 66 && several.error.contains("--user"), "\(several.error)")
        #expect(try cli.roost("session", "delete", "--store=s", "main", "--user=bo").status == 0)
        #expect(try cli.roost("session", "list", "--store=s").output.contains("hello of ada"))
    }

    @Test(arguments: ["sqlite", "json"])
    func `conversations are taken in, found, shown, exported and removed`(provider: String) throws {
        defer { try? FileManager.default.removeItem(at: cli.home) }
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        let lines = (0..<30).map { number in
            let role = number % 2 == 0 ? "user" : "assistant"
            let text = ["the heron stood in the water", "the bread rises in the oven"][number / 15]
            return
                "{\"role\": \"\(role)\", \"content\": \"\(text) \(number)\", \"session\": \"day-\(number / 15)\"}"
        }
        try (lines + ["broken"]).joined(separator: "\n").write(
            to: cli.home.appendingPathComponent("c.jsonl"), atomically: true, encoding: .utf8)
        let taken = try cli.roost("chat", "import", "--store=s", "c.jsonl")
        #expect(taken.status == 0 && taken.output.hasPrefix("30 messages new"), "\(taken.error)")
        #expect(taken.error.contains("skipped c.jsonl, line 31"))
        #expect(
            try cli.roost("chat", "import", "--store=s", "c.jsonl").output.hasPrefix("0 messages new, 30"))
        #expect(try cli.roost("session", "list", "--store=s").output.split(separator: "\n").count == 2)
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
        // A note of no conversation is not of them.
        #expect(try cli.roost("add", "--store=s", "the heron is a note").status == 0)
        let clusters = try cli.roost("recluster", "--store=s", "--where", "kind=message", "--clusters=2")
        #expect(
            clusters.status == 0 && clusters.error.contains("2 clusters of 30 entries"), "\(clusters.error)")
        #expect(try cli.roost("recluster", "--store=s", "--where", "kind=none").status == 66)
        #expect(try cli.roost("cluster", "list", "--store=s").output.split(separator: "\n").count == 2)
        let exported = try cli.roost("chat", "export", "--store=s")
        #expect(try cli.roost("init", "--store=t", "--model=lexical").status == 0)
        #expect(
            try cli.roost("chat", "import", "--store=t", "-", input: exported.output).output
                .hasPrefix("30 messages new"))
        #expect(try cli.roost("chat", "export", "--store=t").output.split(separator: "\n").count == 30)
        #expect(try cli.roost("chat", "delete", "--store=s").status == 64)
        #expect(try cli.roost("session", "delete", "--store=s", "day-0").output == "removed 15 messages\n")
        #expect(try cli.roost("chat", "list", "--store=s").output.split(separator: "\n").count == 1)
        #expect(try cli.roost("undo", "--store=s").status == 0)
        #expect(try cli.roost("chat", "list", "--store=s").output.split(separator: "\n").count == 2)
        let pruned = try cli.roost("session", "prune", "--store=s", "--older-than=2100-01-01", "--keep=1")
        #expect(pruned.output.contains("removed 1 of 2 sessions, 15 messages"), "\(pruned.output)")
        #expect(try cli.roost("doctor", "--store=s").status == 0)
    }
}
