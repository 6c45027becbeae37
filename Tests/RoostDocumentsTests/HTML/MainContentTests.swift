import Foundation
import Testing

@testable import RoostDocuments

@Suite struct MainContentTests {
    static let sentence = "The river rises in the hills, and its water reaches the sea after forty miles."

    @Test func `The terms and descriptions of a page of options are read`() async throws {
        let text = try await HTMLReaderTests.read(
            """
            <html><body><nav><a href="/">Home</a></nav><main><h1>Flags</h1><p>The program accepts the following
            flags on its command line, in any order, and ignores all of the others.</p><dl><dt>--quiet</dt>
            <dd>Print nothing but errors.</dd><dt>--plume</dt><dd>Use the plumage cache.</dd></dl></main></body>
            </html>
            """
        ).text
        for part in ["--quiet", "Print nothing but errors.", "--plume", "Use the plumage cache."] {
            #expect(text.replacingOccurrences(of: "\\", with: "").contains(part), "\(part)\n\(text)")
        }
        #expect(!text.contains("Home"))
    }

    @Test(arguments: ["<p hidden>", "<p style=\"color: red; Display : none\">", "<div hidden><p>"])
    func `Hidden text is not read`(start: String) async throws {
        let document = try await HTMLReaderTests.read(
            "<html><body><p>\(Self.sentence)</p>\(start)A secret sentence.</p></body></html>")
        #expect(document.text == Self.sentence)
        #expect(document.unreadParts == ["text that the page hides: 3 words"])
    }

    @Test func `All panels of tabs are read`() async throws {
        let document = try await HTMLReaderTests.read(
            """
            <html><body><p>\(Self.sentence)</p><div role="tablist"><button role="tab">Linux</button></div>
            <div role="tabpanel"><p>First panel.</p></div><div role="tabpanel" hidden><p>Second panel.</p></div>
            </body></html>
            """)
        #expect(document.text.contains("First panel.") && document.text.contains("Second panel."))
        #expect(document.unreadParts.isEmpty)
    }

    @Test func `Hidden text within the main content or next to it is listed`() async throws {
        let document = try await HTMLReaderTests.read(
            "<html><body><div hidden>Menu of this page</div><p>Intro</p><p>\(Self.sentence)</p>"
                + "<p>More.</p><div hidden>Accept our cookies</div></body></html>")
        #expect(document.unreadParts == ["text that the page hides: 7 words"])
    }

    @Test(arguments: ["<div hidden=\"until-found\">", "<div style=\"display:none\">"])
    func `Text that is hidden until a script shows it is read`(start: String) async throws {
        let text = try await HTMLReaderTests.read(
            "<html><body><p>Loading the page.</p>\(start)<p>\(Self.sentence)</p></div></body></html>"
        ).text
        #expect(text.contains(Self.sentence))
    }

    @Test(arguments: ["Recipe", "HowTo", "TechArticle", "Report", "Course"])
    func `JSON-LD of works states authors, also by reference`(type: String) async throws {
        let document = try await HTMLReaderTests.read(
            """
            <html><head><script type="application/ld+json">{"@graph": [{"@type": "\(type)", "author": {"@id": "#p"},
            "datePublished": "2024-02-29"}, {"@type": "Person", "@id": "#p", "name": "Ada"}]}</script></head>
            <body><p>\(Self.sentence)</p></body></html>
            """)
        #expect(document.metadata["author"] == .string("Ada"))
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_709_164_800))
    }
}
