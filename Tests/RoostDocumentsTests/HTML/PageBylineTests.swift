import Foundation
import Testing

@testable import RoostDocuments

@Suite struct PageBylineTests {
    private static let text =
        "<p>The barrel under the gutter collects rain. In a dry summer the water is enough for ten plants during "
        + "one week, if somebody waters them in the morning and nobody forgets the lid, which keeps mosquitoes away "
        + "and the water dark, so that algae hardly grow in it.</p>"

    private static func metadata(_ line: String, before: String = "", title: String = "Rain barrels")
        -> HTMLMetadata
    {
        let page =
            "<html><head><title>\(title)</title></head><body>\(before)<h1>\(title)</h1>\(line)\(text)</body></html>"
        return HTMLPage(Data(page.utf8)).metadata
    }

    private static func day(_ date: Date?) -> String? {
        date.map { String($0.ISO8601Format().prefix(10)) }
    }

    @Test(
        arguments: [
            ("<p>By Jane Doe | 3 March 2024</p>", "Jane Doe", "2024-03-03"),
            ("<div>By <a href=/j>Jane Doe</a> <span>Head of Gardens</span></div>", "Jane Doe", nil),
            ("<p>Published on March 3rd, 2024 by the team</p>", nil, "2024-03-03"),
            ("<p>Written by J. R. Doe-Smith, March 3, 2024</p>", "J. R. Doe-Smith", "2024-03-03"),
            ("<p>Von Jörg Weiß, 3. März 2024</p>", "Jörg Weiß", "2024-03-03"),
            ("<p>Veröffentlicht am 03.03.2024</p>", nil, "2024-03-03"),
            ("<p>Par Hélène de la Tour le 1er mars 2024</p>", "Hélène de la Tour", "2024-03-01"),
            ("<p>Publié le 3 mars 2024</p>", nil, "2024-03-03"),
            (
                "<p>Por María García y Luis Pérez</p><p>3 de marzo de 2024</p>", "María García y Luis Pérez",
                "2024-03-03"
            ),
            ("<p>Publicado el 3 de marzo de 2024</p>", nil, "2024-03-03"),
            ("<p><time>Mar 3, 2024</time> · 5 min read</p>", nil, "2024-03-03"),
            ("<p>2024-03-03</p>", nil, "2024-03-03"),
            ("<p>Posted on March 3, 2024 by Jane Doe</p>", "Jane Doe", "2024-03-03"),
            ("<p>Posted on March 3, 2024 at 10:15 am by Jane Doe</p>", "Jane Doe", "2024-03-03"),
            ("<p>Veröffentlicht am 3. März 2024 von Jörg Weiß</p>", "Jörg Weiß", "2024-03-03"),
            ("<p>March 3, 2024 by way of Dover</p>", nil, "2024-03-03"),
            ("<p>by</p><div><a href=/j>Jane Doe</a></div>", "Jane Doe", nil),
            ("<p>by</p><div>Other</div><div>Jane Doe</div>", nil, nil),
            ("<p>by</p><p>\(String(repeating: "word ", count: 30))</p><div>Jane Doe</div>", nil, nil),
        ] as [(String, String?, String?)])
    func `The author and the date near the title are read`(line: String, author: String?, date: String?) {
        let metadata = Self.metadata(line)
        #expect(metadata.author == author)
        #expect(Self.day(metadata.publishedAt) == date)
        #expect(metadata.modifiedAt == nil)
    }

    @Test(
        arguments: [
            ("<ul><li>Thread starter <a class='username x' href=/u/1>rain_man</a></li></ul>", "rain_man"),
            ("<div class=bigusername>rain_man</div>", "rain_man"),
            ("<div itemscope itemtype='https://schema.org/Comment'><p itemprop=author>Ada</p></div>", nil),
            ("<div itemprop=acceptedAnswer itemscope><p itemprop=author>Ada</p></div>", nil),
            ("<div itemprop=review itemscope><p itemprop=author>Ada</p></div>", nil),
            ("<div itemscope itemtype='https://schema.org/Article'><p itemprop=author>Ada</p></div>", "Ada"),
            ("<p rel=author>undefined</p>", nil),
        ] as [(String, String?)])
    func `Who began a thread is the author, and who answered is not`(line: String, author: String?) {
        #expect(Self.metadata(line).author == author)
    }

