import Foundation
import Testing

@testable import RoostDocuments

/// Tests of formulas, which are stored once: as TeX if the page states it, otherwise in one line.
@Suite struct PageFormulaTests {
    static func text(_ body: String) -> String {
        let page = HTMLPage(Data("<html><body><p>\(body)</p></body></html>".utf8))
        return HTMLMarkdown.text(of: page.blocks, in: page)
    }

    static let katex = """
        <span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics>
        <mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding="application/x-tex">x^2</annotation>
        </semantics></math></span><span class="katex-html" aria-hidden="true"><span class="mord">x</span>
        <span class="msupsub">2</span></span></span>
        """

    @Test func `A formula of KaTeX is its source`() {
        #expect(Self.text("The area \(Self.katex) grows.") == "The area $x^2$ grows.")
        #expect(Self.text("<span class=\"katex-display\">\(Self.katex)</span>") == "$$x^2$$")
    }

    @Test func `A formula of MathJax is its source or the structure of its MathML`() {
        let math = "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>"
        let second = """
            <span class="MathJax_Preview">a/b</span><span class="MathJax" id="M1"><nobr><span class="math">ab</span>
            </nobr><span class="MJX_Assistive_MathML">\(math)</span></span>
            """
        #expect(
            Self.text("So \(second)<script type=\"math/tex\">\\frac{a}{b}</script> holds.")
                == "So $\\frac{a}{b}$ holds.")
        #expect(Self.text("<script type=\"math/tex; mode=display\">a<b</script>") == "$$a< b$$")
        let third = """
            <mjx-container class="MathJax" jax="CHTML"><mjx-math><mjx-c class="mjx-c61">a</mjx-c></mjx-math>
            <mjx-assistive-mml>\(math)</mjx-assistive-mml></mjx-container>
            """
        #expect(Self.text("So \(third) holds.") == "So a/b holds.")
    }

    @Test func `A formula of MediaWiki is its source without the command for its size`() {
        let source = "{\\displaystyle e^{x}}"
        let image = "<img class=\"mwe-math-fallback-image-inline\" alt=\"\(source)\" src=\"x.svg\">"
        let math = """
            <math alttext="\(source)"><semantics><msup><mi>e</mi><mi>x</mi></msup>
            <annotation encoding="application/x-tex">\(source)</annotation></semantics></math>
            """
        let hidden = "<span class=\"mwe-math-mathml-inline\" style=\"display: none\">\(math)</span>"
        #expect(Self.text("<span class=\"mwe-math-element\">\(hidden)\(image)</span>") == "$e^{x}$")
        #expect(Self.text("Here \(image) alone") == "Here $e^{x}$ alone")
        #expect(TeXFormula.markdown("{\\displaystyle a}+{b}", isDisplay: false) == "${\\displaystyle a}+{b}$")
    }

    @Test func `Sources in the text of a page become formulas`() {
        #expect(Self.text("<span class=\"math notranslate\">\\(a_1\\)</span> is first") == "$a_1$ is first")
        #expect(Self.text("<span class=\"math\">not a formula</span>") == "not a formula")
        #expect(Self.text("<img class=\"photo\" alt=\"A weir\"> by the river") == "by the river")
    }

    @Test(arguments: [
        (
            "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mn>2</mn><mi>c</mi></mrow></mfrac>",
            "(a+b)/(2c)"
        ),
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x^2"), ("<msub><mi>x</mi><mn>1</mn></msub>", "x_1"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<msqrt><mi>x</mi></msqrt>", "√(x)"), ("<mroot><mi>x</mi><mn>3</mn></mroot>", "√[3](x)"),
        ("<munder><mi>lim</mi><mi>n</mi></munder><mi>a</mi>", "lim_n a"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x^¯"), ("<msup><mi>f</mi><mo>′</mo></msup>", "f′"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>",
            "∑_(i = 1)^n"
        ),
        (
            "<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd>"
                + "<mi>d</mi></mtd></mtr></mtable><mo>)</mo>", "(a, b; c, d)"
        ),
        ("<mfrac linethickness=\"0\"><mi>n</mi><mi>k</mi></mfrac>", "binom(n, k)"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<mmultiscripts><mi>C</mi><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>", "_6^14C"),
        ("<mi>a</mi><mo>&lt;</mo><mi>b</mi>", "a < b"),
        ("<mi>sin</mi><mo>&ApplyFunction;</mo><mi>x</mi>", "sin x"),
    ])
    func `MathML without a source is written in one line`(math: String, line: String) {
        #expect(Self.text("<math>\(math)</math>") == line)
    }

    @Test func `Pictures of a subject and annotations without TeX are no sources`() {
        #expect(!Self.text("<img class=\"math\" alt=\"Pupils in a class\">").contains("$"))
        let note = "<annotation encoding=\"text/asciimath\">x y</annotation>"
        #expect(Self.text("<math><semantics><mi>x</mi>\(note)</semantics></math>") == "x")
    }

    @Test(arguments: [
        "<div class='katex'><p>A long text.</p><p>Let <math><mi>x</mi></math> be a number.</p></div>",
        "<span class='katex'>A long text. Let <math><mi>x</mi></math> be a number.</span>",
        "<span class='katex'><b>A long text.</b> <math><mi>x</mi></math> <math><mi>y</mi></math></span>",
    ])
    func `An element with other contents is not replaced by its formula`(body: String) {
        let page = HTMLPage(Data("<html><body class='katex'>\(body)</body></html>".utf8))
        let text = HTMLMarkdown.text(of: page.blocks, in: page)
        #expect(text.contains("A long text.") && text.contains("x"), "\(text)")
    }

    @Test func `Zero-width spaces between letters of three bytes separate words`() {
        #expect(Self.text("ខ្ញុំ&#8203;ស្រលាញ់") == "ខ្ញុំ\u{200B}ស្រលាញ់")
        #expect(Self.text("hyphen&#8203;ation") == "hyphenation")
    }

    @Test func `A raised number after another block is not a power`() {
        let page = HTMLPage(Data("<html><body><div>The end.</div><sup>1</sup> A note</body></html>".utf8))
        #expect(!HTMLMarkdown.text(of: page.blocks, in: page).contains("^1"))
    }

    @Test func `Deeply nested formulas are read in little time`() {
        let depth = 20_000
        let rows =
            String(repeating: "<msqrt>", count: depth) + "<mi>x</mi>"
            + String(repeating: "</msqrt>", count: depth)
        #expect(Self.text("<math>\(rows)</math>").contains("x"))
        let containers = String(repeating: "<span class=\"katex\">", count: depth)
        #expect(Self.text(containers + "river").contains("river"))
    }

    @Test func `A formula in its own paragraph is a part of the text around it`() {
        let sentence = MainContentTests.sentence
        let formula = "<span class=\"katex-display\">\(Self.katex)</span>"
        #expect(
            MainContentTests.texts("<main><p>\(sentence)</p>\(formula)<p>\(sentence)</p></main>") == [
                "$$x^2$$"
            ])
        #expect(
            MainContentTests.texts("<main><p>\(sentence)</p><div>$$299.00</div><p>\(sentence)</p></main>")
                == [])
    }

    @Test func `Formulas of books are read as those of pages`() throws {
        func text(_ math: String) throws -> String {
            let data = Data("<html xmlns:m='m'><body><p>So \(math) holds.</p></body></html>".utf8)
            let converter = MarkupConverter(try XMLPull(xml: data, isCancelled: { false }), limits: .init())
            try converter.convert()
            return converter.output.text
        }
        let fraction = "<m:mfrac><m:mi>a</m:mi><m:mi>b</m:mi></m:mfrac>"
        #expect(try text("<m:math>\(fraction)</m:math>") == "So a/b holds.")
        let source = "<m:annotation encoding='application/x-tex'>\\frac ab</m:annotation>"
        #expect(
            try text("<m:math><m:semantics>\(fraction)\(source)</m:semantics></m:math>")
                == "So $\\frac ab$ holds.")
        #expect(try text("<math alttext='x squared'><mspace/></math>") == "So x squared holds.")
    }
}
