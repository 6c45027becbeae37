import Foundation
import Testing

@testable import RoostDocuments

@Suite struct MailLayoutTests {
    private static func text(_ html: String) async throws -> String {
        let header =
            "From: a@example.org\nSubject: S\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n"
        return try await DocumentFixture.document(header + html, name: "a.eml").text
    }

    @Test func `A newsletter of nested tables reads in order`() async throws {
        let document = try await DocumentFixture.document("layout.eml")
        let start = """
            View in browser

            # Garden news

            ## Water

            The barrel is full.

            Rain fell for a week.

            ## Soil

            Mulch keeps it wet.

            | Barrel |  | Litres |
            | --- | --- | --- |
            | North |  | 200 |
            | South |  | 310 |

            Total

            EUR 12.50

            Order now
            """
        #expect(document.text.contains(start), "\(document.text)")
        #expect(document.text.hasSuffix("because you subscribed. Unsubscribe | Preferences\n\nOnly once"))
        #expect(!document.text.contains("Preview words"))
        #expect(
            document.links.map(\.target) == [
                "https://e.org/view", "https://e.org/buy", "https://e.org/u", "https://e.org/p",
            ])
    }

    @Test(arguments: [
        "<table role=presentation><tr><td>One<td>Two<tr><td>Three<td>Four</table>",
        "<table><tr><td><table><tr><td>One<td>Two</table><td></tr><tr><td>Three<td>Four</table>",
        "<table><tr><td>One<td>Two</table><table><tr><td>Three<td>Four</table>",
    ])
    func `The cells of a layout become paragraphs`(html: String) async throws {
        let text = try await Self.text(html)
        #expect(Set(text.components(separatedBy: "\n\n")) == ["One", "Two", "Three", "Four"])
    }

    @Test(arguments: [
        "<div style='Display : none'>x</div>", "<span style='display:none !important'>x</span>",
        "<p hidden>x</p>", "<div>&#847;&zwnj;&nbsp;&#8199;&shy;</div>",
        "<table><tr><td height=20>&nbsp;</td></tr></table>",
    ])
    func `Hidden and invisible text is not read`(html: String) async throws {
        #expect(try await Self.text("\(html)<p>Text.</p>") == "Text.")
    }
}
