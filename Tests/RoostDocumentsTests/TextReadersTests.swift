import Foundation
import RoostDocuments
import RoostModel
import Testing

/// Tests of notebooks, data, captions, markup languages and plain text.
@Suite struct TextReadersTests {
    @Test func `A notebook keeps its cells in order, and outputs that are short texts`() async throws {
        let cells = #"""
            {"cells": [{"cell_type": "markdown", "source": ["# Garden\n", "\n", "Text."]},
             {"cell_type": "code", "source": "print(42)", "outputs": [
              {"output_type": "stream", "text": ["42\n"]},
              {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": "<Figure>"}}]}],
             "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}
            """#
        let document = try await DocumentFixture.document(cells, name: "a.ipynb")
        #expect(document.title == "Garden")
        #expect(document.text == "# Garden\n\nText.\n\n```python\nprint(42)\n```\n\n```\n42\n```")
        #expect(document.unreadParts == ["1 output that is not a short text"])
        await #expect(throws: DocumentError.self) {
            try await DocumentFixture.document("{\"cells\": [", name: "a.ipynb")
        }
    }

    @Test func `Outputs of a notebook are read as a terminal shows them`() async throws {
        let cells = #"""
            {"cells": [{"cell_type": "code", "source": "ls", "outputs": [
              {"output_type": "stream", "text": ["\u001b[01;32mREADME\u001b[0m\n", "10%\r100%\n"]},
              {"output_type": "execute_result",
               "data": {"text/plain": ["[<matplotlib.lines.Line2D at 0x10f695240>]"]}},
              {"output_type": "display_data",
               "data": {"text/plain": ["<IPython.core.display.HTML object>"]}},
              {"output_type": "execute_result", "data": {"text/plain": ["<b> 2 > 1"]}}]}]}
            """#
        let document = try await DocumentFixture.document(cells, name: "a.ipynb")
        #expect(document.text == "```\nls\n```\n\n```\nREADME\n100%\n```\n\n```\n<b> 2 > 1\n```")
        #expect(document.unreadParts == ["2 outputs that are not short texts"])
    }

    @Test(arguments: [
        (String(repeating: "a", count: 2000), true), (String(repeating: "a", count: 2001), false),
        (String(repeating: "a\n", count: 30), true), (String(repeating: "a\n", count: 31), false),
        ("\u{1B}[1m" + String(repeating: "a", count: 2000) + "\u{1B}[0m", true),
    ])
    func `A long output of a notebook is not read`(output: String, isRead: Bool) async throws {
        let image = ["output_type": "display_data", "data": ["image/jpeg": "/9j/4AAQ"]] as [String: Any]
        let cell: [String: Any] = [
            "cell_type": "code", "source": "run()",
            "outputs": [["output_type": "stream", "text": output], image],
        ]
        let notebook = String(
            decoding: try JSONSerialization.data(withJSONObject: ["cells": [cell]]), as: UTF8.self)
        let document = try await DocumentFixture.document(notebook, name: "a.ipynb")
        #expect(document.text.hasPrefix("```\nrun()\n```"))
        #expect(document.text.contains("```\n\n```\na") == isRead)
        #expect(
            document.unreadParts
                == [isRead ? "1 output that is not a short text" : "2 outputs that are not short texts"])
    }

    @Test func `The links of a notebook are those of its Markdown cells`() async throws {
        let cells =
            ##"{"cells": [{"cell_type": "markdown", "source": ["# Pump\n", "See [a](b.md) and [[C]]."]},"##
            + ##"{"cell_type": "code", "source": "x = '[[no]](no.md)'  # https://e.org/no"}]}"##
        let document = try await DocumentFixture.document(cells, name: "a.ipynb")
        #expect(document.links.map(\.target) == ["b.md", "C"])
    }

    @Test func `Objects in an array of JSON get headings and readable lines`() async throws {
        let json =
            #"[{"title": "A\u00e9\ud83c\udf31", "x": 1, "tags": ["a", "b"]}, {"title": "B", "y": {"z": "q"}}]"#
        let text = try await DocumentFixture.document(json, name: "a.json").text
        #expect(text == "## Aé🌱\n\ntitle: Aé🌱\nx: 1\ntags: a, b\n\n## B\n\ntitle: B\ny:\n- z: q")
    }

    @Test(arguments: [
        "{", "[1,]", "{\"a\" 1}", "\"\\u12", "nul", "[1] 2", String(repeating: "[", count: 100_000),
    ])
    func `Invalid and very deep JSON is reported`(json: String) async throws {
        await #expect(throws: DocumentError.self) { try await DocumentFixture.document(json, name: "a.json") }
    }

    @Test func `Very long values and cells are reported, and larger files are not read`() async throws {
        let long = String(repeating: "a", count: 5 << 20)
        let json = try await DocumentFixture.document("{\"a\": \"\(long)\", \"b\": 1}", name: "a.json")
        #expect(json.text == "b: 1" && json.unreadParts == ["1 value of more than 1 MB"])
        let cells =
            "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": \"\(long)\"},"
            + "{\"cell_type\": \"markdown\", \"source\": [\"# Garden\"]}]}"
        let notebook = try await DocumentFixture.document(cells, name: "a.ipynb")
        #expect(notebook.text == "# Garden" && notebook.title == "Garden")
        #expect(notebook.unreadParts == ["1 cell of more than 4 MB"])
        var input = DocumentInput(data: Data(repeating: 0x20, count: 101), path: "")
        input.limits.maximumTextBytes = 100
        for name in ["a.json", "a.ipynb", "a.xml", "a.yaml"] {
            input.path = name
            await #expect(
                throws: DocumentError.limitExceeded("it has 101 bytes, and the maximum for its type is 100")
            ) { try await DocumentFixture.documents(input) }
        }
    }

    @Test(arguments: [
        (#"{"a": {"b": [1, [2, "x"], {"c": null}]}, "d": []}"#, "a:\n- b:\n  - 1\n    - 2\n    - x"),
        (#"[[], {}, "", [1, 2], {"id": "k", "v": true}]"#, "- 1\n- 2\n\n## k\n\nid: k\nv: true"),
        (#"{"e\u0041": "\ud83c\udf31\\\"\/\b\f\n\u00e9"}"#, "eA: 🌱\\\"/ \n\né"),
        (" 12.5e3 ", "12.5e3"), ("\"a\"", "a"),
    ])
    func `Values of JSON are written in order`(json: String, expected: String) async throws {
        #expect(try await DocumentFixture.document(json, name: "a.json").text == expected)
    }

    @Test func `A long paragraph of XML is divided`() async throws {
        let words = String(repeating: "<b>some bold</b> and plain words ", count: 60_000)
        let document = try await DocumentFixture.document("<a>First \(words)</a>", name: "a.xml")
        #expect(document.text.split(separator: "\n\n").count == 2)
        #expect(document.text.split { $0.isWhitespace }.count == 300_001)
        #expect(document.unreadParts.isEmpty)
    }

    @Test func `XML becomes values and paragraphs`() async throws {
        let xml = """
            <book><title>Garden</title><info><year>2025</year></info>
            <p>Some <b>bold</b> text that is longer than sixty characters, so it is a paragraph.</p></book>
            """
        let document = try await DocumentFixture.document(xml, name: "a.xml")
        #expect(document.title == "Garden")
        #expect(document.text.hasPrefix("## Garden\n\n- year: 2025\n\nSome bold text that is longer"))
        await #expect(throws: DocumentError.damaged("it is not valid XML")) {
            try await DocumentFixture.document("<a><b>text</b><c", name: "a.xml")
        }
        let bomb = "<!DOCTYPE a [<!ENTITY b \"cc\"><!ENTITY d \"&b;&b;\">]><a>&d;</a>"
        await #expect(throws: DocumentError.self) { try await DocumentFixture.document(bomb, name: "a.xml") }
    }

    @Test(arguments: [
        ("<a><item id='9' label='Bosun chair' value='120'/></a>", "- item: Bosun chair"),
        ("<a><point lat='56.4' name='Kerrera Sound'/></a>", "- point: Kerrera Sound"),
        (
            "<a><outline text='Pins'><outline text='of bronze'/></outline></a>",
            "- outline: Pins\n- outline: of bronze"
        ),
        (
            "<a><b name='Keel' description='Two bolts.'>Old</b></a>",
            "- b: Keel\n- description: Two bolts.\n- b: Old"
        ),
        (
            "<a><b other='It rains a lot'/><b c='a1 b2 c3' href='see the old page'/></a>",
            "- other: It rains a lot"
        ),
        (
            "<a><b name='greet'>Hi</b><b name='max_depth' value='true' label='https://e.org/Ab'/></a>",
            "- b: Hi"
        ),
    ])
    func `The texts of attributes of XML are read`(xml: String, expected: String) async throws {
        #expect(try await DocumentFixture.document(xml, name: "a.xml").text == expected)
    }

    @Test func `The attribute title of an XML document is its title`() async throws {
        let document = try await DocumentFixture.document(
            "<a title='Log book'><b>Text</b></a>", name: "a.xml")
        #expect(document.title == "Log book")
    }

    @Test func `The speakers of captions are named when they change`() async throws {
        let captions = """
            WEBVTT

            00:01.000 --> 00:02.000
            <v Mary Quant>We agreed
            to repaint.

            00:00:03.000 --> 00:00:04.000
            <v.loud Mary Quant>Yes.</v>

            00:00:05.000 --> 00:00:06.000
            <v Tom &amp; Ann>No.</v> <v Mary Quant><i>Yes</i>.</v>

            00:00:07.000 --> 00:00:08.000
            Waves.

            00:01:30.000 --> 00:01:31.000
            <v Mary Quant>Late.
            """
        let document = try await DocumentFixture.document(captions, name: "a.vtt")
        #expect(
            document.text
                == "[00:00:01] Mary Quant: We agreed to repaint. Yes. Tom & Ann: No. Mary Quant: Yes. Waves."
                + "\n\n[00:01:30] Mary Quant: Late.")
    }

    @Test(arguments: [
        (
            "{\n // one\n \"a\": \"x // y /* z\", /* two\n three */\n \"b\": [1, 2,],\n}",
            "a: x // y /* z\nb: 1, 2"
        ),
        ("// one\n{\"a\": \"\\\"//\"} // two", "a: \"//"),
    ])
    func `JSON with comments and commas at the end is read`(json: String, expected: String) async throws {
        for name in ["tsconfig.json", "a.jsonc"] {
            #expect(try await DocumentFixture.document(json, name: name).text == expected)
        }
    }

    @Test func `A comment in JSON does not hide other faults`() async throws {
        for json in ["{ // one\n\"a\" 1}", "[,] // one", "/* one"] {
            await #expect(throws: DocumentError.self) {
                try await DocumentFixture.document(json, name: "a.json")
            }
        }
    }

    @Test func `Blocks of comments in Org are hidden`() async throws {
        let org = "#+BEGIN_COMMENT\nHidden.\n#+BEGIN_SRC c\n#+END_COMMENT\nText.\n"
        let document = try await DocumentFixture.document(org + "#+begin_comment\nOpen.", name: "a.org")
        let lines = document.text.split(separator: "\n")
        #expect(
            lines.count == 7 && lines[1] == "<!-- Hidden. -->" && lines[4] == "Text." && lines[6] == "Open.")
    }

    @Test(arguments: ["a: 1\n", "key = \"value\"\n"])
    func `YAML and TOML are stored as written`(text: String) async throws {
        for name in ["a.yaml", "a.toml"] {
            let document = try await DocumentFixture.document(text, name: name)
            #expect(document.text == text)
            #expect(document.format == .plain)
        }
    }

    @Test(arguments: [
        ("a.yaml", "# Comment\ntitle: Ballast # lead\nitems:\n  - name: x\n", "Ballast"),
        ("a.yaml", "a: 1\nname: \"The \\\"crew\\\"\"\n---\ntitle: Second\n", "The \"crew\""),
        ("a.yaml", "openapi: 3.0.0\ninfo:\n  contact:\n    title: Dr\n  title: Anchors\n", "Anchors"),
        ("compose.yml", "version: \"3\"\nservices:\n  name:\n    image: nginx\n", "compose"),
        ("a.yaml", "title: [x]\nname: {{ name }}\n", "a"), ("a.yaml", "title:\n", "a"),
        ("a.toml", "title = \"Rudders\"\n[package]\nname = \"x\"\n", "Rudders"),
        ("Cargo.toml", "[package]\nname = \"capstan\"\n[[bin]]\nname = \"other\"\n", "capstan"),
        ("a.toml", "[[bin]]\nname = \"other\"\ntitle = 5\n", "a"),
        ("a.json", "{\"a\": 1}", "a"), ("a.json", "[{\"title\": \"First of many\"}]", "a"),
        ("a.xml", "<a><b>Text</b></a>", "a"),
    ])
    func `The title of data is a key, or the name of the file`(
        name: String, text: String, title: String
    ) async throws { #expect(try await DocumentFixture.document(text, name: name).title == title) }

    @Test func `Captions become paragraphs with times, and rolling lines are read once`() async throws {
        let captions = """
            WEBVTT

            00:00:01.000 --> 00:00:03.000
            hello <c.yellow>there</c>

            00:00:03.000 --> 00:00:05.000
            hello there
            my friends.

            00:01:20.000 --> 00:01:22.000
            second part
            """
        let document = try await DocumentFixture.document(captions, name: "a.vtt")
        #expect(document.text == "[00:00:01] hello there my friends.\n\n[00:01:20] second part")
        let subtitles = "1\n00:00:01,500 --> 00:00:03,000\nOne.\n\n2\n00:00:04,000 --> 00:00:05,000\nTwo.\n"
        #expect(try await DocumentFixture.document(subtitles, name: "a.srt").text == "[00:00:01] One. Two.")
    }

    @Test func `Captions of YouTube are read, with their line breaks`() async throws {
        let captions = """
            0:00:01.500,0:00:03.000
            >> MARA: One[br]two.

            0:01:20.000,0:01:22.000
            1,5 litres, 3
            """
        let document = try await DocumentFixture.document(captions, name: "a.sbv")
        #expect(document.text == "[00:00:01] >> MARA: One two.\n\n[00:01:20] 1,5 litres, 3")
    }

    @Test(arguments: [String.Encoding.utf32LittleEndian, .utf32BigEndian])
    func `A text in UTF-32 is read if it has a byte order mark`(encoding: String.Encoding) async throws {
        let captions = "\u{FEFF}1\n00:00:01,500 --> 00:00:03,000\nPlätze 🌧\n"
        let data = try #require(captions.data(using: encoding))
        let documents = try await DocumentFixture.documents(DocumentInput(data: data, path: "a.srt"))
        #expect(documents.map(\.text) == ["[00:00:01] Plätze 🌧"])
        #expect(TextDecoder.decode(data.dropLast()) == nil)
        #expect(TextDecoder.decode(data + Data(repeating: 0, count: 4)) == nil)
    }

    @Test func `Org becomes Markdown line by line`() async throws {
        let org = """
            #+TITLE: Notes
            * DONE Water :garden:
            :PROPERTIES:
            :ID: 1
            :END:
            See [[https://example.org][a link]].
            #+BEGIN_SRC python
            # no heading
            #+END_SRC
            ** Sub
            """
        let document = try await DocumentFixture.document(org, name: "a.org")
        let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(document.title == "Notes")
        #expect(document.tags == ["garden"])
        #expect(lines.count == 10)
        #expect(lines[1] == "# Water")
        #expect(lines[5] == "See [a link](https://example.org).")
        #expect(lines[6...] == ["```python", "# no heading", "```", "## Sub"])
        #expect(document.links.map(\.target) == ["https://example.org"])
    }

    @Test func `The underlines of reStructuredText determine the levels of headings`() async throws {
        let text = "=====\nNotes\n=====\n\nWater\n-----\n\n.. code-block:: python\n\n   x = 1\n\nSub\n~~~\n"
        let document = try await DocumentFixture.document(text, name: "a.rst")
        #expect(document.title == "Notes")
        let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 14)
        #expect(lines.filter { $0.hasPrefix("#") } == ["# Notes", "## Water", "### Sub"])
        #expect(lines[7...10] == ["```python", "", "   x = 1", "```"])
    }

    @Test func `Commands of LaTeX are replaced by their text`() async throws {
        let text = """
            \\title{Garden \\emph{notes}}
            \\begin{document}
            \\section{Water}\\label{s}
            Text with \\textbf{bold \\emph{nested}} 50\\% % comment
            \\item First~one \\cite{x}
            \\begin{verbatim}
            a % b
            \\end{verbatim}
            """
        let document = try await DocumentFixture.document(text, name: "a.tex")
        #expect(document.title == "Garden notes")
        let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines[2...] == [
                "## Water", "Text with bold nested 50% ", "- First one", "```", "a % b", "```",
            ])
    }

    @Test func `AsciiDoc becomes Markdown line by line`() async throws {
        let text =
            "= Notes\n:author: Mara\n\n== Water\n[source,ruby]\n----\n= code\n----\n** sub\nhttps://a.org[A]\n"
        let document = try await DocumentFixture.document(text, name: "a.adoc")
        #expect(document.title == "Notes")
        #expect(document.metadata["author"] == .string("Mara"))
        let lines = document.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines[3...] == [
                "## Water", "", "```ruby", "= code", "```", "    - sub", "[A](https://a.org)", "",
            ])
    }

    @Test func `Text in UTF-16 and windows-1252 is decoded, binary data is not`() async throws {
        let reader = PlainTextReader()
        func read(_ data: Data) async throws -> String? {
            try await reader.read(DocumentInput(data: data, path: "a.txt"), as: PlainTextReader.type).first?
                .text
        }
        let little = Data([0xFF, 0xFE]) + (try #require("Grüße".data(using: .utf16LittleEndian)))
        let big = Data([0xFE, 0xFF]) + (try #require("Grüße".data(using: .utf16BigEndian)))
        #expect(try await read(little) == "Grüße")
        #expect(try await read(big) == "Grüße")
        #expect(try await read(Data([0x47, 0x72, 0xFC, 0xDF, 0x65, 0x20, 0x80, 0x35])) == "Grüße €5")
        #expect(try await read(Data([0xEF, 0xBB, 0xBF, 0x61])) == "a")
        await #expect(throws: DocumentError.self) {
            try await read(Data([0x89, 0x50, 0x4E, 0x47, 0x00, 0x01]))
        }
        await #expect(throws: DocumentError.self) { try await read(Data((0x80...0xFF).map { UInt8($0) })) }
    }

    @Test(arguments: [
        "\u{93}It\u{92}s\u{94} \u{96} \u{AB}d\u{E9}j\u{E0} vu\u{BB}, \u{BF}Qu\u{E9}? 20 \u{B0}C\u{85} \u{8C}uvre",
        "\u{DE}a\u{F0} er gott ve\u{F0}ur \u{ED} dag", "\u{BB}Spa\u{DF}\u{AB} f\u{FC}r K\u{F6}ln",
        "\u{95} eins\n\u{97}\u{97}\u{97}\u{97}\u{97}\u{97}\u{97}\u{97}\nzwei und noch mehr Text",
    ])
    func `Words and signs of windows-1252 are recognized`(bytes: String) {
        let data = Data(bytes.unicodeScalars.map { UInt8($0.value) })
        #expect(TextDecoder.decode(data)?.encodingName == "windows-1252")
    }

    @Test(arguments: [
        // CP437, and UTF-8 with a wrong byte and with a cut character.
        "caf\u{82} se\u{A4}or",
        "Gr\u{C3}\u{BC}\u{C3}\u{9F}e \u{E9} aus K\u{C3}\u{B6}ln", "It starts here \u{E2}\u{80}",
        "a \u{C3}\u{A4} sch\u{C3}",
    ])
    func `Text in unknown encodings and damaged UTF-8 is refused`(bytes: String) {
        let data = Data(bytes.unicodeScalars.map { UInt8($0.value) })
        #expect(TextDecoder.decode(data) == nil)
    }
}
