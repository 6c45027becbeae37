import Testing

@testable import RoostDocuments

/// Tests of the declarations, terms and short sentences before the parts of a text that they introduce.
@Suite struct IntroductionTests {
    static let sentence = MainContentTests.sentence

    /// Returns the texts that join long sentences if no short block has a score of its own.
    static func texts(_ body: String) -> [String] { MainContentTests.texts(body, shortScore: 0.05) }

    @Test(arguments: [
        // rustdoc
        """
        <div class="docblock item-decl"><pre class="rust struct">fn flow(depth: f64)</pre></div>
        <details class="top-doc"><div class="docblock"><p>\(sentence)</p></div></details>
        """,
        // Sphinx
        """
        <dl class="py function"><dt class="sig sig-object py">fn flow(depth: f64)</dt><dd><p>\(sentence)</p></dd></dl>
        """,
        // Javadoc
        """
        <section class="detail"><div class="member-signature"><span class="element-name">fn flow</span>(depth: f64)</div>
        <div class="block">\(sentence)</div></section>
        """,
        // Doxygen
        """
        <div class="memitem"><div class="memproto"><table class="mlabels"><tr><td class="mlabels-left">
        <table class="memname"><tr><td class="memname">fn flow(depth: f64)</td></tr></table></td></tr></table></div>
        <div class="memdoc"><p>\(sentence)</p></div></div>
        """,
        // TypeDoc
        """
        <section class="tsd-panel"><ul class="tsd-signatures"><li class="tsd-signature">fn flow(depth: f64)</li>
        <li class="tsd-description"><div class="tsd-comment"><p>\(sentence)</p></div></li></ul></section>
        """,
        // pkg.go.dev
        """
        <div class="Documentation-function"><div class="Documentation-declaration"><pre>fn flow(depth: f64)</pre></div>
        <p>\(sentence)</p></div>
        """,
        // DocC, with a note between the declaration and the text
        """
        <section><div class="declarations"><div class="declaration"><pre class="source">fn flow(depth: f64)</pre></div>
        </div></section><p>iOS 17</p><section><p>\(sentence)</p></section>
        """,
    ])
    func `The declaration before its description is kept`(page: String) {
        #expect(Self.texts("<nav><a href='/'>Home</a></nav><main>\(page)</main>") == ["fn flow(depth: f64)"])
    }

    @Test func `Declarations without a description are kept between others`() {
        func item(_ name: String, _ text: String) -> String {
            """
            <section class='detail'><div class='member-signature'><span class='element-name'>\(name)</span></div>
            <div>\(text)</div></section>
            """
        }
        let items = [item("one()", Self.sentence), item("two()", ""), item("three()", Self.sentence)]
        #expect(Self.texts("<main>\(items.joined())</main>") == ["one()", "two()", "three()"])
        let few = [items[0]] + Array(repeating: item("two()", ""), count: 4)
        #expect(Self.texts("<main>\(few.joined())</main>") == ["one()"])
    }

    @Test func `Declarations next to others are kept, also if those of other sections have no description`() {
        func item(_ name: String, _ text: String) -> String {
            """
            <section class='detail'><div class='member-signature'><span class='element-name'>\(name)</span></div>
            <div>\(text)</div></section>
            """
        }
        let methods = item("one()", "") + item("two()", Self.sentence) + item("three()", Self.sentence)
        let traits = String(repeating: item("four()", ""), count: 4)
        #expect(
            Self.texts("<main><h2>Methods</h2>\(methods)\(item("last()", ""))<h2>Traits</h2>\(traits)</main>")
                == ["Methods", "one()", "two()", "three()", "last()"])
    }

    @Test func `A heading that is code is a declaration`() {
        func heading(_ name: String) -> String {
            "<section class='method'><h4 class='code-header'>fn \(name)()</h4></section>"
        }
        let described =
            "<details open><summary>\(heading("one"))</summary><div><p>\(Self.sentence)</p></div></details>"
        let texts = Self.texts("<main><div class='impl-items'>\(described)\(heading("two"))</div></main>")
        #expect(texts == ["fn one()", "fn two()"])
    }

    @Test(arguments: [("class='hideme'", []), ("", ["Expand description"])])
    func `A summary is kept with its details, unless it is hidden with them`(name: String, texts: [String]) {
        let summary = "<summary \(name)><span>Expand description</span></summary>"
        let details = "<details open>\(summary)<div><p>\(Self.sentence)</p></div></details>"
        #expect(Self.texts("<main>\(details)</main>") == texts)
    }

    @Test(arguments: ["post-signature", "member-signature", "sig"])
    func `The signature of a person is not a declaration`(names: String) {
        #expect(
            Self.texts("<div><div class='\(names)'>Ada (1815)</div><p>\(Self.sentence)</p></div>").isEmpty)
    }

    @Test func `Short sentences before chosen code and lists are kept`() {
        let code = "<pre>cat one two three four five six seven eight nine ten eleven twelve</pre>"
        #expect(Self.texts("<main><p>Then run</p>\(code)</main>").first == "Then run")
        #expect(Self.texts("<main><div>Example:</div>\(code)</main>").first == "Example:")
        #expect(Self.texts("<main><div>Example</div>\(code)</main>").count == 1)
        #expect(
            Self.texts("<main><ul class='share'><li>Share this:</li></ul><p>\(Self.sentence)</p></main>")
                .isEmpty)
        #expect(Self.texts("<main><div>Share this:</div><p>\(Self.sentence)</p></main>").isEmpty)
    }
}
