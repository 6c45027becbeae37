import Foundation
import Roost
import RoostConversations
import RoostModel
import Testing

/// Tests of the parsers of conversation files.
@Suite struct TranscriptReaderTests {
    private func read(_ text: String) throws -> TranscriptFile {
        try TranscriptReader().read(Data(text.utf8), name: "file")
    }

    @Test func `JSON Lines of messages are read, and invalid lines are reported`() throws {
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
        #expect(file.problems.map(\.location) == ["line 2", "line 6", "line 7", "line 8"])
        #expect(file.transcripts.map(\.sessionId) == [nil, "x"])
        let first = file.transcripts[0].messages
        #expect(first.map(\.content) == ["hi", "one\n\ntwo"])
        #expect(first[0].id == "7" && first[0].timestamp == Date(timeIntervalSince1970: 1_704_164_645))
        let second = file.transcripts[1].messages
        #expect(second.map(\.role) == [.user, .assistant])
        #expect(second[0].speaker == "Ada" && second[0].timestamp == second[1].timestamp)
    }

    @Test func `an export of a messenger is read from its oldest message, with repaired letters`() throws {
        let file = try read(
            """
            {"participants": [{"name": "Ren\\u00c3\\u00a9e"}], "messages": [
              {"sender_name": "Ren\\u00c3\\u00a9e", "timestamp_ms": 1700000060000, "content": "\\u00c3\\u0087a va"},
              {"sender_name": "Bo", "timestamp_ms": 1700000030000, "photos": []},
              {"sender_name": "Bo", "timestamp_ms": 1700000000000, "content": "hello"}]}
            """)
        let messages = try #require(file.transcripts.first).messages
        #expect(messages.map(\.content) == ["hello", "Ça va"] && messages.map(\.speaker) == ["Bo", "Renée"])
        #expect(messages.map(\.timestamp?.timeIntervalSince1970) == [1_700_000_000, 1_700_000_060])
        #expect(file.problems.map(\.location) == ["message 2", "the file"])
    }

    @Test func `transcripts of Claude Code are read without tool results and summaries`() throws {
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
        #expect(file.problems.map(\.location) == ["line 7"])
        #expect(file.transcripts.map(\.agentId) == ["claude-code", "claude-code-task"])
        #expect(file.transcripts[0].messages.map(\.content) == ["Hello", "Hi!"])
        #expect(file.transcripts[0].messages.map(\.id) == ["u1", "u2"])
    }

    @Test func `an export from ChatGPT contains the branch that was shown`() throws {
        let file = try read(
            """
            [{"title": " Backup\\ndecision ", "conversation_id": "c1", "current_node": "n3", "mapping": {
              "n0": {"id": "n0", "message": null, "parent": null, "children": ["n1"]},
              "n1": {"id": "n1", "parent": "n0", "message": {"id": "m1", "author": {"role": "user"}, "create_time": 1700000000.25, "content": {"content_type": "text", "parts": ["Where?"]}}},
              "n2": {"id": "n2", "parent": "n1", "message": {"id": "m2", "author": {"role": "assistant"}, "create_time": 1700000001, "content": {"content_type": "text", "parts": ["not shown"]}}},
              "n3": {"id": "n3", "parent": "n1", "message": {"id": "m3", "author": {"role": "assistant"}, "create_time": 1700000002, "content": {"content_type": "text", "parts": ["Here.", {"asset": 1}]}}}
            }}, {"unknown": true}]
            """)
        #expect(file.format == .chatGPT && file.problems.map(\.location) == ["conversation 2"])
        #expect(file.transcripts[0].sessionId == "c1")
        #expect(file.transcripts[0].messages.map(\.content) == ["Where?", "Here."])
        #expect(file.transcripts[0].messages.map(\.id) == ["m1", "m3"])
        #expect(file.transcripts[0].messages.map(\.title) == ["Backup decision", "Backup decision"])
        #expect(file.transcripts[0].messages[0].timestamp == Date(timeIntervalSince1970: 1_700_000_000.25))
    }

    @Test func `an export whose parents form a cycle is read`() throws {
        let file = try read(
            """
            [{"id": "c", "current_node": "a", "mapping": {
              "a": {"parent": "b", "message": {"author": {"role": "user"}, "content": {"parts": ["x"]}}},
              "b": {"parent": "a", "message": {"author": {"role": "assistant"}, "content": {"parts": ["y"]}}}}}]
            """)
        #expect(file.transcripts[0].messages.map(\.content) == ["y", "x"])
    }

    @Test func `an export from Claude is read`() throws {
        let file = try read(
            """
            [{"uuid": "c1", "name": "n", "chat_messages": [
              {"uuid": "m1", "sender": "human", "text": "Hello", "created_at": "2024-05-01T10:00:00.123456Z"},
              {"uuid": "m2", "sender": "assistant", "text": "", "content": [{"type": "text", "text": "Hi"}], "created_at": "2024-05-01T10:00:01.5+00:00"},
              {"uuid": "m3", "sender": "human", "text": ""}]}]
            """)
        #expect(file.format == .claude && file.omitted == 1)
        #expect(file.transcripts[0].messages.map(\.content) == ["Hello", "Hi"])
        #expect(file.transcripts[0].messages.map(\.title) == ["n", "n"])
        #expect(file.transcripts[0].messages.allSatisfy { $0.timestamp != nil })
    }

    @Test(arguments: [
        "", "  \n", "plain text", "[1, 2", "[{\"a\": 1}]", "{\"a\": 1}", "\u{0}x", "{\"role\": \"user\"}",
    ])
    func `a file without a conversation is rejected`(text: String) {
        #expect { try read(text) } throws: { ($0 as? RoostError)?.code == .badInput }
    }

