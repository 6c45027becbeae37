import Foundation
import Roost
import RoostConversations
import TestSupport
import Testing

/// Tests of `roost chat`, by its older name `roost session`, with the session storages of other programs.
@Suite(.temporaryFolders) struct SessionCommandTests {
    private let cli = CommandLineDriver()

    private func messages(_ texts: String...) -> [ChatMessage] {
        texts.enumerated().map { number, text in
            ChatMessage(
                role: number % 2 == 0 ? .user : .assistant, content: text,
                timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)))
        }
    }

    private func fill(_ storage: any SessionStorageProtocol) async throws {
        for (number, id) in ["old-1", "old-2", "new"].enumerated() {
            let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 86_400)
            try await storage.importSession(
                StoredSession(
                    id: id, createdAt: date, firstUserMessage: "the heron of \(id)", lastAccessedAt: date,
                    messages: messages("the heron of \(id)", "stands in the water of \(id)")
                        + [ChatMessage(role: .assistant, content: "hm", messageType: .thinking)]))
        }
    }

    @Test(arguments: ["sessions.sqlite", "sessions"])
    func `sessions in a storage are listed, shown, removed and imported`(name: String) async throws {
        let url = cli.home.appendingPathComponent(name)
        let storage = try SessionStorageLocation(url).open(creates: true)
        try await fill(storage)
        let list = try cli.roost("session", "list", "--in", name)
        let lines = list.output.split(separator: "\n")
        #expect(
            lines.count == 3 && lines[0].contains("new") && lines[0].contains("2023-11-16"), "\(list.error)")
        let json = try JSONSerialization.jsonObject(
            with: Data(try cli.roost("session", "list", "--in", name, "--json").output.utf8))
        let first = try #require((json as? [[String: Any]])?.first)
        #expect(first["session"] as? String == "new" && first["messages"] as? Int == 3)
        #expect(first["accessed"] as? String == "2023-11-16T22:13:20.000Z" && first["history"] == nil)

        let shown = try cli.roost("session", "show", "--in", name, "ne")
        #expect(shown.output.split(separator: "\n").count == 3 && shown.output.contains("(thinking)"))
        #expect(try cli.roost("session", "show", "--in", name, "old").status == 66)
        #expect(try cli.roost("session", "show", "--in", name, "none").status == 66)
        #expect(try cli.roost("session", "list", "--in", name, "--user=ada").status == 64)

        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let imported = try cli.roost("session", "import", "--store=s", name, "--user=ada")
        #expect(imported.output == "6 new messages, 0 known, in 3 sessions\n", "\(imported.error)")
        #expect(imported.error.contains("3 thoughts"))
        #expect(
            try cli.roost("session", "import", "--store=s", name, "--user=ada").output
                == "0 new messages, 6 known, in 3 sessions\n")
        let found = try cli.roost("chat", "search", "--store=s", "water of new", "-n", "1", "--context=0")
        #expect(found.output.contains("stands in the water of new"))
        #expect(try cli.roost("session", "list", "--store=s").output.split(separator: "\n").count == 3)
        // If a session has no messages, its first message from the session list is imported. Real messages
        // later replace it.
        try await storage.saveSession(id: "bare", firstMessage: "the opening")
        func texts() throws -> String { try cli.roost("session", "show", "--store=s", "bare").output }
        #expect(try cli.roost("session", "import", "--store=s", name).output.hasPrefix("7 new messages"))
        #expect(try texts().contains("the opening"))
        try await storage.updateSessionMessages(id: "bare", messages: messages("the opening", "answered"))
        #expect(try cli.roost("session", "import", "--store=s", name).output.hasPrefix("2 new messages"))
        #expect(try texts().components(separatedBy: "the opening").count == 2)
        try await storage.deleteSession(id: "bare")

        let dry = try cli.roost(
            "session", "prune", "--in", name, "--older-than=2023-12-01", "--keep=1", "--dry-run")
        #expect(dry.output.contains("would remove 2 of 3 sessions with 6 messages"), "\(dry.output)")
        #expect(try await storage.getAllSessions().count == 3)
        #expect(try cli.roost("session", "delete", "--in", name, "old-2").status == 0)
        let pruned = try cli.roost("session", "prune", "--in", name, "--older-than=2023-12-01", "--keep=1")
        #expect(pruned.output.contains("removed 1 of 2 sessions"), "\(pruned.output)")
        #expect(try await storage.getAllSessions().map(\.id) == ["new"])
    }

    @Test func `sessions are copied, and a different session at the destination is kept`() async throws {
        let source = cli.home.appendingPathComponent("a")
        try await fill(try SessionStorageLocation(source).open(creates: true))
        let copied = try cli.roost("session", "copy", "a", "b.sqlite")
        #expect(copied.output == "copied 3 sessions; 0 already existed\n", "\(copied.error)")
        let target = try SessionStorageLocation(cli.home.appendingPathComponent("b.sqlite")).open()
        #expect(try await target.getAllSessions().map(\.id) == ["new", "old-2", "old-1"])
        try await target.updateSessionMessages(id: "old-1", messages: messages("something else"))
        let again = try cli.roost("session", "copy", "a", "b.sqlite")
        #expect(
            again.status == 65 && again.error.contains("'old-1' differs in the destination"), "\(again.error)"
        )
        #expect(again.output == "copied 0 sessions; 2 already existed\n")
        #expect(try await target.getSession(id: "old-1")?.messages.count == 1)
        #expect(try cli.roost("session", "copy", "none", "c").status == 66)
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("c").path))
    }

    @Test func `unreadable sessions are reported, and moved aside with --repair`() async throws {
        let folder = cli.home.appendingPathComponent("a")
        try await fill(try SessionStorageLocation(folder).open(creates: true))
        #expect(try cli.roost("session", "doctor", "a").output == "all sessions can be read\n")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let file = try #require(
            files.first { url in
                (try? String(contentsOf: url, encoding: .utf8))?.contains("\"id\":\"old-1\"") == true
            })
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing("stands in the water", with: "\u{0}").write(
            to: file, atomically: true, encoding: .utf8)
        let list = try cli.roost("session", "list", "--in=a")
        #expect(list.status == 0 && list.output.split(separator: "\n").count == 2)
        #expect(
            list.error.contains("skipped an unreadable session") && list.error.contains("line 3"),
            "\(list.error)")
        let damaged = try cli.roost("session", "show", "--in=a", "old-1")
        #expect(damaged.status == 65 && damaged.error.contains("chat doctor"), "\(damaged.error)")
        // A session whose id merely begins with the id of the damaged session is a different session.
        try await SessionStorageLocation(folder).open().saveSession(id: "old-12", firstMessage: "x")
        #expect(try cli.roost("session", "delete", "--in=a", "old-1").status == 65)
        #expect(try cli.roost("session", "show", "--in=a", "old-").error.contains("3 sessions begin with"))
        #expect(try cli.roost("session", "delete", "--in=a", "old-12").status == 0)
        let partial = try cli.roost("session", "import", "--store=t", "a", "--json")
        #expect(partial.status == 65 && partial.output.contains("\"unreadable\" : 1"), "\(partial.output)")
        let copied = try cli.roost("session", "copy", "a", "b")
        #expect(
            copied.status == 65 && copied.error.contains("1 session that cannot be read"), "\(copied.error)")
        let report = try cli.roost("session", "doctor", "a")
        #expect(report.status == 65 && report.output.contains("session 'old-1'"), "\(report.output)")
        let repaired = try cli.roost("session", "doctor", "a", "--repair")
        #expect(repaired.status == 0 && repaired.output.contains("is now in"), "\(repaired.error)")
        #expect(try cli.roost("session", "list", "--in=a").output.split(separator: "\n").count == 3)
        #expect(try cli.roost("session", "show", "--in=a", "old-1").output.split(separator: "\n").count == 2)
    }

    @Test func `a location that is not a session storage is refused and not changed`() async throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        #expect(try cli.roost("add", "--store=s", "a note").status == 0)
        try Data("text".utf8).write(to: cli.home.appendingPathComponent("note.txt"))
        try Data().write(to: cli.home.appendingPathComponent("empty.db"))
        func names() throws -> [String] { try FileManager.default.subpathsOfDirectory(atPath: cli.home.path) }
        let before = Set(try names())
        for location in ["s", "s/roost.sqlite", "note.txt", "empty.db", "none", "."] {
            let list = try cli.roost("session", "list", "--in", location)
            #expect([65, 66].contains(list.status) && list.output.isEmpty, "\(location): \(list.error)")
            #expect([65, 66].contains(try cli.roost("session", "doctor", location, "--repair").status))
            #expect(try cli.roost("session", "prune", "--in", location, "--older-than=1d").status != 0)
        }
        #expect(
            Set(try names()).subtracting(before).allSatisfy { $0.hasSuffix("-shm") || $0.hasSuffix("-wal") })
        #expect(try cli.roost("doctor", "--store=s").status == 0)
    }
}
