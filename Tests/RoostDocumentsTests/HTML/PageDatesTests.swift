import Foundation
import Testing

@testable import RoostDocuments

@Suite struct PageDatesTests {
    private static let text =
        "<p>The barrel under the gutter collects rain. In a dry summer the water is enough for ten plants during "
        + "one week, if somebody waters them in the morning and nobody forgets the lid, which keeps mosquitoes away "
        + "and the water dark, so that algae hardly grow in it.</p>"

    private static func metadata(_ body: String, head: String = "") -> HTMLMetadata {
        let page = "<html><head><title>Rain barrels</title>\(head)</head><body>\(body)</body></html>"
        return HTMLPage(Data(page.utf8)).metadata
    }

    private static func day(_ date: Date?) -> String? { date.map { String($0.ISO8601Format().prefix(10)) } }

    @Test(arguments: [
        "<div class='entry-meta'>by <a href=/a>ada</a> · Dec 20, 2024 at 3:00 am · <a href=/t>tips</a></div>",
        "<span class='post-info-date'>20. Dezember 2024</span>", "<p class=newsdatum>[20.12.2024]</p>",
        "<abbr class='published' title='2024-12-20T05:11:00Z'>5:11 AM</abbr>",
        "<time pubdate datetime='2024-12-20'>yesterday</time>", "<p class=date>12/20/2024</p>",
        "<div><time datetime='2024-12-20T08:00:00Z'>20 Dec</time></div>",
    ])
    func `The date of an element below the heading is that of the page`(line: String) {
        let metadata = Self.metadata(
            "<time datetime=2019-01-01>an older page</time><h2>Latest</h2><h1>Rain barrels</h1>\(line)\(Self.text)"
                + "<h2>More pages</h2><p class=date>1 May 2023</p>")
        #expect(Self.day(metadata.publishedAt) == "2024-12-20")
        #expect(metadata.modifiedAt == nil)
    }

    @Test func `A date above the heading counts if no other heading is between them`() {
        let near = Self.metadata("<p class=date>20 December 2024</p><h1>Rain barrels</h1>\(Self.text)")
        #expect(Self.day(near.publishedAt) == "2024-12-20")
        let other = Self.metadata(
            "<p class=date>1 May 2023</p><p class=date>2 May 2023</p><h2>Latest</h2><p>More</p>"
                + "<h1>Rain barrels</h1>\(Self.text)"
        )
        #expect(other.publishedAt == nil)
    }

    @Test func `Dates of comments, other pages and lists are not those of the page`() {
        for part in [
            "<div class=comments><p class=date>1 May 2023</p><p class=date>2 May 2023</p></div>",
            "<aside><time datetime=2023-05-01>May</time><time datetime=2023-05-02>May</time></aside>",
            "<h2>Rivers</h2><p class=date>1 May 2023</p><h2>Lakes</h2><p class=date>2 May 2023</p>",
            "<div class=hentry><h2>A</h2><abbr class=published title=2023-05-01>May</abbr></div>"
                + "<div class=hentry><h2>B</h2><abbr class=published title=2023-05-02>May</abbr></div>",
        ] {
            let metadata = Self.metadata("<h1>Rain barrels</h1>\(Self.text)\(part)")
            #expect(metadata.publishedAt == nil, "\(part)")
        }
    }

    @Test func `The address of a page can contain its day`() {
        let link = "<link rel=canonical href='https://example.org/2024/12/20/rain-barrels'>"
        #expect(Self.day(Self.metadata("<h1>Rain</h1>\(Self.text)", head: link).publishedAt) == "2024-12-20")
        for path in ["2024/13/20/rain", "2024/12/rain", "1200/12/20/rain", "a/2024/2/30/rain"] {
            let link = "<link rel=canonical href='https://example.org/\(path)'>"
            #expect(Self.metadata("<h1>Rain</h1>\(Self.text)", head: link).publishedAt == nil, "\(path)")
        }
    }

    @Test func `The only date of a page and the date of the first post count in other places`() {
        let only = Self.metadata(
            "<h1>Rain barrels</h1>\(Self.text)<h2>Notes</h2><p class=submitted>by ada on "
                + "20 December 2024</p>")
        #expect(Self.day(only.publishedAt) == "2024-12-20")
        let posts = ["20 December 2024", "21 December 2024"].map {
            "<div class=message><h3>Re: Rain</h3><span class=postdate>\($0)</span>\(Self.text)</div>"
        }
        #expect(Self.day(Self.metadata(posts.joined()).publishedAt) == "2024-12-20")
    }

    @Test func `A date of a change is not that of publication`() {
        let metadata = Self.metadata(
            "<h1>Rain barrels</h1><p class=article_date>Letzte Aktualisierung: 20.12.2024</p>\(Self.text)")
        #expect(metadata.publishedAt == nil && Self.day(metadata.modifiedAt) == "2024-12-20")
    }

    @Test func `Ambiguous dates are not read`() {
        let words = [["03/04/2024"], ["2024-02-30"], ["13/13/2024"], ["3", "Foo", "2024"]]
        for words in words { #expect(VisibleDate.first(in: words) == nil, "\(words)") }
        for (word, day) in [
            ("25/12/2024", "2024-12-25"), ("12-25-2024", "2024-12-25"), ("5/5/2024", "2024-05-05"),
        ] {
            #expect(Self.day(VisibleDate.first(in: [word])?.date) == day)
        }
    }
}
