import Foundation
import TestSupport
import Testing

/// Tests of the message about ingested files that contain exported conversations.
@Suite(.temporaryFolders) struct ConversationNoticeTests {
    let commands = CommandLineDriver()

    private func write(_ text: String, to path: String) throws {
        let file = commands.home.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func `exported conversations lead to the command that imports them`() throws {
        try write(
            """
            [{"title": "Beans", "mapping": {"a": {"id": "a", "parent": null, "children": []}}}]
            """, to: "export/conversations.json")
        try write(#"{"mapping": "of keys", "children": 2}"#, to: "export/keys.json")
        let first = try commands.roost("ingest", "export")
        #expect(first.error.contains("conversations.json: exported conversations; `roost chat import`"))
        #expect(!first.error.contains("keys.json"))
        #expect(try !commands.roost("ingest", "export").error.contains("conversations"))
        #expect(try !commands.roost("ingest", "export/keys.json").error.contains("conversations"))
    }
}
