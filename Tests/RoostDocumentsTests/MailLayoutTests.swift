import Foundation
import Testing

@testable import RoostDocuments

@Suite struct MailLayoutTests {
    /// Returns the text of a message in HTML.
    private static func text(_ html: String) async throws -> String {
        let header =
            "From: a@example.org\nSubject: S\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n"
        return try await DocumentFixture.document(header + html, name: "a.eml").text
    }

    @Test func `A newsletter of nested tables reads in order`() async throws {
        let document = try await DocumentFixture.document("layout.eml")
        let expected = """
            View in browser

            # Garden news

            ## Water

            The barrel is full.

            Rain fell for a week.

            ## Soil

            Mulch keeps it wet.

            | Barrel | Litres |
            | --- | --- |
            | North | 200 |
            | South | 310 |

            Total EUR 12.50

            Order now

            Photo of a pump

            New pump
            It is quiet.

            Ask us.

            Hose

            It is long.

            You receive this because you subscribed. Unsubscribe | Preferences

            Only once
            """
        #expect(document.text == expected)
        #expect(
            document.links.map(\.target) == [
                "https://e.org/view", "https://e.org/buy", "https://e.org/u", "https://e.org/p",
            ])
    }

    @Test func `A table of data stays a table, without its empty columns and rows`() async throws {
        let rows =
            "<tr><td>North</td><td> </td><td>200</td></tr><tr><td>&nbsp;</td></tr><tr><td>Shed<td><td>310"
        #expect(
            try await Self.text("<table><tr><th>Barrel<th><th>Litres</tr>\(rows)</table>")
                == "| Barrel | Litres |\n| --- | --- |\n| North | 200 |\n| Shed | 310 |")
        // A list in a cell of a table with headers.
        let list = "<tr><td>Shed<td><ul><li>hose<li>spade</ul></tr>"
        let text = try await Self.text("<table><tr><th>Place<th>Tools</tr>\(list)\(list)</table>")
        #expect(text.hasPrefix("| Place | Tools |"))
        // A cell that spans columns leaves the others where they are.
        let wide = "<tr><td colspan=2>All</td><td>3</td></tr>"
        let other = "<tr><td>a</td><td>b</td><td>c</td></tr>"
        #expect(
            try await Self.text("<table>\(other)\(wide)</table>")
                == "| a | b | c |\n| --- | --- | --- |\n| All |  | 3 |")
    }

    @Test(arguments: [
        "<table role=presentation><tr><td>One</td><td>Two</td></tr><tr><td>Three</td><td>Four</td></tr></table>",
        "<table><tr><td><table><tr><td>One<td>Two</table><td></tr><tr><td>Three<td>Four</table>",
        "<table><tr><td>One<td>Two</table><table><tr><td>Three<td>Four</table>",
    ])
    func `The cells of a layout become lines`(html: String) async throws {
        #expect(try await Self.text(html) == "One Two\n\nThree Four")
    }

    @Test(arguments: [
        ("<table><tr><table><tr><td>One</td></tr></table></tr></table>", "One"),
        (
            "<table><tr><td>One</td></tr><tr><table><tr><td><p>Two<p>Three</table></table>",
            "One\n\nTwo\n\nThree"
        ),
        ("<table><form action='/a'><tr><td>One</td></tr></form></table>", "One"),
        ("<table><td>One</td></table>", "One"),
        ("<table>One<tr>Two<td>Three</td></tr></table>", "One\n\nTwo Three"),
        ("<table>\n<tr>\n<td>One</td>\n<!-- x --></tr>\n<script>x()</script></table>", "One"),
    ])
    func `Text in a table but outside of its cells is read`(html: String, expected: String) async throws {
        #expect(try await Self.text(html) == expected)
    }

    @Test func `Long paragraphs next to each other are no table`() async throws {
        let paragraph = String(repeating: "The barrel collects rain. ", count: 12)
        let row = "<tr><td>North</td><td>\(paragraph)</td></tr>"
        let text = try await Self.text("<table>\(row)\(row)</table>")
        #expect(!text.contains("|") && text.hasPrefix("North\n\nThe barrel"))
    }

    @Test(arguments: [
        "<div style='visibility: hidden'>x</div>", "<span style='opacity:0 !important'>x</span>",
        "<div style='max-height:0px;overflow:hidden'>x</div>", "<p hidden>x</p>",
        "<div>&#847;&zwnj;&nbsp;&#8199;&shy;</div>", "<table><tr><td height=20>&nbsp;</td></tr></table>",
    ])
    func `Hidden and invisible text is not read`(html: String) async throws {
        #expect(try await Self.text("\(html)<p>Text.</p>") == "Text.")
    }

    @Test(arguments: ["font-size:0", "opacity:0.9", "max-height:0.5em;overflow:hidden", "mso-hide:all"])
    func `Text with similar styles is read`(style: String) async throws {
        #expect(try await Self.text("<div style='\(style)'><p>Text.</p></div>") == "Text.")
    }
}
