import Foundation
import Roost
import RoostConversations
import TestSupport
import Testing

/// Tests of `roost chat import` with the session storages of other programs.
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

    @Test func `sessions of a storage are imported once`() async throws {
        let name = "sessions.sqlite"
        let path = cli.home.appendingPathComponent(name).path
        let storage = try SQLiteSessionStorage(databasePath: path)
        try await fill(storage)
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let imported = try cli.roost("chat", "import", "--store=s", name, "--user=ada")
        #expect(imported.output == "6 new messages, 0 known, in 3 sessions\n", "\(imported.error)")
        #expect(imported.error.contains("3 thoughts"))
        #expect(
            try cli.roost("chat", "import", "--store=s", name, "--user=ada").output
                == "0 new messages, 6 known, in 3 sessions\n")
        let found = try cli.roost("chat", "search", "--store=s", "water of new", "-n", "1", "--context=0")
        #expect(found.output.contains("stands in the water of new"))
        #expect(try cli.roost("chat", "list", "--store=s").output.split(separator: "\n").count == 3)
    }

    @Test func `a location that is not a session storage is refused`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        for location in ["s", "s/roost.sqlite", "none"] {
            let outcome = try cli.roost("chat", "import", "--store=t", location)
            #expect([65, 66].contains(outcome.status) && outcome.output.isEmpty, "\(location): \(outcome)")
        }
        #expect(try cli.roost("doctor", "--store=s").status == 0)
    }
}
