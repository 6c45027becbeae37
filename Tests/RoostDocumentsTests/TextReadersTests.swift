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

    @Test func `A damaged cell does not keep the others of a notebook from being read`() async throws {
        let cells = #"{"cells": [{"cell_type": "code"}, 7, {"cell_type": "markdown", "source": "Words"}]}"#
        let document = try await DocumentFixture.document(cells, name: "a.ipynb")
        #expect(document.text == "Words")
        #expect(document.unreadParts == ["cell 1 and 1 more, which are damaged"])
    }

    @Test func `The links of a notebook are those of its Markdown cells`() async throws {
        let cells =
            ##"{"cells": [{"cell_type": "markdown", "source": ["# Pump\n", "See [a](b.md) and [[C]]."]},"##
            + ##"{"cell_type": "code", "source": "x = '[[no]](no.md)'  # https://e.org/no"}]}"##
        let document = try await DocumentFixture.document(cells, name: "a.ipynb")
        #expect(document.links.map(\.target) == ["b.md", "C"])
    }

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

    @Test(arguments: [
        // Words that a speaker repeats: in one caption, after a pause, and at once.
        ("00:01.000 --> 00:02.000\nGo! Go!\nGo! Go!\n", "Go! Go! Go! Go!"),
        ("00:01.000 --> 00:02.000\nGo!\n\n00:03.000 --> 00:04.000\nGo!\nRun!\n", "Go! Go! Run!"),
        ("00:01.000 --> 00:02.000\nGo!\n\n00:02.000 --> 00:03.000\nGo!\n", "Go! Go!"),
        // Captions that scroll: lines that the caption before shows, and a step that nobody can read.
        (
            "00:01.000 --> 00:02.000\nA b\n\n00:02.000 --> 00:02.010\nA b\n\n00:02.010 --> 00:04.000\nA b\nc d\n",
            "A b c d"
        ),
        (
            "00:01.000 --> 00:03.000\nA\nB\n\n00:02.000 --> 00:04.000\nB\nC\n\n00:04.000 --> 00:05.000\nC\nD\n",
            "A B C D"
        ),
    ])
    func `Only captions that scroll repeat lines`(captions: String, text: String) async throws {
        let document = try await DocumentFixture.document("WEBVTT\n\n" + captions, name: "a.vtt")
        #expect(document.text == "[00:00:01] " + text)
    }

    @Test(arguments: ["00:00:03.000 -> 00:00:04.000", "xx --> bad"])
    func `A caption whose times cannot be read keeps its text`(times: String) async throws {
        let captions = "WEBVTT\n\n00:01.000 --> 00:02.000\nOne.\n\n\(times)\nTwo -> three.\n"
        let document = try await DocumentFixture.document(captions, name: "a.vtt")
        #expect(document.text == "[00:00:01] One. Two -> three.")
    }

    @Test(arguments: [
        String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
    ])
    func `A text with a byte order mark is decoded, and a cut one is not`(encoding: String.Encoding) throws {
        let data = try #require("\u{FEFF}Plätze 🌧".data(using: encoding))
        #expect(TextDecoder.decode(data)?.text == "Plätze 🌧")
        #expect(TextDecoder.decode(data.dropLast()) == nil)
        #expect(TextDecoder.decode(data + Data(repeating: 0, count: 4)) == nil)
    }

    @Test func `Binary data is not decoded`() {
        #expect(TextDecoder.decode(Data([0xEF, 0xBB, 0xBF, 0x61]))?.text == "a")
        #expect(TextDecoder.decode(Data([0x89, 0x50, 0x4E, 0x47, 0x00, 0x01])) == nil)
        #expect(TextDecoder.decode(Data((0x80...0xFF).map { UInt8($0) })) == nil)
    }

    @Test(arguments: [
        "\u{93}It\u{92}s\u{94} \u{96} \u{AB}d\u{E9}j\u{E0} vu\u{BB}, \u{BF}Qu\u{E9}? 20 \u{B0}C\u{85} \u{8C}uvre",
        "\u{DE}a\u{F0} er gott ve\u{F0}ur \u{ED} dag", "\u{BB}Spa\u{DF}\u{AB} f\u{FC}r K\u{F6}ln",
        "Gr\u{FC}\u{DF}e \u{80}5",
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
