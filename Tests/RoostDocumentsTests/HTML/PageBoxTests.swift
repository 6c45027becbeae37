import Foundation
import Testing

@testable import RoostDocuments

/// Tests of texts on a page that are not part of its main content, and of short ones that are.
@Suite struct PageBoxTests {
    private static let sentence = MainContentTests.sentence
    private static let other =
        "We and our partners store cookies on your device to measure how many people read it."

    private static func texts(_ box: String) -> [String] {
        MainContentTests.texts("<main><p>\(sentence)</p>\(box)<p>\(sentence)</p><a href='/'>Home</a></main>")
    }

    @Test(arguments: [
        "class='cookie-banner'", "id='cookieNotice'", "class='cc' role='dialog' id='privacy'", "class='gdpr'",
        "class='consent modal'",
    ])
    func `Boxes that ask for consent to cookies are left out`(names: String) {
        #expect(Self.texts("<div \(names)><p>\(Self.other)</p></div>").isEmpty)
    }

    @Test(arguments: ["class='cookie-recipe'", "class='banner'", "role='dialog'", "class='privacy-section'"])
    func `Texts about cookies and other boxes are kept`(names: String) {
        #expect(Self.texts("<div \(names)><p>\(Self.other)</p></div>") == [Self.other])
    }

    @Test func `A page that consists of a text about cookies is read`() {
        let texts = MainContentTests.texts(
            "<div class='cookie-message'><p>\(Self.other)</p><a href='/'>Home</a></div>")
        #expect(texts.contains(Self.other))
    }

    @Test(arguments: [
        ("NewsArticle", "<div id='comments'>", true),
        ("BlogPosting", "<ol class='comment-list comments'>", true),
        ("NewsArticle", "<div class='view'>", false),
        ("DiscussionForumPosting", "<div id='comments'>", false),
        ("WebPage", "<div id='comments'>", false), ("Article", "<section class='disqus'>", true),
    ])
    func `Comments of readers below an article are left out`(
        type: String, element: String, isOmitted: Bool
    ) {
        let data = "<script type='application/ld+json'>{\"@type\": \"\(type)\"}</script>"
        let comments = "\(element)<p>\(Self.other)</p></div>"
        let article = String(repeating: "<p>\(Self.sentence)</p>", count: 3)
        let texts = MainContentTests.texts(
            "\(data)<main><h1>Water</h1>\(article)<a href='/'>Home</a></main>\(comments)")
        #expect(texts.contains(Self.other) != isOmitted)
        // A page that consists of comments is read.
        let only = MainContentTests.texts("\(data)<main>\(comments)</main><a href='/'>Home</a>")
        #expect(only.contains(Self.other))
    }

    @Test func `The conditions in a form for comments are left out, and those in other forms are kept`() {
        let field = "<p>\(Self.other)</p><textarea></textarea>"
        #expect(Self.texts("<div id='comments'><form>\(field)</form></div>").isEmpty)
        #expect(Self.texts("<form class='contact'>\(field)</form>") == [Self.other])
    }

    @Test func `A list of links that the page contains twice is not part of the text`() {
        let words = "Previous message in the list of this year: the gauge at the weir reports a wrong level"
        let list = "<ul><li>Back: <a href='122.html'>\(words)</a></li></ul>"
        let text = String(repeating: "<p>\(Self.sentence)</p>", count: 4)
        #expect(MainContentTests.texts("\(list)\(text)\(list)").isEmpty)
        #expect(MainContentTests.texts("\(list)\(text)") == ["Back: \(words)"])
    }

    @Test func `The facts of a job are kept, and those of other pages are not`() {
        func texts(_ type: String) -> [String] {
            MainContentTests.texts(
                """
                <script type='application/ld+json'>{"@type": "\(type)"}</script>
                <main><div><h1>Hydrologist</h1><dl><dt>Location</dt><dd>Upper Weir</dd></dl><div><span>Full time</span></div>
                <button>Apply</button>
                <a href='/jobs'>All jobs</a></div><div><h2>Role</h2><p>\(Self.sentence)</p></div></main>
                """)
        }
        #expect(texts("JobPosting") == ["Location", "Upper Weir", "Full time", "Role"])
        #expect(texts("WebPage") == ["Role"])
    }

    @Test func `The name of an item is kept with its description`() {
        let item = "<li><div><a href='a'>calibration</a></div><div>\(Self.sentence)</div></li>"
        let two = "<li><a href='b'>one</a><div>two</div><div>\(Self.sentence)</div></li>"
        #expect(IntroductionTests.texts("<main><ul>\(item)</ul></main>") == ["calibration"])
        #expect(IntroductionTests.texts("<main><ul>\(two)</ul></main>").isEmpty)
    }

    @Test func `An offer of a job has the date on which it was posted`() async throws {
        let document = try await HTMLReaderTests.read(
            """
            <script type="application/ld+json">{"@type": "JobPosting", "datePosted": "2024-02-29"}</script>
            <h1>Hydrologist</h1><p>\(Self.sentence)</p><p>Closing date: <time>31 March 2024</time></p>
            """)
        #expect(document.createdAt == Date(timeIntervalSince1970: 1_709_164_800))
    }

    @Test func `The title of a thread has no name of a part of the forum`() async throws {
        func title(_ stated: String, _ window: String) async throws -> String? {
            try await HTMLReaderTests.read(
                """
                <title>\(window)</title><meta property="og:title" content="\(stated)"><p>\(Self.sentence)</p>
                """
            ).title
        }
        let thread = "Where are the trout?"
        #expect(try await title("r/rivers - \(thread)", "\(thread) : rivers") == thread)
        let fish = "Fish and birds of the weir"
        #expect(try await title("\(fish) - The River Times", "The River Times - \(fish)") == fish)
    }
}