    @Test func `A user below the text is not the author`() {
        let comment = "<div class=username>rain_man</div><p>Great.</p>"
        let page = "<html><body><h1>Rain barrels</h1>\(Self.text)\(comment)</body></html>"
        #expect(HTMLPage(Data(page.utf8)).metadata.author == nil)
    }

    @Test(
        arguments: [
            ("<section class=comments><span class=username>troll42</span><p>Great.</p></section>", nil),
            ("<div id=Comment-1><div><span class=username>troll42</span></div></div>", nil),
            ("<p>Logged in as <span class=username>reader</span></p>", nil),
            ("<p>Logged in as <b class=username>reader</b></p><p class=username>rain_man</p>", "rain_man"),
            ("<p class=username>Forum Team</p>", nil), ("<p class=username>unknown</p>", nil),
            (String(repeating: "<p>Short.</p>", count: 9) + "<p class=username>troll42</p>", nil),
            ("<p>Short.</p><p class=username>rain_man</p>", "rain_man"),
        ] as [(String, String?)])
    func `A user of a page with a short text is the author only near the title`(
        line: String, author: String?
    ) {
        let page = "<html><body><h1>Rain barrels</h1>\(line)</body></html>"
        #expect(HTMLPage(Data(page.utf8)).metadata.author == author)
    }

    @Test func `The date of a change is not that of the publication`() {
        let metadata = Self.metadata("<p>Published 3 March 2024, last updated 5 April 2025</p>")
        #expect(
            Self.day(metadata.publishedAt) == "2024-03-03" && Self.day(metadata.modifiedAt) == "2025-04-05")
        let updated = Self.metadata("<p>Zuletzt aktualisiert am 5. April 2025</p>")
        #expect(updated.publishedAt == nil && Self.day(updated.modifiedAt) == "2025-04-05")
    }

    @Test(arguments: [
        "<p>By Popular Demand we return to the garden this year.</p>", "<p>By the Editors</p>",
        "<p>By Staff Writer</p>",
        "<p>By Monday March the rain stops.</p>", "<p>By Jane</p>", "<p>BY POPULAR DEMAND</p>",
        "<p>By jane doe</p>",
        "<p>Von Hamburg nach Bremen</p>", "<p>Von Januar bis März</p>",
        "<p>Par Avion, and other stamps of France</p>",
        "<p>Author: Guest Contributor</p>", "<p>By Green Garden Company</p>",
        "<p>By Jane Doe went the prize of 2023.</p>",
        "<p>Sold by Jane Doe</p>",
    ])
    func `Lines that name no person have no author`(line: String) {
        #expect(Self.metadata(line).author == nil)
    }

    @Test(arguments: [
        "<p>03/04/2024</p>", "<p>March 2024</p>", "<p>3 March</p>", "<p>31 February 2024</p>",
        "<p>The exhibition is open from 3 March 2024 until the end of the year in all halls</p>",
        "<h2>Events</h2><p>3 March 2024</p>",
    ])
    func `Lines that date something else, or are ambiguous, are no dates`(line: String) {
        let metadata = Self.metadata(line)
        #expect(metadata.publishedAt == nil && metadata.modifiedAt == nil)
    }

    @Test func `The dates of a list of pages are not those of the list`() {
        let items = (1...5).map { "<div><a href=/\($0)>Page \($0)</a></div><div>\($0) March 2024</div>" }
            .joined()
        #expect(Self.metadata("<div>All pages</div>" + items).publishedAt == nil)
        // A date next to the title, on a page with a list of others, is that of the page.
        let page = Self.metadata("<p>7 March 2024</p>" + Self.text + items)
        #expect(Self.day(page.publishedAt) == "2024-03-07")
    }

    @Test func `Statements of the page take precedence`() {
        let head =
            "<meta name=author content='Tom Ray'><meta property='article:published_time' content='2023-01-02'>"
        let metadata = Self.metadata("<p>By Jane Doe | 3 March 2024</p>", before: head)
        #expect(metadata.author == "Tom Ray" && Self.day(metadata.publishedAt) == "2023-01-02")
    }

    @Test func `Names behind the beginning of the text are not read`() {
        #expect(Self.metadata(Self.text + "<p>By Jane Doe</p><p>3 March 2024</p>").author == nil)
    }
}
