import Foundation
import Testing

@testable import RoostDocuments

/// Tests of the main content of pages: which blocks join those that are chosen by their scores.
@Suite struct MainContentTests {
    static let sentence = "The river rises in the hills, and its water reaches the sea after forty miles."

    /// Returns the texts of the main content if the scores of long blocks are high and those of others low.
    static func texts(_ body: String, shortScore: Double = 0.2) -> [String] {
        let page = HTMLPage(Data("<html><head><title>Water</title></head><body>\(body)</body></html>".utf8))
        let facts = PageFacts(tree: page.tree, blocks: page.blocks, metadata: page.metadata)
        let scores = page.blocks.map { $0.counts.words >= 12 ? 0.95 : shortScore }
        return MainContent.indices(of: facts, scores: scores).map { page.blocks[$0].text }
            .filter { $0 != sentence }
    }

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

    @Test func `The specifications of a product are read with their heading`() async throws {
        let text = try await HTMLReaderTests.read(
            """
            <html><body><header><nav><a href="/">Shop</a> <a href="/lamps">Lamps</a></nav></header><main>
            <div class="product"><h1>Tern desk lamp</h1><button>Add to cart</button>
            <div class="product-description"><p>The Tern desk lamp has a long arm that moves without screws and
            stays where it is put. Its light is warm in the evening and neutral during the day.</p></div>
            <h2>Specifications</h2><table class="specs"><tr><th>Height</th><td>62 cm</td></tr><tr><th>Power</th>
            <td>8.5 W</td></tr></table></div><section class="related"><h2>You may also like</h2><ul>
            <li><a href="/x">Plover floor lamp</a> € 129.00</li></ul></section></main></body></html>
            """
        ).text
        #expect(text.contains("## Specifications\n\n| Height | 62 cm |\n| --- | --- |\n| Power | 8.5 W |"))
        #expect(!text.contains("Plover") && !text.contains("Add to cart") && !text.contains("also like"))
    }

