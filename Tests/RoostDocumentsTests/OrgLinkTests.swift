import Foundation
import RoostDocuments
import Testing

@Suite struct OrgLinkTests {
    @Test(arguments: [
        ("[[anchor point]]", "", "anchor point"), ("[[#h-one][one]]", "", "h-one"),
        ("[[*Heading one][one]]", "", "Heading one"), ("[[Version 1.2]]", "", "Version 1.2"),
        ("[[(label)]]", "", "(label)"), ("[[fn:1]]", "", "fn:1"), ("[[b.org]]", "b.org", nil),
        ("[[./my notes/b.org]]", "./my notes/b.org", nil), ("[[file:b.org::*Other][b]]", "b.org", "Other"),
        ("[[id:4f0c-12][by id]]", "4f0c-12", nil), ("[[https://e.org/a][web]]", "https://e.org/a", nil),
        ("[[attachment:x.pdf]]", "attachment:x.pdf", nil),
    ])
    func `A link leads to a file, or to a part of its own file`(
        org: String, target: String, fragment: String?
    ) async throws {
        let document = try await DocumentFixture.document("Text \(org).\n", name: "a.org")
        #expect(document.links.map(\.target) == [target])
        #expect(document.links.map(\.fragment) == [fragment])
        // The links of an entry are those in its text.
        let input = DocumentInput(data: Data(document.text.utf8), path: "a.md")
        let markdown = try await MarkdownReader().read(input, as: MarkdownReader.type)
        #expect(markdown.flatMap(\.links).map(\.target) == [target], "\(document.text)")
        #expect(markdown.flatMap(\.links).map(\.fragment) == [fragment], "\(document.text)")
    }

    @Test func `Ids and names of a file are its aliases`() async throws {
        let document = try await DocumentFixture.document(
            ":PROPERTIES:\n:ID:       4f0c-12\n:ROAM_ALIASES: Water \"Fresh water\"\n:END:\n#+TITLE: Well\n"
                + "* Pump\n:PROPERTIES:\n:ID: 77\n:CUSTOM_ID: pump\n:END:\nText\n",
            name: "a.org")
        #expect(document.aliases == ["4f0c-12", "Water", "Fresh water", "77"])
        let resolver = LinkResolver(notes: [.init(path: "/n/a.org", aliases: document.aliases)])
        #expect(resolver.resolve(DocumentLink(kind: .address, target: "77"), from: "/n/b.org") == 0)
    }

    @Test func `A caption is text`() async throws {
        let document = try await DocumentFixture.document(
            "#+CAPTION: The old pump\n#+NAME: fig\n[[file:pump.png]]\n", name: "a.org")
        #expect(document.text.hasPrefix("The old pump\n<!-- #+NAME: fig -->\n"))
    }
}
