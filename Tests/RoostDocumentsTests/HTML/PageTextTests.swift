import Foundation
import Testing

@testable import RoostDocuments

/// Tests of the parts of a page that belong to its text in a browser, and of those that do not.
@Suite struct PageTextTests {
    private static func text(_ body: String) -> String {
        let page = HTMLPage(Data("<html><body>\(body)</body></html>".utf8))
        return HTMLMarkdown.text(of: page.blocks, in: page)
    }

    @Test func `Words of elements that are too deep for the tree are not joined`() {
        func text(_ body: String) -> String {
            let page = String(repeating: "<div>", count: 60) + body
            let deep = HTMLPage(Data(page.utf8), maximumDepth: 20)
            #expect(deep.tree.nodes.allSatisfy { $0.depth <= 20 })
            return HTMLMarkdown.text(of: deep.blocks, in: deep)
        }
        #expect(text("<div>One</div><div>two<div>three</div>four</div>") == "One\n\ntwo\n\nthree\n\nfour")
        #expect(text("<p>One <b>t</b>wo<br>three</p><h2>Four</h2>") == "One two\n\nthree\n\n## Four")
        #expect(text("<p>One</p><script>let two = 2</script><style>p {}</style><p>three") == "One\n\nthree")
    }

    @Test(arguments: [
        """
        <table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1
        2</pre></div></td><td class="code"><div class="highlight"><pre>let a = 1
          let b = 2</pre></div></td></tr></table>
        """,
        """
        <pre class="highlight"><code><table class="rouge-table"><tr><td class="rouge-gutter gl"><pre class="lineno">1
        2
        </pre></td><td class="rouge-code"><pre>let a = 1
          let b = 2
        </pre></td></tr></table></code></pre>
        """,
        """
        <table class="file"><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">let a = 1</td></tr>
        <tr><td class="blob-num" data-line-number="2"></td><td class="blob-code">  let b = 2</td></tr></table>
        """,
        """
        <table>
          <tbody>
            <tr>
              <td class="ln">1</td>
              <td>let a = 1</td>
            </tr>
            <tr>
              <td class="ln">2</td>
              <td>  let b = 2</td>
            </tr>
          </tbody>
        </table>
        """,
        """
        <pre><code><span style="user-select:none">1</span>let a = 1
        <span class="lineno">2</span>  let b = 2</code></pre>
        """,
        "<pre><button>Copy</button><code><div>let a = 1</div><div>  let b = 2</div></code></pre>",
        """
        <div class="fragment"><div class="line"><a id="l1"></a><span class="lineno">    1</span>let a = 1</div>
        <div class="foldopen">
        <div class="line"><a id="l2"></a><span class="lineno">    2</span>&#160; let b = 2</div>
        </div>
        <div class="ttc"><div class="ttname"><a href="#b">b</a></div></div>
        </div>
        """,
        """
        <div class="code"><div class="line-numbers"><a href="#1">1</a>
        <a href="#2">2</a></div><div class="lines"><pre>let a = 1
          let b = 2</pre></div></div>
        """,
        """
        <pre><code><span class="highlight-line"><span>let a = 1</span></span><span class="highlight-line">  let b = 2</span></code></pre>
        """,
    ])
    func `Code is stored without the numbers of its lines and buttons`(code: String) {
        #expect(Self.text(code) == "```\nlet a = 1\n  let b = 2\n```")
    }

    @Test func `Numbers in elements with other contents are kept`() {
        #expect(Self.text("<div class=\"gutter\">Width of the gutter: 2</div>") == "Width of the gutter: 2")
        #expect(Self.text("<pre><span class=\"n\">1</span>, 2</pre>") == "```\n1, 2\n```")
        let number = "<div class=\"gutter\">2</div>"
        #expect(Self.text("<div>\(number)<p>Width</p><pre>a</pre></div>") == "2\n\nWidth\n\n```\na\n```")
    }

    @Test func `Lines of verse and a part of a line are not lines of code`() {
        let verse = "<div class=\"line\">The river</div><div class=\"line\">rises</div>"
        #expect(Self.text("<div class=\"line-block\">\(verse)</div>") == "The river\n\nrises")
        #expect(Self.text("<pre>$ <span class=\"code-line\">ls</span></pre>") == "```\n$ ls\n```")
        let byline = "<div class=\"by-line\">By Ada</div>"
        #expect(Self.text("<div class=\"highlight\">\(byline)</div>") == "By Ada")
        let drawn = "<div class=\"line\"></div>"
        let code = "<div class=\"promo-code\">\(drawn)<div>Use TERN</div>\(drawn)</div>"
        #expect(Self.text(code) == "Use TERN")
    }