    @Test func `Code, tables, lists and terms between chosen paragraphs are kept`() {
        let texts = Self.texts(
            """
            <article><p>\(Self.sentence)</p><pre>wc -l</pre><p>\(Self.sentence)</p>
            <table><tr><th>Year</th><th>Level</th></tr><tr><td>2024</td><td>3 m</td></tr></table>
            <p>\(Self.sentence)</p><ul><li>Trout</li><li>Salmon</li></ul><p>\(Self.sentence)</p>
            <dl><dt>Weir</dt><dd>A low wall.</dd></dl><p>\(Self.sentence)</p></article>
            """)
        #expect(
            texts == ["wc -l", "Year Level", "2024 3 m", "Trout", "Salmon", "Weir", "A low wall."])
    }

    @Test(arguments: [
        "<nav><ul><li>Trout</li></ul></nav>", "<aside><pre>Trout</pre></aside>",
        "<div class=\"related-posts\"><ul><li>Trout</li></ul></div>",
        "<form><ul><li>Trout</li></ul></form>", "<div class=\"share\"><ul><li>Trout</li></ul></div>",
        "<ul><li><a href=\"/fish/1\">Trout</a></li></ul>", "<div>Trout</div>",
    ])
    func `Parts of the page around the text are not kept in it`(gap: String) {
        #expect(Self.texts("<main><p>\(Self.sentence)</p>\(gap)<p>\(Self.sentence)</p></main>").isEmpty)
    }

    @Test func `The id of a heading does not separate it from its section`() {
        let texts = Self.texts(
            """
            <main><p>\(Self.sentence)</p><h3 id="nav_fish_in_the_river">Fish in the river</h3>
            <p>\(Self.sentence)</p><div class="nav"><h3>More rivers</h3></div><p>\(Self.sentence)</p></main>
            """)
        #expect(texts == ["Fish in the river"])
    }

    @Test func `A heading is kept with the text of its section`() {
        let texts = Self.texts(
            """
            <main><h1>Water</h1><p>\(Self.sentence)</p><h2>Course</h2><h3>Upper part</h3><p>\(Self.sentence)</p>
            <h2>Credits</h2><div>Ada</div><h2>Fish</h2><div><p>\(Self.sentence)</p></div><h2>Share</h2></main>
            """)
        #expect(texts == ["Course", "Upper part", "Fish"])
    }

    @Test func `Blocks after the text continue it if they are not likely to be something else`() {
        let body = """
            <main><p>\(Self.sentence)</p><h2>Levels</h2><ul><li>Spring</li><li>Autumn</li></ul><div>Ada</div>
            <ul><li>Imprint</li></ul></main>
            """
        #expect(Self.texts(body) == ["Levels", "Spring", "Autumn"])
        #expect(Self.texts(body, shortScore: 0.05).isEmpty)
    }

    @Test func `The answer to a chosen question is kept if it is not likely to be something else`() {
        let questions = [
            "What should the people who live near the river do if its water rises in spring?",
            "Whom should the people who live near the river ask if they need help in spring?",
        ]
        let body = """
            <main><p>\(Self.sentence)</p><div class="item"><div><h3>\(questions[0])</h3></div><div>Move upstairs.</div>
            </div><div class="item"><div><h3>\(questions[1])</h3></div><div>Ask the warden.</div></div></main>
            """
        #expect(Self.texts(body) == [questions[0], "Move upstairs.", questions[1], "Ask the warden."])
        #expect(Self.texts(body, shortScore: 0.05) == questions)
    }

    @Test func `A table in a section of its own continues the text`() {
        let body = """
            <main><div><div><div><p>\(Self.sentence)</p></div></div></div><div><div><div><h2>Levels</h2><table><tbody>
            <tr><th>Year</th><th>Level</th></tr><tr><td>2024</td><td>3 m</td></tr></tbody></table></div></div></div></main>
            """
        #expect(Self.texts(body) == ["Levels", "Year Level", "2024 3 m"])
    }

    @Test func `The panels of tabs and the sections after them continue the text`() {
        let body = """
            <main><p>\(Self.sentence)</p><div class="tabs-container"><ul role="tablist"><li role="tab">npm</li>
            <li role="tab">Yarn</li></ul><div role="tabpanel"><pre>npm run</pre></div><div role="tabpanel" hidden>
            <pre>yarn run</pre></div></div><h2>Options</h2><table><tr><th>Key</th><th>Default</th></tr>
            <tr><td>zone</td><td>UTC</td></tr></table></main>
            """
        #expect(Self.texts(body) == ["npm run", "yarn run", "Options", "Key Default", "zone UTC"])
    }

    @Test func `Code in elements and tables that contain nothing else continues the text`() {
        let code =
            "<div class='highlight'><table><tr><td><div><pre>npm run</pre></div></td></tr></table></div>"
        #expect(Self.texts("<main><p>\(Self.sentence)</p>\(code)</main>") == ["npm run"])
    }

    @Test func `The caption of an image is kept`() {
        let figure = """
            <figure class="wp-block-image"><img src="a.jpg"><figcaption class="wp-element-caption">The weir</figcaption>
            </figure>
            """
        #expect(
            Self.texts("<main><p>\(Self.sentence)</p>\(figure)<p>\(Self.sentence)</p></main>") == ["The weir"]
        )
    }

    @Test func `Terms and cells that are links are kept with their descriptions`() {
        let terms = """
            <h2>Types</h2><dl><dt><a href="g">Gauge</a></dt><dd>A gauge that reports the level.</dd>
            <dt><a href="b">Buoy</a></dt><dd>A buoy.</dd><dt><a href="a">Anchor</a></dt></dl>
            """
        #expect(
            Self.texts("<main><p>\(Self.sentence)</p>\(terms)</main>")
                == ["Types", "Gauge", "A gauge that reports the level.", "Buoy", "A buoy.", "Anchor"])
        let cells = """
            <div class="summary-table"><div>Type</div><div>Method</div><div><code>double</code></div>
            <div><code><a href="#level">level</a>()</code></div><div><div>Returns the level.</div></div></div>
            """
        #expect(
            Self.texts("<main><p>\(Self.sentence)</p>\(cells)</main>")
                == ["Type", "Method", "double", "level()", "Returns the level."])
        let links = "<dl><dt><a href='g'>Gauge</a></dt><dd><a href='h'>Harbor</a></dd></dl>"
        #expect(Self.texts("<main><p>\(Self.sentence)</p>\(links)</main>").isEmpty)
    }

    @Test func `Boxes for subscriptions and elements that are not printed are left out`() {
        let text = "The best of the shore comes to you every morning at six, free of charge."
        func texts(_ box: String) -> [String] {
            Self.texts("<main><p>\(Self.sentence)</p>\(box)<p>\(Self.sentence)</p></main>")
        }
        let form = "<form><input type='email'></form>"
        #expect(texts("<div class='newsletter-signup'><p>\(text)</p>\(form)</div>").isEmpty)
        #expect(texts("<div class='newsletter-signup'><p>\(text)</p></div>") == [text])
        #expect(texts("<div class='contact'><p>\(text)</p>\(form)</div>") == [text])
        #expect(texts("<div class='row d-print-none'><div><p>\(text)</p></div></div>").isEmpty)
        #expect(Self.texts("<div class='noprint'><p>\(Self.sentence)</p><p>\(text)</p></div>") == [text])
        // A sign that is not printed is not the paragraph that it begins.
        #expect(texts("<p><span class='noprint'>Note:</span> \(text)</p>") == ["Note: \(text)"])
    }

    @Test func `The class of a table is examined once, and not for each block in it`() {
        let names = "table" + String(repeating: " a", count: 100_000)
        let cells = String(repeating: "<p>a b</p>", count: 6000)
        let seconds = ReaderDetailTests.threadSeconds()
        let texts = Self.texts("<main><p>\(Self.sentence)</p><div class='\(names)'>\(cells)</div></main>")
        #expect(texts.count == 6000)
        #expect(ReaderDetailTests.threadSeconds() - seconds < 10)
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
        let page = HTMLPage(
            Data(
                "<body><div hidden>Menu</div><nav>Home</nav><p>One</p><p hidden>a b</p><p>Two</p><nav>End</nav></body>"
                    .utf8))
        let facts = PageFacts(tree: page.tree, blocks: page.blocks, metadata: page.metadata)
        func indices(_ texts: String...) -> [Int] {
            page.blocks.indices.filter { texts.contains(page.blocks[$0].text) }
        }
        #expect(MainContent.hiddenWords(around: indices("One", "Two"), in: facts) == 2)
        #expect(MainContent.hiddenWords(around: indices("Two"), in: facts) == 2)
        #expect(MainContent.hiddenWords(around: indices("One", "a b", "Two"), in: facts) == 0)
        #expect(MainContent.hiddenWords(around: indices("End"), in: facts) == 0)
        #expect(MainContent.hiddenWords(around: [], in: facts) == 0)
    }

    @Test(arguments: ["<div hidden=\"until-found\">", "<div style=\"display:none\">"])
    func `Text that is hidden until a script shows it is read`(start: String) async throws {
        let text = try await HTMLReaderTests.read(
            "<html><body><p>Loading the page.</p>\(start)<p>\(Self.sentence)</p></div></body></html>"
        ).text
        #expect(text.contains(Self.sentence))
    }

    @Test(arguments: ["Recipe", "HowTo", "TechArticle", "Report", "Course", "Review"])
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

    @Test func `Customers who review a product are not the authors of its page`() async throws {
        let document = try await HTMLReaderTests.read(
            """
            <html><head><script type="application/ld+json">[{"@type": "Product", "name": "Lamp"}, {"@type": "Review",
            "author": {"name": "Ada"}}]</script></head><body><p>\(Self.sentence)</p></body></html>
            """)
        #expect(document.metadata["author"] == nil)
    }
}
