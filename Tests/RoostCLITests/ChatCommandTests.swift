import Foundation
import Roost
import RoostConversations
import TestSupport
import Testing

/// Tests of `roost chat`.
@Suite(.temporaryFolders) struct ChatCommandTests {
    private let cli = CommandLineDriver()

    /// Creates a store with the given messages in the format of `roost chat import`.
    private func prepare(_ lines: [String], provider: String = "sqlite") throws -> CommandLineDriver.Outcome {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        try cli.write(lines.joined(separator: "\n"), to: "c.jsonl")
        return try cli.roost("chat", "import", "--store=s", "c.jsonl")
    }

    private func lines(_ outcome: CommandLineDriver.Outcome) -> Int {
        outcome.output.split(separator: "\n").count
    }

    @Test func `conversations are imported, found, shown, exported and removed`() throws {
        let messages = (0..<30).map { number in
            let role = number % 2 == 0 ? "user" : "assistant"
            let text = ["the heron stood in the water", "the bread rises in the oven"][number / 15]
            return """
                {"role": "\(role)", "content": "\(text) \(number)", "session": "day-\(number / 15)"}
                """
        }
        let imported = try prepare(messages + ["broken"])
        #expect(imported.status == 0 && imported.output.hasPrefix("30 new messages"), "\(imported.error)")
        #expect(imported.error.contains("skipped c.jsonl, line 31"))
        let again = try cli.roost("chat", "import", "--store=s", "c.jsonl", "missing.jsonl")
        #expect(again.status == 66 && again.output.hasPrefix("0 new messages, 30"), "\(again)")
        #expect(try lines(cli.roost("chat", "list", "--store=s", "-n1")) == 1)
        let found = try cli.roost("chat", "search", "--store=s", "bread", "oven", "-n", "2", "--context=0")
        #expect(found.status == 0 && found.output.contains("day-1"), "\(found)")
        let other = ["chat", "search", "--store=s", "bread", "--session=day-0", "--mode=text"]
        #expect(try cli.roost(other).status == 1)
        #expect(try lines(cli.roost("chat", "show", "--store=s", "day-1")) == 15)
        #expect(try cli.roost("chat", "show", "--store=s", "day").status == 66)
        // A note is not a message, so it is not clustered.
        #expect(try cli.roost("add", "--store=s", "the heron is a note").status == 0)
        let clusters = try cli.roost("recluster", "--store=s", "--where", "kind=message", "--clusters=2")
        #expect(clusters.error.contains("2 clusters of 30 entries"), "\(clusters.error)")
        let exported = try cli.roost("chat", "export", "--store=s").output
        let known = try cli.roost("chat", "import", "--store=s", "-", input: exported)
        #expect(known.output.hasPrefix("0 new messages, 30 known"))
        #expect(try cli.roost("chat", "delete", "--store=s").status == 64)
        #expect(
            try cli.roost("chat", "delete", "--store=s", "--until=2999-01-01").error.contains(
                "remove 30 messages"))
        #expect(try cli.roost("chat", "delete", "--store=s", "day-0").output == "removed 15 messages\n")
        #expect(try lines(cli.roost("chat", "list", "--store=s")) == 1)
        #expect(try cli.roost("undo", "--store=s").status == 0)
        #expect(try lines(cli.roost("chat", "list", "--store=s")) == 2)
    }

    @Test func `a session of two users requires --user`() throws {
        let messages = ["ada", "bo"].map {
            #"{"role": "user", "content": "hello of \#($0)", "session": "main", "user": "\#($0)"}"#
        }
        #expect(try prepare(messages).status == 0)
        let list = try cli.roost("chat", "list", "--store=s").output
        #expect(list.contains("ada · main") && list.contains("bo · main"), "\(list)")
        try cli.expect(66, "ada, bo", "chat", "delete", "--store=s", "main")
        #expect(try cli.roost("chat", "show", "--store=s", "main", "--session=main").status == 64)
        let preview = try cli.roost("chat", "delete", "--store=s", "main", "--user=bo", "--dry-run")
        #expect(preview.output == "would remove 1 message\n")
        #expect(try cli.roost("chat", "delete", "--store=s", "main", "--user=bo").status == 0)
        let none = try cli.roost("chat", "list", "--store=s", "--user=bo", "--json")
        #expect(none.output == "[]\n" && none.error == "no conversation matches the filters\n")
    }

    @Test func `times are shown in the time zone in which they are read`() throws {
        let message =
            #"{"role": "user", "content": "hello", "timestamp": "2026-01-31T05:30:00Z", "session": "a"}"#
        #expect(try prepare([message]).status == 0)
        let time = "2026-01-30 21:30"
        for arguments in [["list"], ["show", "a"], ["search", "hello"], ["list", "--since", time]] {
            let running = try cli.start(
                ["chat"] + arguments + ["--store=s"], environment: ["TZ": "America/Los_Angeles"])
            #expect(try running.outcome().output.contains(time), "\(arguments)")
        }
    }

    @Test func `sessions of a storage are imported once`() async throws {
        let path = cli.home.appendingPathComponent("sessions.sqlite").path
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let storage = try SQLiteSessionStorage(databasePath: path)
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        for id in ["old", "new"] {
            let texts = [
                (MessageRole.user, "the heron of \(id)"), (.assistant, "stands in the water of \(id)"),
            ]
            try await storage.importSession(
                StoredSession(
                    id: id, createdAt: date, firstUserMessage: texts[0].1, lastAccessedAt: date,
                    messages: texts.map { ChatMessage(role: $0, content: $1, timestamp: date) }
                        + [ChatMessage(role: .assistant, content: "hm", messageType: .thinking)]))
        }
        let imported = try cli.roost("chat", "import", "--store=s", path, "--user=ada")
        #expect(imported.output == "4 new messages, 0 known, in 2 conversations\n", "\(imported.error)")
        #expect(imported.error.contains("omitted 2 records"))
        let again = try cli.roost("chat", "import", "--store=s", path, "--user=ada")
        #expect(again.output == "0 new messages, 4 known, in 2 conversations\n")
        for location in ["s", "s/roost.sqlite", "none"] {
            let outcome = try cli.roost("chat", "import", "--store=t", location)
            #expect([65, 66].contains(outcome.status) && outcome.output.isEmpty, "\(location): \(outcome)")
        }
    }
}
