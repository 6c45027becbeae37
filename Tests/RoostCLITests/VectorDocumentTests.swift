import Foundation
import TestSupport
import Testing

/// Tests of imports of JSON documents in which other programs write texts with vectors.
@Suite(.temporaryFolders) struct VectorDocumentTests {
    private let cli = CommandLineDriver()

    private func file(_ text: String, _ name: String = "v.json") throws -> String {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: cli.home.appendingPathComponent(name))
        return name
    }

    private func importText(_ text: String) throws -> CommandLineDriver.Outcome {
        let name = try file(text)
        if !FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("t").path) {
            #expect(try cli.roost("init", "t", "--model=lexical").status == 0)
        }
        return try cli.roost("import", "--store=t", name)
    }

    private func entries() throws -> [[String: Any]] {
        let json = try cli.roost("export", "entries", "--store=t").output
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        return try #require(object?["entries"] as? [[String: Any]])
    }

    @Test(arguments: [
        // A comma, a bracket, a quotation mark and a backslash in texts do not end a row.
        #"[{"id":"a","text":"one, ]} \" \\","embedding":[1,2],"lang":"en"},{"text":"two","embedding":[3,4]}]"#,
        #"{"model":"x","data":[{"id":"a","text":"one, ]} \" \\","embedding":[1,2],"lang":"en"},"#
            + #"{"text":"two","embedding":[3,4]}]}"#,
        "\u{FEFF}{\n  \"rows\" : [\r\n\t{ \"id\" : \"a\", \"content\":\"one, ]} \\\" \\\\\",\n"
            + " \"vector\":\"[1 2]\",\"lang\":\"en\"} ,\n {\"document\":\"two\",\"vector\":null}\n] }\n",
    ])
    func `an array of rows is imported, once`(text: String) throws {
        let first = try importText(text)
        #expect(first.status == 0 && first.output == "2 new, 0 updated, 0 unchanged\n", "\(first)")
        let entries = try entries().sorted { "\($0["key"] ?? "")" > "\($1["key"] ?? "")" }
        #expect(entries.map { $0["key"] as? String } == ["a", "2"])
        #expect(entries.map { $0["content"] as? String } == [#"one, ]} " \"#, "two"])
        #expect((entries.first?["metadata"] as? [String: Any])?["lang"] as? String == "en")
        #expect(try importText(text).output == "0 new, 0 updated, 2 unchanged\n")
    }

    @Test func `lists of a collection of Chroma are imported`() throws {
        let text = """
            {"ids": ["a", "b", "c"], "embeddings": [[1, 2], [3, 4], null], "uris": null, "data": null,
             "documents": ["one", null, "three"],
             "metadatas": [{"lang": "en", "tags": ["bird"]}, null, null], "included": ["documents"]}
            """
        let first = try importText(text)
        #expect(first.status == 0 && first.output == "2 new, 0 updated, 0 unchanged\n", "\(first)")
        #expect(first.error.contains("skipped 1 vector without a text"), "\(first)")
        let listed = try cli.roost("list", "--store=t", "--tag=bird", "--where=lang=en", "--json").output
        #expect(listed.contains("\"key\":\"a\""), "\(listed)")
        #expect(try importText(text).output == "0 new, 0 updated, 2 unchanged\n")
        let bare = try importText(#"{"ids":["d"],"embeddings":null,"documents":["four"],"metadatas":[null]}"#)
        #expect(bare.output == "1 new, 0 updated, 0 unchanged\n", "\(bare)")
        #expect(bare.error.contains("the file has no vectors"), "\(bare)")
    }

    @Test(arguments: [
        (#"[{"text":"a","vector":[1]},{"text":" ","vector":[1]}]"#, "row 2: it has no text"),
        (#"[{"text":"a","vector":[1]},{"text":"b","vector":[1,"x"]}]"#, "row 2: its vector"),
        (#"[{"text":"a","vector":[1]},{"text":"b","vector":[1] "x"}]"#, "row 2: its syntax is invalid"),
        (
            #"[{"id":"x","text":"a","vector":[1]},{"id":"x","text":"b","vector":[1]}]"#,
            "row 2: its id 'x' is also that of row 1"
        ),
        (#"{"ids":["a"],"documents":["b","c"]}"#, "it has 2 documents, but 1 ids"),
        (#"{"documents":["b"],"embeddings":["x"]}"#, "row 1: its vector is not a list of numbers"),
        (#"{"documents":[["b"]],"embeddings":[[1]]}"#, "row 1: its document is not a text"),
        (#"[{"text":"a"}]"#, "the rows have no vectors; write them as JSON Lines"),
        ("{\n \"clusters\": [],\n \"lineage\": {}\n}\n", "neither the array `entries` nor an array of rows"),
        ("{\"a\":\n 1\n", "line 1 is not in the format"),
        (#"[{"text":"a","vector":[1]}"#, "cannot import"),
        (#"[{"text":"a","vector":[1]}] x"#, "cannot import"),
        (String(repeating: "[", count: 100_000), "cannot import"),
    ])
    func `a faulty document is refused with its row`(text: String, fault: String) throws {
        let outcome = try cli.roost("import", "--store=new", try file(text))
        #expect(outcome.status == 65 && outcome.error.contains(fault), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("new").path))
    }
}