    @Test(arguments: [
        ("<p>The pier <s>is closed </s>opened.</p>", "The pier ~~is closed~~ opened."),
        ("<del><p>The <b>old</b> pier</p></del>", "~~The old pier~~"), ("<p>a<strike> </strike>b</p>", "a b"),
        (
            "<table><tr><td>Price</td><td><del>9</del> <b>7</b></td></tr><tr><td>a</td><td>b</td></tr></table>",
            "| Price | ~~9~~ 7 |\n| --- | --- |\n| a | b |"
        ),
        ("<pre>a <del>b</del></pre>", "```\na b\n```"),
    ])
    func `Deleted text is marked as in Markdown`(body: String, text: String) {
        #expect(Self.text(body) == text)
    }

    @Test func `Lists that arrange sections are not lists in the text`() {
        let list =
            "<ul><li><h3>close</h3><div>void close()</div></li><li><h3>open</h3><p>Opens it.</p></li></ul>"
        #expect(Self.text(list) == "### close\n\nvoid close()\n\n### open\n\nOpens it.")
    }

    @Test func `Tables with spacer cells and numbers outside code are not code`() {
        let page = "<td><h2>River</h2><p>Water</p></td>"
        for cell in ["<td class=\"gutter\"></td>", "<td class=\"ln\">1</td>"] {
            let text = Self.text("<table><tr>\(cell)\(page)</tr></table>")
            #expect(!text.contains("```"))
            #expect(text.contains("River"))
        }
        #expect(Self.text("<div class=\"gutter\">42</div>") == "42")
        #expect(Self.text("<p>Enter <code style=\"user-select: all\">48</code></p>") == "Enter 48")
        #expect(Self.text("<pre>Enter <code style=\"user-select: all\">48</code></pre>").contains("48"))
    }

    @Test(arguments: [
        ("10<sup>6</sup> of them", "10^6 of them"), ("5 m<sup>2</sup>", "5 m^2"), ("s<sup>−1</sup>", "s^−1"),
        ("the 1<sup>st</sup> day", "the 1st day"), ("H<sub>2</sub>O", "H2O"),
        ("Ada.<sup><a href=\"#fn1\">1</a></sup>", "Ada.[1]"),
        ("Ada<a href=\"#fn2\"><sup>2</sup></a>", "Ada[2]"),
        ("Ada<sup><a href=\"#fn1\">[1]</a></sup>", "Ada[1]"), ("Note <sup>1</sup>", "Note 1"),
        ("<a href=\"/area\">km<sup>2</sup></a>", "km^2"),
    ])
    func `Raised numbers are not parts of the words before them`(body: String, text: String) {
        #expect(Self.text("<p>\(body)</p>") == text)
    }

    @Test(arguments: [
        ("<span>Larkfield</span><span>Rain barrel</span>", "Larkfield Rain barrel"),
        ("<time>19:52</time>Garden", "19:52 Garden"),
        ("<a>Rain</a>Maker and <b>Rain</b>Maker", "Rain Maker and RainMaker"),
        ("<span>rain</span><span>fall</span>, <span>i</span><span>Phone</span>", "rainfall, iPhone"),
        ("<span>R</span><span>Rain</span> <span>MP</span><span>DF</span>", "RRain MPDF"),
        ("<code><span>rain</span><span>Barrel</span></code>", "rainBarrel"),
    ])
    func `Words in elements of their own are not joined`(body: String, text: String) {
        #expect(Self.text("<p>\(body)</p>") == text)
    }

    @Test func `The mark of a note remains a link`() async throws {
        let document = try await HTMLReaderTests.read("<p>Ada.<sup><a href=\"#fn1\">1</a></sup></p>")
        #expect(document.links.map(\.fragment) == ["fn1"])
    }

    @Test func `Readings of ruby texts and characters that are not shown are left out`() {
        #expect(Self.text("<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby></p>") == "漢字")
        #expect(Self.text("<p>read&shy;ing co&#8203;operation &#xFEFF;x</p>") == "reading cooperation x")
        #expect(Self.text("<pre>fail&#8203;(x)</pre>") == "```\nfail(x)\n```")
    }
}
