import Foundation
import RoostDocuments
import Testing

/// Tests of the readers of Obsidian's canvases and bases.
@Suite struct CanvasReaderTests {
    private func read(_ text: String, by reader: some DocumentReader) async throws -> Document {
        let input = DocumentInput(data: Data(text.utf8), path: "/vault/file")
        let type = try #require(reader.types.first)
        return try #require(try await reader.read(input, as: type).first)
    }

    @Test func `The nodes of a canvas are read in order, by group`() async throws {
        let document = try await read(
            """
            {"nodes": [
              {"id": "1", "type": "text", "text": "Second #idea", "x": 0, "y": 200, "width": 9, "height": 9},
              {"id": "2", "type": "text", "text": "First", "x": 0, "y": 0, "width": 10, "height": 10},
              {"id": "3", "type": "group", "label": "Bench", "x": 500, "y": 0, "width": 300, "height": 300},
              {"id": "4", "type": "file", "file": "wood/Vice.md", "subpath": "#Jaws", "x": 550, "y": 50},
              {"id": "5", "type": "link", "url": "https://example.org/plans", "x": 550, "y": 150}],
             "edges": [{"id": "e", "fromNode": "1", "toNode": "2", "label": "depends on"}]}
            """, by: CanvasReader())
        #expect(
            document.text == "First\n\nSecond #idea\n\n## Bench\n\n[[wood/Vice.md#Jaws]]\n\n"
                + "<https://example.org/plans>\n\n- depends on\n")
        #expect(document.tags == ["idea"])
        #expect(
            document.links == [
                DocumentLink(kind: .wiki, target: "wood/Vice.md", fragment: "Jaws"),
                DocumentLink(kind: .address, target: "https://example.org/plans"),
            ])
        #expect(document.title == "file")
    }

    @Test func `An empty canvas has no text, and invalid JSON is an error`() async throws {
        #expect(try await read("", by: CanvasReader()).text.isEmpty)
        #expect(try await read("{}", by: CanvasReader()).text.isEmpty)
        for text in [
            "{", "[]", "{\"nodes\": 1}", "{\"nodes\": [{\"x\": \"a\"}]}",
            String(repeating: "[", count: 99_999),
        ] {
            await #expect(throws: DocumentError.self, "\(text.prefix(30))") {
                try await read(text, by: CanvasReader())
            }
        }
    }

    @Test func `The filters, formulas and views of a base are read`() async throws {
        let document = try await read(
            """
            filters:
              and:
                - file.hasTag("tool")
                - not:
                    - file.inFolder("Archive")
            formulas:
              cost: price * amount
            properties:
              note.price:
                displayName: Price in euros
            views:
              - type: table
                name: Hand tools
                filters: kind == "hand"
                order: [file.name, price]
            """, by: BaseReader())
        #expect(
            document.text == """
                Filters:

                - file.hasTag("tool")
                - not file.inFolder("Archive")

                Formulas:

                - cost: price * amount

                Properties:

                - note.price: Price in euros

                ## Hand tools

                Filters:

                - kind == "hand"

                Columns: file.name, price

                """)
        #expect(TextStructure(of: document.text, format: .markdown).sections.last?.headings == ["Hand tools"])
    }

    @Test func `A base that is not valid YAML is an error`() async throws {
        #expect(try await read("", by: BaseReader()).text.isEmpty)
        for text in ["views: [", "just text", "- a\n- b", "\u{0}"] {
            await #expect(throws: DocumentError.self, "\(text)") { try await read(text, by: BaseReader()) }
        }
    }
}