    @Test func `an invalid line affects no other line`() throws {
        for bad in ["oops", "[log] start", "[1, 2", "{\"a\":"] {
            let file = try read("\(bad)\n{\"role\": \"Critic\", \"content\": \"x\"}\n")
            #expect(
                file.problems.map(\.location) == ["line 1"] && file.transcripts[0].messages.count == 1,
                "\(bad)")
            #expect(file.transcripts[0].messages[0].role.rawValue == "Critic")
        }
        var data = Data("{\"role\": \"user\", \"content\": \"a\"}\n{\"role\": \"user\", \"content\": \"".utf8)
        data += [0xFF] + Data("\"}\n{\"role\": \"user\", \"content\": \"b\", \"session\": null}".utf8)
        let file = try TranscriptReader().read(data, name: "file")
        #expect(file.problems.map(\.location) == ["line 2"])
        #expect(file.transcripts.map { $0.messages.map(\.content) } == [["a", "b"]])
        // Fields that Claude Code uses do not make a message a record of Claude Code.
        let own = try read(
            "{\"role\": \"user\", \"content\": \"hello\", \"message\": \"x\", \"type\": \"system\"}")
        #expect(own.format == .jsonLines && own.transcripts[0].messages.count == 1)
        let forms = try read(
            "{\"role\": \"user\", \"content\": \"x\", \"session\": \"\u{E9}\"}\n"
                + "{\"role\": \"user\", \"content\": \"y\", \"session\": \"e\u{301}\"}")
        #expect(forms.transcripts.count == 2)
    }

    @Test func `ids are exact, and a message with the id of another message is kept without its id`() throws {
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
        #expect(file.problems.map(\.location) == ["line 4", "line 6"])
        #expect(file.problems.map(\.isSkipped) == [false, true])
        #expect(messages.last?.timestamp == DateText.date(from: "2020-01-31T00:00:00Z"))
    }

    @Test func `a message with an invalid time in an export gets the time of the previous message`() throws {
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
            file.problems.map(\.location) == [
                "conversation 1, message 2", "conversation 1, message 3", "conversation 2",
            ])
    }

    @Test(
        arguments: [
            #"[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]"#,
            #"{"model": "m", "messages": [{"role": "user", "content": "hi"},"#
                + "\n" + #"{"role": "assistant", "content": "hello"}, {"role": "user"}]}"#,
        ])
    func `messages in the form of a request to a model are read`(text: String) throws {
        let file = try read(text)
        #expect(file.transcripts.map { $0.messages.map(\.content) } == [["hi", "hello"]])
        #expect(file.problems.map(\.location) == (text.hasPrefix("[") ? [] : ["message 3"]))
    }

    @Test func `the elements of an array can contain brackets, quotation marks and line feeds`() throws {
        let texts = ["a ] } [", "b \\\"], {\\\"", "c \\\\", "d, e"]
        let messages = texts.map { "{\"role\": \"user\",\n \"content\": [\"\($0)\"], \"x\": [{}, []]}" }
        let file = try read("\n [ " + messages.joined(separator: " ,\n") + " ]\r\n")
        let contents = file.transcripts.flatMap(\.messages).map(\.content)
        #expect(contents == ["a ] } [", "b \"], {\"", "c \\", "d, e"])
        let empty = try read("[ ]")
        #expect(empty.transcripts.isEmpty && empty.problems.isEmpty)
    }

    @Test func `exported conversations in lines are all read`() throws {
        func line(_ name: String) -> String {
            "{\"uuid\": \"\(name)\", \"chat_messages\": [{\"sender\": \"human\", \"text\": \"\(name)\"}]}"
        }
        let file = try read([line("a"), "oops", "{\"b\": 1}", "", line("c")].joined(separator: "\n"))
        #expect(file.format == .claude)
        #expect(file.transcripts.map(\.sessionId) == ["a", "c"])
        #expect(file.problems.map(\.location) == ["line 2", "line 3"])
    }

    @Test(arguments: ["", "\n"])
    func `the messages of an object are read in any layout`(space: String) throws {
        let message = "{\"role\": \"user\",\(space) \"content\": \"hi } ]\"}"
        let file = try read("{\(space)\"x\": {\"messages\": 1}, \"messages\": [\(message)\(space)]}")
        #expect(file.transcripts.flatMap(\.messages).map(\.content) == ["hi } ]"])
        let conversation = #"{"uuid": "c", "chat_messages": [{"sender": "human", "text": "hi"}]}"#
        let list = "{\"messages\": null,\(space) \"conversations\": [\(conversation)]}"
        #expect(try read(list).transcripts.map(\.sessionId) == ["c"])
    }

    @Test(arguments: [
        ("[{\"role\": \"user\",\n\"content\": \"hi\"}, {\"ro", "or it is truncated"),
        ("[{\"role\": \"user\",\n\"content\": NaN}]", "the syntax of its JSON"),
        // The elements before the invalid one are not read alone.
        ("[{\"role\": \"user\", \"content\": \"hi\"}, {\"role\" \"user\"}]", "the syntax of its JSON"),
        ("[{\"chat_messages\": []}, {\"chat_messages\": [}]}]", "the syntax of its JSON"),
        // Each line has messages, and reading the first one only would lose the others.
        ("{\"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}\n{\"messages\": []}", "line 1 lacks"),
    ])
    func `an array that cannot be read is refused with its fault`(text: String, fault: String) {
        let error = #expect(throws: RoostError.self) { try read(text) }
        #expect(error?.message.contains(fault) == true, "\(String(describing: error))")
    }
}
